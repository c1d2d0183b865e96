"""A multi-scale ViT learns handwritten digits.

The digits are upsampled from 8 x 8 to 16 x 16 pixels, so that there are enough scales.
"""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.models.images.multiscale_vit import MultiScaleViTConfig
from core.train.experiment import Record, step_table
from core.train.experiments.augment import augment
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import muon_trainer

LABELS = module_labels(__name__)

IMAGE_SIZE = 16  # side of the upsampled pictures in pixels; the originals have 8
BATCH = 64
N_EVAL = 25
DIGITS_CONFIG = MultiScaleViTConfig(
    image_size=IMAGE_SIZE, patch_size=2, d_model=16, n_layer=(2, 2, 1), n_head=(2, 2, 4)
)


class Options(Inputs):
    """The number of training steps."""

    n_step: int = hidden_training_steps(250, most=1_000)  # about 30 seconds on one core


def upsample(shades: NDArray[np.float32], size: int = IMAGE_SIZE) -> Float[Tensor, "B C Y X"]:
    """Upsample digits bilinearly, which adds no information to the 8 x 8 pixels."""
    return nn.functional.interpolate(torch.from_numpy(shades), size=(size, size), mode="bilinear", align_corners=False)


def table(record: Record) -> dict[str, list[float]]:
    """Return accuracy and processor seconds at each evaluation."""
    return step_table(
        record, {LABELS["table.accuracy"]: "curve.scales.accuracy", LABELS["table.seconds"]: "seconds.scales"}
    )


class Scales(Experiment):
    """One model, "scales"; curve.scales.accuracy is measured on the 360 held-out digits."""

    title = LABELS["title"]
    n_eval = N_EVAL
    keeps_seconds = True
    learned = ("curve.scales.accuracy > 0.95",)

    def begin(self) -> None:
        learn, held = images.training_digits(), images.held_out_digits()
        self._pictures, self._labels = upsample(learn.shades), torch.from_numpy(learn.labels)
        self._held, self._truth = upsample(held.shades), held.labels
        self.trainers = {"scales": muon_trainer(DIGITS_CONFIG, self.seed, self.n_step)}

    def batch(self) -> tuple[Tensor, Tensor]:
        some = torch.randint(len(self._labels), (BATCH,), generator=self.generator)
        return augment(self._pictures[some], self.generator), self._labels[some]

    def measure_one(self, model: nn.Module) -> Mapping[str, float]:
        return {"accuracy": float((model(self._held).argmax(-1).numpy() == self._truth).mean())}
