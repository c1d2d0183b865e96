"""A picture on its way into a ViT, step by step: patches, projection, class token, positions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Shaped
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.inspect.attention_record import to_numpy
from core.models.images.vit import ViT, ViTConfig, split_patches
from core.nn.tap import Trace

LABELS = module_labels(__name__)

Array = NDArray[np.float32]


@dataclass(frozen=True)
class PatchEmbedding:
    """One picture on its way into a ViT. P patches of K numbers, width D."""

    config: ViTConfig  # of the ViT
    patches: Array  # (P, K) the patches as the model cuts them
    projected: Array  # (P, D) each row after the linear layer
    with_class: Array  # (1 + P, D) with the class token in front
    positions: Array  # (1 + P, D) the learned position embeddings
    embedded: Array  # (1 + P, D) the input of the first block
    convolution: float  # largest difference between `projected` and a convolution with the same weights

    @property
    def formula(self) -> str:
        """The number of tokens, and of numbers in a patch."""
        p, n_channel = self.config.patch_size, self.config.n_channel
        return (
            rf"T = 1 + \left(\frac{{{self.config.image_size}}}{{{p}}}\right)^2 = {1 + self.config.n_patch} \qquad "
            rf"K = {p} \cdot {p} \cdot {n_channel} = {p * p * n_channel}"
        )

    def table(self) -> Table:
        """Return the tokens as the first block reads them, one per row."""
        names = [LABELS["table.class_token"], *map(str, range(len(self.patches)))]
        return {LABELS["table.token"]: names} | {
            LABELS("table.number", i=i): column.tolist() for i, column in enumerate(self.embedded.T)
        }


def embed_patches(model: ViT, picture: Float[Tensor, "C Y X"]) -> PatchEmbedding:
    """Run one picture through the model and record everything before the first block.

    Raises:
        ValueError: if the picture is not of the model's size.
    """
    with torch.no_grad(), Trace(model, keep=("patches", "embed")) as trace:
        model(picture[None])
    rows = trace["patches"][0]  # (P, K)
    with torch.no_grad():
        projected = model.patch_emb(rows)
        difference = (projected - project_by_convolution(model, picture)).abs().max()
        with_class = torch.cat([model.class_emb.weight, projected])
    return PatchEmbedding(
        config=model.config,
        patches=to_numpy(rows),
        projected=to_numpy(projected),
        with_class=to_numpy(with_class),
        positions=to_numpy(model.pos_emb.weight),
        embedded=to_numpy(trace["embed"][0]),
        convolution=float(difference),
    )


def project_by_convolution(model: ViT, picture: Float[Tensor, "C Y X"]) -> Float[Tensor, "P D"]:
    """Project all patches as published code does: by a convolution whose stride is the patch size.

    Its kernels are the rows of the linear layer's matrix, reshaped.
    """
    p, layer = model.config.patch_size, model.patch_emb
    kernels = layer.weight.unflatten(1, (-1, p, p))  # (D, C, p, p)
    return nn.functional.conv2d(picture[None], kernels, layer.bias, stride=p)[0].flatten(1).mT


def join_patches(rows: Shaped[Tensor, "B P K"], patch_size: int) -> Shaped[Tensor, "B C Y X"]:
    """Join patches to pictures: the inverse of `core.models.images.vit.split_patches` for square pictures."""
    p, n = patch_size, round(rows.shape[1] ** 0.5)
    x = rows.unflatten(2, (-1, p, p)).unflatten(1, (n, n))  # (B, row, column, C, p, p)
    return x.permute(0, 3, 1, 4, 2, 5).flatten(4).flatten(2, 3)


def shuffle_patches(
    images: Shaped[Tensor, "B C Y X"], order: Sequence[int], patch_size: int
) -> Shaped[Tensor, "B C Y X"]:
    """Reorder the patches of pictures: position t gets the patch from position order[t].

    Raises:
        ValueError: if `order` is not a permutation of the positions.
    """
    rows = split_patches(images, patch_size)
    if sorted(order) != list(range(rows.shape[1])):
        raise ValueError(f"the order {list(order)} does not name each of the positions 0..{rows.shape[1] - 1} once")
    return join_patches(rows[:, list(order)], patch_size)


def swap_patches(n_patch: int, n_pair: int, seed: int) -> tuple[int, ...]:
    """Return an order in which some random pairs of patches are swapped.

    With the same seed, more pairs contain all pairs of a smaller number.

    Raises:
        ValueError: if there are fewer pairs than n_pair.
    """
    if not 0 <= n_pair <= n_patch // 2:
        raise ValueError(f"{n_pair} pairs of {n_patch} patches: from 0 to {n_patch // 2} are possible")
    drawn = np.random.default_rng(seed).permutation(n_patch)
    order = np.arange(n_patch)
    first, second = drawn[0 : 2 * n_pair : 2], drawn[1 : 2 * n_pair : 2]
    order[first], order[second] = second, first
    return tuple(int(i) for i in order)
