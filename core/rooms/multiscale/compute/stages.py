"""A multi-scale ViT in numbers: what each stage holds, what it costs, and what others would cost instead.

Multiply-adds are those of matrix products, as everywhere here (`core.inspect.costs.model_cost`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core.inspect.costs import model_cost
from core.inspect.costs.model_cost import Work
from core.models.multiscale import MultiScaleConfig
from core.models.vit import ViTConfig


@dataclass(frozen=True)
class StageSize:
    """One stage."""

    side: int  # tokens in a row, and rows
    width: int  # channels, the width of each token's vector
    window: int  # tokens in a row of a window
    shift: int  # by how many tokens the windows of every second block are shifted; 0: not at all
    n_layer: int  # n_layer, n_head: blocks, and heads in each
    n_head: int
    pixels: int  # height and width of the square of the picture that one token stands for

    @property
    def n_token(self) -> int:
        """Tokens of the stage: N."""
        return self.side**2

    @property
    def n_window(self) -> int:
        """Windows that they are cut into."""
        return (self.side // self.window) ** 2

    @property
    def alone(self) -> int:
        """Multiply-adds on tokens by themselves, N tokens of width D in L blocks: L 12 N D^2."""
        return self.n_layer * 12 * self.n_token * self.width**2

    @property
    def pairs(self) -> int:
        """Multiply-adds on pairs of tokens, which share a window of w x w: L 2 N w^2 D."""
        return self.n_layer * 2 * self.n_token * self.window**2 * self.width


@dataclass(frozen=True)
class Sizes:
    """A multi-scale ViT for pictures of one size, beside what others would cost."""

    config: MultiScaleConfig  # of the model
    stages: tuple[StageSize, ...]  # from fine to coarse
    inside: Work  # inside, everywhere: what it costs in windows, and if everyone attended to everyone
    everywhere: Work
    plain: ViTConfig  # plain, n_plain: the plain ViT beside it, and its multiply-adds
    n_plain: int
    crossing: float | None  # see there

    @property
    def formula(self) -> str:
        """One block of stage 0."""
        first = self.stages[0]
        n, d, w = first.n_token, first.width, first.window
        alone, pairs, all_pairs = (
            f"{x:,}".replace(",", "{,}") for x in (12 * n * d * d, 2 * n * w * w * d, 2 * n * n * d)
        )
        return (
            r"\begin{aligned} &\text{one block of stage 0:} \\ "
            rf"12\,N D^2 &= 12 \cdot {n} \cdot {d}^2 = {alone} \\ "
            rf"2\,N w^2 D &= 2 \cdot {n} \cdot {w}^2 \cdot {d} = {pairs} \\ "
            rf"2\,N^2 D &= 2 \cdot {n}^2 \cdot {d} = {all_pairs} \end{{aligned}}"
        )

    def table(self) -> dict[str, list[int]]:
        """The stages in numbers; the last column is what attention of everyone to everyone would cost instead."""
        found, everyone = self.stages, stages(without_windows(self.config))
        return {
            "stage": list(range(len(found))),
            "tokens": [stage.n_token for stage in found],
            "channels": [stage.width for stage in found],
            "windows": [stage.n_window for stage in found],
            "tokens of a window": [stage.window**2 for stage in found],
            "multiply-adds on each token": [stage.alone for stage in found],
            "on pairs in windows": [stage.pairs for stage in found],
            "on all pairs": [stage.pairs for stage in everyone],
        }


def stages(config: MultiScaleConfig) -> tuple[StageSize, ...]:
    """The stages, from fine to coarse."""
    return tuple(
        StageSize(
            config.side(s), config.width(s), config.window_of(s), config.shift_of(s, 1), config.n_layer[s],
            config.n_head[s], config.patch_size * 2**s,
        )
        for s in range(len(config.n_layer))
    )  # fmt: skip


def count(config: MultiScaleConfig) -> Work:
    """Multiply-adds of one pass over one picture, for blocks with a plain feed-forward of 4 D."""
    found = stages(config)
    pixels = config.n_channel * config.patch_size**2
    return Work(
        {
            "patch embedding": found[0].n_token * pixels * config.d_model,
            "each token on its own": sum(one.alone for one in found),
            "pairs of tokens": sum(one.pairs for one in found),
            "merging": sum(one.n_token * 2 * one.width * one.width for one in found[1:]),  # 4 C = 2 D numbers to D
            "output layer": found[-1].width * config.n_class,
        }
    )


def without_windows(config: MultiScaleConfig) -> MultiScaleConfig:
    """The same stages, but in each everyone attends to everyone."""
    return replace(config, window=config.side(0))


def plain(config: MultiScaleConfig) -> ViTConfig:
    """A plain ViT to compare with: as many blocks, patches four times as wide, and the width of the third stage.

    For Swin-T this is ViT-S/16, to which its authors compare it (under the name DeiT-S).
    """
    return ViTConfig(
        image_size=config.image_size, patch_size=4 * config.patch_size, n_channel=config.n_channel,
        n_layer=sum(config.n_layer), n_head=1, d_model=4 * config.d_model, n_class=config.n_class,
    )  # fmt: skip


def plain_count(config: MultiScaleConfig) -> int:
    """Multiply-adds of `plain`."""
    return model_cost.forward(plain(config), 0).total


def ladder(config: MultiScaleConfig, n: int = 5) -> tuple[MultiScaleConfig, ...]:
    """The same model for larger pictures, each twice as wide and high as the one before, from the smallest whose
    stages can all be cut into windows."""
    smallest = config.patch_size * 2 ** (len(config.n_layer) - 1) * config.window
    return tuple(replace(config, image_size=smallest * 2**k) for k in range(n))


def by_area(counted: Callable[[MultiScaleConfig], int], config: MultiScaleConfig) -> NDArray[np.float64]:
    """A count as a polynomial of the picture's area: (3,) factors of area^2, area and 1.

    In windows the first is 0, without them it is N^2. Between sizes that can be cut into windows it is what the formula
    says; a real model fills the last windows up with nothing.
    """
    some = ladder(config, 3)
    areas = np.array([float(one.image_size) ** 2 for one in some])
    found = np.polyfit(areas / areas[-1], [float(counted(one)) for one in some], 2) / areas[-1] ** np.array([2, 1, 0])
    return np.where(np.abs(found) * areas[-1] ** np.array([2, 1, 0]) < 1e-9 * counted(some[-1]), 0.0, found)


def crossing(config: MultiScaleConfig) -> float | None:
    """The image size, in pixels, above which the multi-scale model is cheaper than `plain`; None: at every size."""
    saved = by_area(plain_count, config) - by_area(lambda one: count(one).total, config)
    roots = np.roots(saved)
    areas = [float(root.real) for root in roots if abs(root.imag) < 1e-9 * abs(root) and root.real > 0]
    return math.sqrt(max(areas)) if areas else None
