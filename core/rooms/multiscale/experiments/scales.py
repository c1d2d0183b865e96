"""A multi-scale ViT learns handwritten digits beside two plain ones that cost as many multiply-adds.

The digits are brought from 8 x 8 to 16 x 16 pixels, so that there are scales to go through. Of the plain ViTs one has
the same small patches, and so has to be narrow; the other has patches of twice the width, and so may be wide.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data import images
from core.models.multiscale import MultiScaleConfig
from core.models.vit import ViTConfig
from core.train.experiment import Record
from core.train.experiments.augment import augment
from core.train.experiments.bounded import Bounded
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


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_step: training steps of each model.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 1_000}  # about 80 seconds on one core
    n_step: int = 250


def upsampled(shades: NDArray[np.float32], size: int = SIZE) -> Float[Tensor, "B C Y X"]:
    """Digits at a larger size, bilinearly: nothing is added that was not in the 8 x 8 pixels."""
    return nn.functional.interpolate(torch.from_numpy(shades), size=(size, size), mode="bilinear", align_corners=False)


def table(record: Record) -> dict[str, list[Any]]:
    """Accuracy and processor seconds of each model, look by look."""
    return (
        {"step": record["step"].tolist()}
        | {f"accuracy, {title}": record[f"curve.{name}.accuracy"].tolist() for name, title in TITLES.items()}
        | {f"seconds, {title}": record[f"seconds.{name}"].tolist() for name, title in TITLES.items()}
    )


class Scales:
    """Three models in a race over the same batches.

    Args:
        options: see there.
        seed: of all weights and batches.
    """

    title: ClassVar[str] = "Many scales"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        learn, held = images.to_learn(), images.held_out()
        self._pictures, self._labels = upsampled(learn.shades), torch.from_numpy(learn.labels)
        self._held, self._truth = upsampled(held.shades), held.labels
        self._trainers = {n: muon_trainer(one, seed, self.n_step, rate=RATES[n]) for n, one in CONFIGS.items()}
        self._generator = torch.Generator().manual_seed(seed)
        self._spent = dict.fromkeys(CONFIGS, 0.0)
        self._curves: dict[str, list[float]] = {"step": []}
        self._look()

    def advance(self) -> None:
        some = torch.randint(len(self._labels), (BATCH,), generator=self._generator)
        batch, labels = augment(self._pictures[some], self._generator), self._labels[some]
        for name, trainer in self._trainers.items():
            started = time.thread_time()
            trainer.learn(nn.functional.cross_entropy(trainer.model(batch), labels))
            self._spent[name] += time.thread_time() - started
        self.step += 1
        if self.step % max(1, self.n_step // N_LOOK) == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """What there is to see, by name.

        step (S,); curve.<model>.accuracy (S,): on the 360 held-out digits; seconds.<model> (S,): of processor time in
        training steps.
        """
        found: dict[str, NDArray[Any]] = {name: np.array(values) for name, values in self._curves.items()}
        for name, trainer in self._trainers.items():
            found |= trainer.weights(name)
        return found

    @torch.no_grad()
    def _look(self) -> None:
        """The share of held-out digits that each model tells, and the seconds it has learned for."""
        self._curves["step"].append(self.step)
        for name, trainer in self._trainers.items():
            said = trainer.model(self._held).argmax(-1).numpy()
            accuracy = float((said == self._truth).mean())
            self._curves.setdefault(f"curve.{name}.accuracy", []).append(accuracy)
            self._curves.setdefault(f"seconds.{name}", []).append(self._spent[name])
