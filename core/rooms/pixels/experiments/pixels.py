"""An ImageGPT learns to write handwritten digits, pixel by pixel: one row after row, its twin column after column."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.cache import memoize
from core.data import images
from core.models.image_gpt import ImageGPT, ImageGPTConfig
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute import pixels as writing
from core.rooms.pixels.compute.pixel_text import order as order  # the order in which a variant of this name writes
from core.train.experiment import Record, rebuild
from core.train.experiments.augment import augment
from core.train.experiments.bounded import Bounded
from core.train.experiments.evaluation_steps import evaluation_steps
from core.train.experiments.live import Live
from core.train.experiments.trainers import muon_trainer

VARIANTS = pixel_text.ORDERS
LEVELS = (4, 8, 16)
BATCH, RATE = 32, 1.5
WARP = 1.0  # strength of the warping at the first step
JITTER = 0.075  # of full ink: how far, usually, the pixels that are read are off; of 8 levels about half a level
N_LOOK = 12  # times that all is measured; the first ones closer together


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_level: levels of gray.
        warped: whether each digit is turned, slanted, stretched and moved a little before it is learned from, less and
            less in the course of the training.
        column: whether the twin that writes column by column learns beside the one that writes row by row.
        n_step: training steps.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 2_000}  # some minutes on one core
    n_level: int = 8
    warped: bool = True
    column: bool = True
    n_step: int = 1_200

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.n_level not in LEVELS:
            raise ValueError(f"{self.n_level} levels of gray: {', '.join(map(str, LEVELS))} are possible")


def config(n_level: int = 8) -> ImageGPTConfig:
    """A small ImageGPT for pictures of 64 pixels; with this default it is the one that ships."""
    return ImageGPTConfig(
        vocab_size=n_level + 1, context_length=pixel_text.N_PIXEL, n_layer=3, n_head=4, d_model=64, d_ff=96
    )


@memoize(8)
def writer(run: Live, order: str) -> ImageGPT:
    """The trained model that writes in this order, not to be changed."""
    model: ImageGPT = rebuild(run.record, order, config(run.options["n_level"])).float()
    return model


def strength(share: float) -> float:
    """How strongly digits are warped after this share of the training: less and less, and at last not at all.

    A warped digit is blurred, and moved where no digit of the collection stands. It teaches what belongs together; how
    the real ones look is learned at the end.
    """
    return WARP * max(0.0, 1 - share / 0.8)


def jittered(ids: Int[Tensor, "B 64"], n_level: int, generator: torch.Generator) -> Int[Tensor, "B 64"]:
    """The pixels as they are read in training: each may be off by a level; what is asked for stays right.

    To an embedding, levels 3 and 4 are as different as 0 and 7. That they are nearly the same has to be learned, or
    1,437 pictures are learned by heart.
    """
    off = torch.randn(ids.shape, generator=generator) * JITTER * (n_level - 1)
    return (ids + off).round().clamp(0, n_level - 1).long()


def table(record: Record) -> dict[str, list[float]]:
    """Bits per pixel in both orders, look by look."""
    return {
        "step": record["step"].tolist(),
        **{f"{pixel_text.TITLES[name]}, bits": record[f"curve.{name}.bits"].tolist() for name in VARIANTS},
        f"{pixel_text.TITLES['raster']}, bits on digits learned from": record["curve.raster.known"].tolist(),
    }


class Pixels:
    """Two models of one size see the same pictures; they differ in the order in which they read and write them.

    Args:
        options: see there.
        seed: of the weights, of the order of the pictures and of how they are warped.
    """

    title: ClassVar[str] = "Digits, pixel by pixel"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._options = options
        self._pictures = torch.from_numpy(images.to_learn().shades)
        self._generator = torch.Generator().manual_seed(seed)
        names = VARIANTS if options.column else VARIANTS[:1]
        self._runners = {name: muon_trainer(config(options.n_level), seed, self.n_step, rate=RATE) for name in names}
        known = torch.randperm(len(self._pictures), generator=self._generator)[: len(images.held_out())]
        texts = {name: pixel_text.texts(options.n_level, name) for name in names}
        self._held = {name: held for name, (_, held) in texts.items()}
        self._known = texts["raster"][0][known]
        self._steps: list[int] = []
        measured = [*(f"curve.{name}.bits" for name in names), "curve.raster.known"]
        self._curves: dict[str, list[float]] = {name: [] for name in measured}
        self._looks = set(evaluation_steps(self.n_step, N_LOOK))
        self._look()

    def advance(self) -> None:
        which = torch.randint(len(self._pictures), (BATCH,), generator=self._generator)
        pictures = self._pictures[which]
        if self._options.warped:
            pictures = augment(pictures, self._generator, strength(self.step / self.n_step))
        ids = pixel_text.to_ids(pictures, self._options.n_level)
        read = jittered(ids, self._options.n_level, self._generator)
        for name, runner in self._runners.items():
            place = torch.from_numpy(order(name))
            logits = runner.model(writing.started(runner.model, read[:, place]))
            runner.learn(F.cross_entropy(logits.flatten(0, 1), ids[:, place].flatten()))
        self.step += 1
        if self.step in self._looks:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, by name.

        step (S,); curve.<variant>.bits (S,): bits per pixel on the 360 held-out digits; curve.raster.known (S,): on as
        many of those that are learned from.
        """
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps)}
        found |= {name: np.array(values) for name, values in self._curves.items()}
        for name, runner in self._runners.items():
            found |= runner.weights(name)
        return found

    def _look(self) -> None:
        """Measure both models on the held-out digits, and one on digits that it learns from."""
        self._steps.append(self.step)
        for name, runner in self._runners.items():
            self._curves[f"curve.{name}.bits"].append(float(writing.bits(runner.model, self._held[name]).mean()))
        known = writing.bits(self._runners["raster"].model, self._known).mean()
        self._curves["curve.raster.known"].append(float(known))
