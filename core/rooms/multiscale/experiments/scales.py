"""A multi-scale ViT learns handwritten digits beside two plain ones that cost as many multiply-adds.

The digits are brought from 8 x 8 to 16 x 16 pixels, so that there are scales to go through. Of the plain ViTs one has
the same small patches, and so has to be narrow; the other has patches of twice the width, and so may be wide.
"""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data import images
from core.exhibit import Inputs, steps
from core.models.multiscale import MultiScaleConfig
from core.models.vit import ViTConfig
from core.train.experiment import Record, by_step
from core.train.experiments.augment import augment
from core.train.experiments.base import Experiment
from core.train.experiments.trainers import muon_trainer

SIZE = 16  # pixels a side, of pictures that have 8
BATCH = 64
N_LOOK = 25
OURS = MultiScaleConfig(image_size=SIZE, patch_size=2, d_model=16, n_layer=(2, 2, 1), n_head=(2, 2, 4))
CONFIGS: dict[str, MultiScaleConfig | ViTConfig] = {
    "scales": OURS,
    "fine": ViTConfig(image_size=SIZE, patch_size=2, d_model=21, n_layer=2, n_head=3),
    "coarse": ViTConfig(image_size=SIZE, patch_size=4, d_model=50, n_layer=2, n_head=2),
}
TITLES: Mapping[str, str] = MappingProxyType(
    {"scales": "multi-scale", "fine": "plain ViT, small patches", "coarse": "plain ViT, large patches"}
)
RATES = {"scales": 1.0, "fine": 1.0, "coarse": 0.5}  # for each the better of 0.5 and 1, by measuring


class Options(Inputs):
    """The training steps of each model."""

    n_step: int = steps(250, most=1_000)  # about 80 seconds on one core


def upsampled(shades: NDArray[np.float32], size: int = SIZE) -> Float[Tensor, "B C Y X"]:
    """Digits at a larger size, bilinearly: nothing is added that was not in the 8 x 8 pixels."""
    return nn.functional.interpolate(torch.from_numpy(shades), size=(size, size), mode="bilinear", align_corners=False)


def table(record: Record) -> dict[str, list[float]]:
    """Accuracy and processor seconds of each model, evaluation by evaluation."""
    accuracy = {f"accuracy, {title}": f"curve.{name}.accuracy" for name, title in TITLES.items()}
    return by_step(record, accuracy | {f"seconds, {title}": f"seconds.{name}" for name, title in TITLES.items()})


class Scales(Experiment):
    """Three models in a race over the same batches; curve.<model>.accuracy is on the 360 held-out digits."""

    title = "Many scales"
    n_look = N_LOOK
    keeps_seconds = True

    def begin(self) -> None:
        learn, held = images.to_learn(), images.held_out()
        self._pictures, self._labels = upsampled(learn.shades), torch.from_numpy(learn.labels)
        self._held, self._truth = upsampled(held.shades), held.labels
        self.trainers = {n: muon_trainer(one, self.seed, self.n_step, rate=RATES[n]) for n, one in CONFIGS.items()}

    def batch(self) -> tuple[Tensor, Tensor]:
        some = torch.randint(len(self._labels), (BATCH,), generator=self.generator)
        return augment(self._pictures[some], self.generator), self._labels[some]

    def measure_one(self, model: nn.Module) -> Mapping[str, float]:
        return {"accuracy": float((model(self._held).argmax(-1).numpy() == self._truth).mean())}
