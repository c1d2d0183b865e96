"""A ViT learns to read handwritten digits; so do a copy without positions, and two plain classifiers."""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, segmented_control, toggle
from core.models.images.vit import ViT, ViTConfig
from core.nn.block import BlockStyle
from core.train.experiment import Record, step_table
from core.train.experiments.augment import augment
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import muon_trainer
from core.train.experiments.plain_classifiers import (
    ClassifierPredictions,
    classify_with_logistic_regression,
    classify_with_support_vector_machine,
)
from core.train.trainer import Trainer

LABELS = module_labels(__name__)

BATCH, LEARNING_RATE = 64, 0.5  # the rate, and that warping helps, were found on 360 of the training digits
SPREAD = 0.02  # initial standard deviation of positions and class token, as published; it doesn't hide what is learned
N_EVAL, EVAL_BEND = 24, 1.6  # evaluations; the first ones are closer together
PATCH_SIZES = (1, 2, 4)
VARIANTS = ("vit", "bag")  # bag: a ViT whose positions are frozen at zero, so that it sees a bag of patches
PLAIN_CLASSIFIERS = {"logistic": classify_with_logistic_regression, "vectors": classify_with_support_vector_machine}
PLAIN_STEP = 40  # the step after which they are fitted: loading scikit-learn takes a second, and the ViT comes first
CURVE_TITLES: Mapping[str, str] = LABELS.options("curve", "accuracy", "loss", "known", "known_loss")


class Options(Inputs, prefix="train_"):
    """The sizes of the ViT, and its training data."""

    patch_size: int = segmented_control(PATCH_SIZES, 2, name="train_patch")
    n_layer: int = segmented_control([1, 2, 3], 2, name="train_layers")
    warped: bool = toggle(
        True,
        name="train_warp",
    )
    n_step: int = hidden_training_steps(1_000, most=2_000)  # some minutes on one core


def config(patch_size: int = 2, n_layer: int = 2) -> ViTConfig:
    """Return the config of a small ViT for pictures of 8 x 8 pixels; the defaults are those of the model that ships."""
    return ViTConfig(
        image_size=8, patch_size=patch_size, n_layer=n_layer, n_head=4, d_model=48, d_ff=96,
        block=BlockStyle(activation="gelu"),
    )  # fmt: skip


def vit_trainer(options: Options, seed: int) -> Trainer:
    """Return the trainer of the variant "vit" before its first step."""
    sizes = config(options.patch_size, options.n_layer)
    return muon_trainer(sizes, seed, options.n_step, rate=LEARNING_RATE, spread=SPREAD)


class Digits(Experiment):
    """A ViT and its copy without positions see the same pictures in the same order, warped in the same way.

    Its record: curve.<variant>.accuracy and .loss (n,): on the 360 held-out digits; .known and .known_loss (n,): on the
    same number of training digits; p.<variant> (360, 10): its newest probabilities for the held-out digits;
    said.<plain> (360,), seconds.<plain>: the answers of the plain classifiers, once they are fitted.
    """

    title = LABELS["title"]
    learned = (
        "curve.vit.accuracy >= 0.98",
        "curve.bag.accuracy < 0.7",
        "0.09 < first curve.vit.accuracy < 0.11",
        "2.302 < first curve.vit.loss < 2.303",
    )
    n_eval, eval_bend = N_EVAL, EVAL_BEND
    precision = np.float32
    keeps_seconds = True

    def begin(self) -> None:
        self._learn, self._held = images.training_digits(), images.held_out_digits()
        self._pictures, self._labels = torch.from_numpy(self._learn.shades), torch.from_numpy(self._learn.labels)
        self.trainers = {name: vit_trainer(self.options, self.seed) for name in VARIANTS}
        freeze_positions(self.trainers["bag"].model)
        self._plain: dict[str, ClassifierPredictions] = {}
        self._p: dict[str, NDArray[np.float16]] = {}  # of the held-out digits

    def batch(self) -> tuple[Tensor, Tensor]:
        which = torch.randint(len(self._labels), (BATCH,), generator=self.generator)
        pictures, labels = self._pictures[which], self._labels[which]
        return (augment(pictures, self.generator) if self.options.warped else pictures), labels

    def advance(self) -> None:
        super().advance()
        if self.step == min(PLAIN_STEP, self.n_step):
            self._plain = {name: fit(self._learn, self._held) for name, fit in PLAIN_CLASSIFIERS.items()}

    def measure(self) -> Mapping[str, ArrayLike]:
        """Evaluate both models; the result is not used for any choice."""
        found: dict[str, ArrayLike] = {}
        known = self._learn.some(np.arange(len(self._held)))
        for name, trainer in self.trainers.items():
            for digits, accuracy, loss in ((known, "known", "known_loss"), (self._held, "accuracy", "loss")):
                labels = torch.from_numpy(digits.labels)
                logits: Float[Tensor, "N 10"] = trainer.model(torch.from_numpy(digits.shades))
                found[f"curve.{name}.{accuracy}"] = float((logits.argmax(-1) == labels).float().mean())
                found[f"curve.{name}.{loss}"] = float(nn.functional.cross_entropy(logits, labels))
            self._p[name] = logits.softmax(-1).numpy().astype(np.float16)
        return found

    def latest(self) -> Mapping[str, ArrayLike]:
        found: dict[str, ArrayLike] = {f"p.{name}": p for name, p in self._p.items()}
        for name, plain in self._plain.items():
            found |= {f"said.{name}": plain.said.astype(np.uint8), f"seconds.{name}": np.float32(plain.seconds)}
        return found


def table(record: Record) -> dict[str, list[float]]:
    """Return the measures of the ViT and of its copy without positions at each evaluation."""
    curves = {title: f"curve.vit.{name}" for name, title in CURVE_TITLES.items()}
    return step_table(
        record,
        {
            LABELS["table.seconds"]: "seconds.vit",
            **curves,
            LABELS["table.right_without_positions"]: "curve.bag.accuracy",
        },
    )


def freeze_positions(model: ViT) -> None:
    """Freeze a ViT's positions at zero, so that patches are distinguished only by their content.

    The class token keeps its own vector, so it still differs from the patches.
    """
    positions = model.pos_emb.weight
    with torch.no_grad():
        positions.zero_()
    positions.requires_grad_(False)


def confusion_matrix(true: NDArray[np.int64], said: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count how often each true digit was classified as each digit, (true, said)."""
    found = np.zeros((10, 10), np.int64)
    np.add.at(found, (true, said), 1)
    return found
