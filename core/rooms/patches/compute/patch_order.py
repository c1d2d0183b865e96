"""The patches of a picture in another order: does a ViT's answer change?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.images import Digits
from core.inspect.trace import to_numpy
from core.models.vit import ViT
from core.rooms.patches.compute.patch_embedding import shuffled


@dataclass(frozen=True)
class Reordered:
    """One picture through one ViT twice: as it is, and with its patches in another order.

    Args:
        before, after: (N,) logits of the classes.
    """

    before: NDArray[np.float32]
    after: NDArray[np.float32]

    @property
    def change(self) -> float:
        """Largest difference of the two."""
        return float(np.abs(self.after - self.before).max())

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
    """Of some digits: how many, and how many of them are read rightly as they are, and shuffled."""

    n: int
    before: int
    after: int


def score(model: ViT, digits: Digits, order: Sequence[int]) -> Score:
    """Let the model read digits in both orders."""
    return Score(len(digits), n_right(model, digits), n_right(model, digits, order))


def table(both: Mapping[str, Reordered], scores: Mapping[str, Score] | None = None) -> dict[str, list[Any]]:
    """Models by name: how far their logits move on one picture, and how many others they read rightly."""
    found: dict[str, list[Any]] = {
        "model": list(both), "largest change of a logit": [one.change for one in both.values()]
    }  # fmt: skip
    if not scores:
        return found
    return found | {
        "held-out digits": [scores[name].n for name in both],
        "read right": [scores[name].before for name in both],
        "read right, shuffled": [scores[name].after for name in both],
    }


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
