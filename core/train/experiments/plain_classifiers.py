"""Two baselines: classifiers that know nothing about pictures and read a digit as a row of 64 numbers."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.images import DigitImages

C_LOGISTIC = 1.0  # scikit-learn's own default: the weight of the errors relative to the penalty on large weights
C_VECTORS = 10.0  # in five-fold cross-validation on the training digits as good as 100, and a little better than 1
GAMMA = 0.256  # scikit-learn's example has 0.001 for shades from 0 to 16; here they are 0 to 1, so 16^2 times that
MOST_ITERATIONS = 2_000


@dataclass(frozen=True)
class ClassifierPredictions:
    """The predictions of a classifier."""

    said: NDArray[np.int64]  # (N,) which digit it takes each for
    seconds: float  # of processor time, to learn and to answer

    def accuracy(self, labels: NDArray[np.int64]) -> float:
        """Return the share of the answers that are right."""
        return float((self.said == labels).mean())


def classify_with_logistic_regression(learn: DigitImages, asked: DigitImages) -> ClassifierPredictions:
    """Fit one layer of weights from the 64 pixels to the ten answers, with a softmax, and classify `asked`.

    Source: scikit-learn's `LogisticRegression`.
    """
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    return _fit(LogisticRegression(C=C_LOGISTIC, max_iter=MOST_ITERATIONS), learn, asked)


def classify_with_support_vector_machine(learn: DigitImages, asked: DigitImages) -> ClassifierPredictions:
    """Fit a support vector machine with the kernel exp(-gamma distance^2), and classify `asked`.

    The training digits vote, with more weight the closer they are.

    Source: Cortes and Vapnik 1995; scikit-learn's `SVC`.
    """
    from sklearn.svm import SVC  # type: ignore[import-untyped]

    return _fit(SVC(C=C_VECTORS, gamma=GAMMA), learn, asked)


def _fit(classifier: Any, learn: DigitImages, asked: DigitImages) -> ClassifierPredictions:
    """Fit a classifier to `learn` and classify `asked`; the seconds don't include importing scikit-learn."""
    started = time.process_time()
    classifier.fit(learn.shades.reshape(len(learn), -1), learn.labels)
    said = classifier.predict(asked.shades.reshape(len(asked), -1))
    return ClassifierPredictions(np.asarray(said, np.int64), time.process_time() - started)
