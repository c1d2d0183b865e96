"""The patches of a picture in another order: does a ViT's answer change?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.data.images import Digits, held_out
from core.inspect.trace import to_numpy
from core.models.vit import ViT
from core.rooms.patches.compute.patch_embedding import shuffled
from core.train.experiments.digit_reader import Reader


@dataclass(frozen=True)
class Reordered:
    """One picture through one ViT twice: as it is, and with its patches in another order."""

    before: NDArray[np.float32]  # before, after: (N,) logits of the classes
    after: NDArray[np.float32]

    @property
    def change(self) -> float:
        """Largest difference of the two."""
        return float(np.abs(self.after - self.before).max())

    @property
    def said(self) -> tuple[int, int]:
        """The digit that it takes each for."""
        return int(self.before.argmax()), int(self.after.argmax())

    @property
    def probabilities(self) -> NDArray[np.float32]:
        """(2, N) the softmax of both."""
        both: NDArray[np.float32] = torch.from_numpy(np.stack([self.before, self.after])).softmax(-1).numpy()
        return both


@torch.no_grad()
def reorder(model: ViT, picture: NDArray[np.float32], order: Sequence[int]) -> Reordered:
    """Ask the model about one picture in both orders.

    Args:
        picture: (1, C, Y, X).
        order: (P,) place t gets the patch from place order[t].

    Raises:
        ValueError: if `order` is no permutation of the patches.
    """
    image = torch.from_numpy(picture)
    before, after = model(torch.cat([image, shuffled(image, order, model.config.patch_size)]))
    return Reordered(to_numpy(before), to_numpy(after))


@dataclass(frozen=True)
class Score:
    """How many digits are read rightly as they are, and shuffled."""

    before: int
    after: int


@torch.no_grad()
def n_right(model: ViT, digits: Digits, order: Sequence[int] | None = None) -> int:
    """How many of these digits the model reads rightly, as they are or all with their patches in the same other order.

    Raises:
        ValueError: if `order` is no permutation of the patches.
    """
    images = torch.from_numpy(digits.shades)
    if order is not None:
        images = shuffled(images, order, model.config.patch_size)
    return int((model(images).argmax(-1).numpy() == digits.labels).sum())


@memoize(64)
def held_out_right(reader: Reader, variant: str, order: tuple[int, ...] | None) -> int:
    """How many held-out digits the trained ViT or its twin reads rightly."""
    return n_right(reader.model(variant), held_out(), order)
