"""What has to be beaten: two classifiers that know nothing of pictures and read a digit as 64 numbers in a row."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.images import Digits

C_LOGISTIC = 1.0  # scikit-learn's own default: the weight of the mistakes beside that of small weights
C_VECTORS = 10.0  # in five folds of the digits to learn from as good as 100, and a little better than 1
GAMMA = 0.256  # of scikit-learn's own example, 0.001 for shades of 0 to 16; here they are 0 to 1, so 16^2 times that
MOST_ITERATIONS = 2_000


@dataclass(frozen=True)
class Plain:
    """What a classifier says of the pictures that it is asked about."""

    said: NDArray[np.int64]  # (N,) which digit it takes each for
    seconds: float  # of processor time, to learn and to answer

    def accuracy(self, labels: NDArray[np.int64]) -> float:
        """Share of the answers that are right."""
        return float((self.said == labels).mean())


def logistic_regression(learn: Digits, asked: Digits) -> Plain:
    """One layer of weights from the 64 pixels to the ten answers, and a softmax.

    Source: scikit-learn's `LogisticRegression`.
    """
    from sklearn.linear_model import LogisticRegression  # type: ignore[import-untyped]

    return _fit(LogisticRegression(C=C_LOGISTIC, max_iter=MOST_ITERATIONS), learn, asked)


def support_vectors(learn: Digits, asked: Digits) -> Plain:
    """A support vector machine: votes of the training digits, the more so the nearer, with exp(-gamma distance^2).

    Source: Cortes and Vapnik 1995; scikit-learn's `SVC`.
    """
    from sklearn.svm import SVC  # type: ignore[import-untyped]

    return _fit(SVC(C=C_VECTORS, gamma=GAMMA), learn, asked)


def _fit(classifier: Any, learn: Digits, asked: Digits) -> Plain:
    """Learn from the one, answer about the other; the seconds that loading scikit-learn takes are not counted."""
    started = time.process_time()
    classifier.fit(learn.shades.reshape(len(learn), -1), learn.labels)
    said = classifier.predict(asked.shades.reshape(len(asked), -1))
    return Plain(np.asarray(said, np.int64), time.process_time() - started)
