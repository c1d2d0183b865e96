"""Train an ImageGPT to write handwritten digits pixel by pixel, row by row; its twin writes column by column."""

from collections.abc import Mapping

import torch
from jaxtyping import Int
from numpy.typing import ArrayLike
from torch import Tensor
from torch.nn import functional as F

from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps, memoize, segmented_control, toggle
from core.models.images.image_gpt import ImageGPT, ImageGPTConfig
from core.rooms.pixels.compute import pixel_generation as writing, pixel_text
from core.rooms.pixels.compute.pixel_text import (
    pixel_order as pixel_order,  # the order in which the variant of this name writes
)
from core.train.experiment import Record, rebuild_model, step_table
from core.train.experiments.augment import augment
from core.train.experiments.base import Experiment
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.fast_trainers import muon_trainer

LABELS = module_labels(__name__)

VARIANTS = pixel_text.PIXEL_ORDERS
GRAY_LEVELS = (4, 8, 16)
BATCH, RATE = 32, 1.5
WARP_STRENGTH = 1.0  # strength of the warping at the first step
INPUT_NOISE = 0.075  # standard deviation of the noise on input pixels, of full ink; with 8 levels about half a level
N_EVAL = 12  # number of evaluations; the first ones are closer together


class Options(Inputs, prefix="train_"):
    """The training data and the models to train."""

    n_level: int = segmented_control(GRAY_LEVELS, 8, name="train_levels")
    warped: bool = toggle(True)
    column: bool = toggle(True)
    n_step: int = hidden_training_steps(1_200, most=2_000)  # some minutes on one core


def config(n_level: int = 8) -> ImageGPTConfig:
    """Return the config of a small ImageGPT for pictures of 64 pixels; the shipped model uses the default."""
    return ImageGPTConfig(
        vocab_size=n_level + 1, context_length=pixel_text.N_PIXEL, n_layer=3, n_head=4, d_model=64, d_ff=96
    )


@memoize(8)
def trained_pixel_model(run: ExperimentRun, order: str) -> ImageGPT:
    """Return the trained model that writes in this order. Don't change it: it is cached."""
    model: ImageGPT = rebuild_model(run.record, order, config(run.options["n_level"])).float()
    return model


def warp_strength(share: float) -> float:
    """Return how strongly digits are warped after this share of the run: it falls, and is 0 at the end.

    A warped digit is blurred, and shifted to places where no digit of the data set is. It teaches which pixels belong
    together; the model learns the look of real digits at the end.
    """
    return WARP_STRENGTH * max(0.0, 1 - share / 0.8)


def add_level_noise(ids: Int[Tensor, "B T"], n_level: int, generator: torch.Generator) -> Int[Tensor, "B T"]:
    """Return the pixels with input noise: each may be off by a level. The targets stay exact.

    To an embedding, levels 3 and 4 are as different as 0 and 7. The model has to learn that they are nearly the same;
    otherwise it memorizes the 1,437 pictures.
    """
    off = torch.randn(ids.shape, generator=generator) * INPUT_NOISE * (n_level - 1)
    return (ids + off).round().clamp(0, n_level - 1).long()


def table(record: Record) -> dict[str, list[float]]:
    """Return the bits per pixel in both orders at each evaluation."""
    bits = {LABELS("table.bits", order=pixel_text.ORDER_TITLES[name]): f"curve.{name}.bits" for name in VARIANTS}
    known = LABELS("table.known", order=pixel_text.ORDER_TITLES["raster"])
    return step_table(record, bits | {known: "curve.raster.known"})


class Pixels(Experiment):
    """Two models of the same size see the same pictures; they differ in the order in which they read and write them.

    Its record: curve.<variant>.bits (n,): bits per pixel on the 360 held-out digits; curve.raster.known (n,): the same
    on equally many training digits.
    """

    title = LABELS["title"]
    n_eval, eval_bend = N_EVAL, 1.5

    def begin(self) -> None:
        n_level = self.options.n_level
        self._pictures = torch.from_numpy(images.training_digits().shades)
        names = VARIANTS if self.options.column else VARIANTS[:1]
        self.trainers = {name: muon_trainer(config(n_level), self.seed, self.n_step, rate=RATE) for name in names}
        known = torch.randperm(len(self._pictures), generator=self.generator)[: len(images.held_out_digits())]
        texts = {name: pixel_text.digit_sequences(n_level, name) for name in names}
        self._held = {name: held for name, (_, held) in texts.items()}
        self._known = texts["raster"][0][known]

    def learn(self) -> None:
        which = torch.randint(len(self._pictures), (BATCH,), generator=self.generator)
        pictures = self._pictures[which]
        if self.options.warped:
            pictures = augment(pictures, self.generator, warp_strength(self.step / self.n_step))
        ids = pixel_text.to_ids(pictures, self.options.n_level)
        read = add_level_noise(ids, self.options.n_level, self.generator)
        for name, trainer in self.trainers.items():
            place = torch.from_numpy(pixel_order(name))
            logits = trainer.model(writing.shift_pixels_right(trainer.model, read[:, place]))
            trainer.learn(F.cross_entropy(logits.flatten(0, 1), ids[:, place].flatten()))

    def measure(self) -> Mapping[str, ArrayLike]:
        models = {name: trainer.model for name, trainer in self.trainers.items()}
        bits = {f"curve.{name}.bits": writing.bits_per_pixel(model, self._held[name]) for name, model in models.items()}
        bits["curve.raster.known"] = writing.bits_per_pixel(models["raster"], self._known)
        return {name: float(values.mean()) for name, values in bits.items()}
