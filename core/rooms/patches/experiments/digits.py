"""A ViT learns to read handwritten digits; a twin without positions learns beside it, and two plain classifiers."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data import images
from core.models.vit import ViT, ViTConfig
from core.nn.block import BlockStyle
from core.train.experiment import Record
from core.train.experiments.augment import augment
from core.train.experiments.bounded import Bounded
from core.train.experiments.evaluation_steps import evaluation_steps
from core.train.experiments.plain_classifiers import Plain, logistic_regression, support_vectors
from core.train.experiments.trainers import muon_trainer
from core.train.trainer import Trainer

BATCH, RATE = 64, 0.5  # the rate, and that warping helps, were found on 360 of the digits to learn from
SPREAD = 0.02  # of positions and class token at the start, as published: what is learned is not hidden under it
N_LOOK, LOOK_BEND = 24, 1.6  # times that all is measured; the first ones closer together
PATCH_SIZES = (1, 2, 4)
VARIANTS = ("vit", "bag")  # bag: a ViT whose positions are zero and stay so, so its patches are a bag of patches
PLAIN = {"logistic": logistic_regression, "vectors": support_vectors}
PLAIN_AT = 40  # the step after which those are computed: loading scikit-learn takes a second, and the ViT comes first
CURVES: Mapping[str, str] = MappingProxyType(
    {
        "accuracy": "right on held-out digits",
        "loss": "loss on held-out digits, nats",
        "known": "right on digits it learns from",
        "known_loss": "loss on digits it learns from, nats",
    }
)


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        patch_size: height and width of a patch, in pixels.
        n_layer: blocks of the encoder.
        warped: whether each digit is turned, slanted, stretched and moved a little before it is learned from.
        n_step: training steps.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_layer": 3, "n_step": 2_000}  # some minutes on one core
    patch_size: int = 2
    n_layer: int = 2
    warped: bool = True
    n_step: int = 1_000

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.patch_size not in PATCH_SIZES:
            raise ValueError(f"patches of {self.patch_size} pixels: 1, 2 or 4 are possible, which divide 8")


def config(patch_size: int = 2, n_layer: int = 2) -> ViTConfig:
    """A small ViT for pictures of 8 x 8 pixels; with these defaults it is the one that ships."""
    return ViTConfig(
        image_size=8, patch_size=patch_size, n_layer=n_layer, n_head=4, d_model=48, d_ff=96,
        block=BlockStyle(activation="gelu"),
    )  # fmt: skip


def start(options: Options, seed: int) -> Trainer:
    """The variant "vit" before its first step."""
    sizes = config(options.patch_size, options.n_layer)
    return muon_trainer(sizes, seed, options.n_step, rate=RATE, spread=SPREAD)


@dataclass
class _Runner:
    """One variant on its way, and what was measured on it."""

    trainer: Trainer
    spent: float = 0.0  # seconds of processor time in training steps
    curves: dict[str, list[float]] = field(
        default_factory=lambda: {"accuracy": [], "loss": [], "known": [], "known_loss": [], "seconds": []}
    )
    p: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, 10), np.float32))


class Digits:
    """A ViT and its twin without positions see the same pictures in the same order.

    Args:
        options: see there.
        seed: of the weights, of the order of the pictures and of how they are warped.
    """

    title: ClassVar[str] = "Handwritten digits"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._warped = options.warped
        self._learn, self._held = images.to_learn(), images.held_out()
        self._pictures, self._labels = torch.from_numpy(self._learn.shades), torch.from_numpy(self._learn.labels)
        self._generator = torch.Generator().manual_seed(seed)
        self._runners = {name: _Runner(start(options, seed)) for name in VARIANTS}
        if twin := self._runners.get("bag"):
            without_positions(twin.trainer.model)
        self._plain: dict[str, Plain] = {}
        self._steps: list[int] = []
        self._looks = set(evaluation_steps(self.n_step, N_LOOK, LOOK_BEND))
        self._look()

    def advance(self) -> None:
        which = torch.randint(len(self._labels), (BATCH,), generator=self._generator)
        pictures, labels = self._pictures[which], self._labels[which]
        if self._warped:
            pictures = augment(pictures, self._generator)
        for runner in self._runners.values():
            started = time.process_time()
            runner.trainer.learn(nn.functional.cross_entropy(runner.trainer.model(pictures), labels))
            runner.spent += time.process_time() - started
        self.step += 1
        if self.step in self._looks:
            self._look()
        if self.step == min(PLAIN_AT, self.n_step):
            self._plain = {name: fit(self._learn, self._held) for name, fit in PLAIN.items()}

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, by name.

        step (S,); curve.<variant>.accuracy and .loss (S,): on the 360 held-out digits; .known and .known_loss (S,): on
        as many of those that are learned from; seconds.<variant> (S,): of processor time in training steps;
        p.<variant> (360, 10): its probabilities for the held-out digits, now; said.<plain> (360,), seconds.<plain>:
        the answers of the plain classifiers, as soon as they are there.
        """
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps)}
        for name, runner in self._runners.items():
            curves = {what: np.array(values, np.float32) for what, values in runner.curves.items()}
            found[f"seconds.{name}"] = curves.pop("seconds")
            found |= {f"curve.{name}.{what}": values for what, values in curves.items()}
            found[f"p.{name}"] = runner.p.astype(np.float16)
            found |= runner.trainer.weights(name)
        for name, plain in self._plain.items():
            found[f"said.{name}"] = plain.said.astype(np.uint8)
            found[f"seconds.{name}"] = np.array(plain.seconds, np.float32)
        return found

    @torch.no_grad()
    def _look(self) -> None:
        """Measure both on the held-out digits and on as many that are learned from. Nothing is chosen by it."""
        self._steps.append(self.step)
        known = self._learn.some(np.arange(len(self._held)))
        for runner in self._runners.values():
            model, curves = runner.trainer.model, runner.curves
            for digits, accuracy, loss in ((known, "known", "known_loss"), (self._held, "accuracy", "loss")):
                labels = torch.from_numpy(digits.labels)
                logits: Float[Tensor, "N 10"] = model(torch.from_numpy(digits.shades))
                curves[accuracy].append(float((logits.argmax(-1) == labels).float().mean()))
                curves[loss].append(float(nn.functional.cross_entropy(logits, labels)))
                runner.p = logits.softmax(-1).numpy()
            curves["seconds"].append(runner.spent)


def table(record: Record) -> dict[str, list[Any]]:
    """What was measured on the ViT and its twin, look by look."""
    return {
        "step": record["step"].tolist(),
        "seconds": record["seconds.vit"].tolist(),
        **{title: record[f"curve.vit.{name}"].tolist() for name, title in CURVES.items()},
        "right without positions": record["curve.bag.accuracy"].tolist(),
    }


def without_positions(model: ViT) -> None:
    """Hold a ViT's positions at zero: they are no longer learned, and patches are told apart by what they show alone.

    The class token keeps its own vector, so it is still told from the patches.
    """
    positions = model.pos_emb.weight
    with torch.no_grad():
        positions.zero_()
    positions.requires_grad_(False)


def confusion(true: NDArray[np.int64], said: NDArray[np.int64]) -> NDArray[np.int64]:
    """(true, said) how often a digit was taken for another."""
    found = np.zeros((10, 10), np.int64)
    np.add.at(found, (true, said), 1)
    return found
