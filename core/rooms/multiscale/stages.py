"""The stages of a multi-scale ViT drawn to scale, and the work that its windows save."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, content_key, segmented_control, select
from core.inspect.costs import model_cost
from core.inspect.costs.model_cost import MultiplyAdds
from core.models.images.multiscale_vit import MultiScaleStage, MultiScaleViTConfig, PatchMerging, split_windows
from core.models.images.vit import ViTConfig
from core.rooms.multiscale.experiments.scales import DIGITS_CONFIG

LABELS = module_labels(__name__)


class StageSize(NamedTuple):
    """The sizes of one stage."""

    side: int  # tokens per row, and rows
    width: int  # channels, the width of each token's vector
    window: int  # tokens per row of a window
    shift: int  # tokens by which the windows of every second block are shifted; 0: none
    n_layer: int  # n_layer, n_head: blocks, and heads per block
    n_head: int
    pixels: int  # side in pixels of the square that one token represents

    @property
    def n_token(self) -> int:
        """The number of tokens of the stage, N."""
        return self.side**2

    @property
    def n_window(self) -> int:
        """The number of windows."""
        return (self.side // self.window) ** 2

    @property
    def alone(self) -> int:
        """The multiply-adds on single tokens, for N tokens of width D in L blocks: L 12 N D^2."""
        return self.n_layer * 12 * self.n_token * self.width**2

    @property
    def pairs(self) -> int:
        """The multiply-adds on pairs of tokens that share a window of w x w: L 2 N w^2 D."""
        return self.n_layer * 2 * self.n_token * self.window**2 * self.width


class StageCosts(Result):
    """A multi-scale ViT for pictures of one size, and the costs of alternatives."""

    config: MultiScaleViTConfig  # of the model
    stages: tuple[StageSize, ...]  # from fine to coarse
    inside: MultiplyAdds  # inside, everywhere: its cost with windows, and if every token attended to every token
    everywhere: MultiplyAdds
    plain: ViTConfig  # plain, n_plain: the plain ViT to compare with, and its multiply-adds
    n_plain: int
    crossing: float | None  # the result of `crossing_size`
    formula: str  # one block of stage 0

    def table(self) -> dict[str, list[int]]:
        """Return one row per stage; the last column is the cost if every token attended to every token."""
        found, everyone = self.stages, stage_sizes(remove_windows(self.config))
        return {
            LABELS["column.stage"]: list(range(len(found))),
            LABELS["column.tokens"]: [stage.n_token for stage in found],
            LABELS["column.channels"]: [stage.width for stage in found],
            LABELS["column.windows"]: [stage.n_window for stage in found],
            LABELS["column.window"]: [stage.window**2 for stage in found],
            LABELS["column.alone"]: [stage.alone for stage in found],
            LABELS["column.pairs"]: [stage.pairs for stage in found],
            LABELS["column.all_pairs"]: [stage.pairs for stage in everyone],
        }


def stage_sizes(config: MultiScaleViTConfig) -> tuple[StageSize, ...]:
    """Return the stages, from fine to coarse."""
    return tuple(
        StageSize(
            config.side(s), config.width(s), config.window_of(s), config.shift_of(s, 1), config.n_layer[s],
            config.n_head[s], config.patch_size * 2**s,
        )
        for s in range(len(config.n_layer))
    )  # fmt: skip


def count_work(config: MultiScaleViTConfig) -> MultiplyAdds:
    """Count the multiply-adds of one forward pass over one picture, with feed-forward layers of width 4 D."""
    found = stage_sizes(config)
    pixels = config.n_channel * config.patch_size**2
    return MultiplyAdds(
        {
            "patch embedding": found[0].n_token * pixels * config.d_model,
            "each token on its own": sum(one.alone for one in found),
            "pairs of tokens": sum(one.pairs for one in found),
            "merging": sum(one.n_token * 2 * one.width * one.width for one in found[1:]),  # 4 C = 2 D numbers to D
            "output layer": found[-1].width * config.n_class,
        }
    )


def remove_windows(config: MultiScaleViTConfig) -> MultiScaleViTConfig:
    """Return the same stages with full attention in each."""
    return replace(config, window=config.side(0))


def plain_vit(config: MultiScaleViTConfig) -> ViTConfig:
    """Return a plain ViT to compare with: as many blocks, patches four times as wide, the width of the third stage.

    For Swin-T this is ViT-S/16, with which its authors compare it (under the name DeiT-S).
    """
    return ViTConfig(
        image_size=config.image_size, patch_size=4 * config.patch_size, n_channel=config.n_channel,
        n_layer=sum(config.n_layer), n_head=1, d_model=4 * config.d_model, n_class=config.n_class,
    )  # fmt: skip


def count_plain_vit(config: MultiScaleViTConfig) -> int:
    """Count the multiply-adds of `plain_vit`."""
    return model_cost.forward_cost(plain_vit(config), 0).total


def growing_sizes(config: MultiScaleViTConfig, n: int = 5) -> tuple[MultiScaleViTConfig, ...]:
    """Return the same model for larger and larger pictures: the smallest whose stages can all be cut into windows, and
    then each twice as wide and high as the one before."""
    smallest = config.patch_size * 2 ** (len(config.n_layer) - 1) * config.window
    return tuple(replace(config, image_size=smallest * 2**k) for k in range(n))


def fit_by_area(counted: Callable[[MultiScaleViTConfig], int], config: MultiScaleViTConfig) -> NDArray[np.float64]:
    """Express a count as a polynomial of the picture's area: (3,) coefficients of area^2, area and 1.

    With windows the first is 0, without them it comes from N^2. Between sizes that can be cut into windows, the
    polynomial interpolates; a real model would pad the last windows.
    """
    some = growing_sizes(config, 3)
    areas = np.array([float(one.image_size) ** 2 for one in some])
    found = np.polyfit(areas / areas[-1], [float(counted(one)) for one in some], 2) / areas[-1] ** np.array([2, 1, 0])
    return np.where(np.abs(found) * areas[-1] ** np.array([2, 1, 0]) < 1e-9 * counted(some[-1]), 0.0, found)


def crossing_size(config: MultiScaleViTConfig) -> float | None:
    """Return the image size in pixels above which the multi-scale model is cheaper than `plain_vit`; None: always."""
    saved = fit_by_area(count_plain_vit, config) - fit_by_area(lambda one: count_work(one).total, config)
    roots = np.roots(saved)
    areas = [float(root.real) for root in roots if abs(root.imag) < 1e-9 * abs(root) and root.real > 0]
    return math.sqrt(max(areas)) if areas else None


SWIN_T = MultiScaleViTConfig(
    image_size=224, patch_size=4, n_channel=3, d_model=96, n_layer=(2, 2, 6, 2), n_head=(3, 6, 12, 24), window=7,
    n_class=1000,
)  # fmt: skip
MODEL_TITLES = LABELS.options("title", "swin", "ours", "own")
SIZE_FACTORS = (1, 2, 4, 8, 16)
N_POINT = 33
MAX_STAGES = 6
COST_FUNCTIONS = {
    "windows": lambda config: count_work(config).total,
    "everywhere": lambda config: count_work(remove_windows(config)).total,
    "plain": count_plain_vit,
}
CODE = (
    stage_sizes,
    count_work,
    remove_windows,
    fit_by_area,
    split_windows,
    MultiScaleStage.forward,
    PatchMerging.forward,
)


def _smallest_config(i: "Inputs") -> MultiScaleViTConfig:
    """Return the chosen model for the smallest picture that can be cut into its windows."""
    config = {"swin": SWIN_T, "ours": DIGITS_CONFIG}.get(i.model) or MultiScaleViTConfig(
        image_size=i.patch * 2 ** (i.stages - 1) * i.window, patch_size=i.patch, n_channel=3, d_model=i.width,
        n_layer=(2,) * i.stages, n_head=tuple(2**stage for stage in range(i.stages)), window=i.window, n_class=1000,
    )  # fmt: skip
    return growing_sizes(config, 1)[0]


def _is_own(i: "Inputs") -> bool:
    return bool(i.model == "own")


def _size_labels(i: "Inputs") -> dict[int, str]:
    side = _smallest_config(i).image_size
    return {times: LABELS("sides", side=times * side) for times in SIZE_FACTORS}


class Inputs(Base, prefix="stage_"):
    model: str = segmented_control(("swin", "ours", "own"), "swin")
    patch: int = select((2, 4, 8), 4, when=_is_own)
    width: int = select((16, 32, 64, 96, 128), 64, when=_is_own)
    window: int = select((2, 3, 4, 7, 8, 12), 8, when=_is_own)
    stages: int = select((3, 4), 4, when=_is_own)
    size: int = select(_size_labels, 1)


def compute(inputs: Inputs) -> StageCosts:
    """Compute sizes and costs, and the costs of alternatives."""
    first = _smallest_config(inputs)
    config = replace(first, image_size=inputs.size * first.image_size)
    return StageCosts(
        config=config,
        stages=stage_sizes(config),
        inside=count_work(config),
        everywhere=count_work(remove_windows(config)),
        plain=plain_vit(config),
        n_plain=count_plain_vit(config),
        crossing=crossing_size(first),
        formula=_block_formula(stage_sizes(config)[0]),
    )


def _block_formula(stage: StageSize) -> str:
    """Return the formula of the multiply-adds of one block, in numbers."""
    n, d, w, name = stage.n_token, stage.width, stage.window, LABELS["formula.one_block"]
    alone, pairs, all_pairs = (f"{x:,}".replace(",", "{,}") for x in (12 * n * d * d, 2 * n * w * w * d, 2 * n * n * d))
    return (
        rf"\begin{{aligned}} &\text{{{name}}} \\ "
        rf"12\,N D^2 &= 12 \cdot {n} \cdot {d}^2 = {alone} \\ "
        rf"2\,N w^2 D &= 2 \cdot {n} \cdot {w}^2 \cdot {d} = {pairs} \\ "
        rf"2\,N^2 D &= 2 \cdot {n}^2 \cdot {d} = {all_pairs} \end{{aligned}}"
    )


def draw_stages(found: Sequence[StageSize], *, key: str, label: str, takeaway: str) -> None:
    """Draw each stage as a stack of channels, and the windows of the chosen one.

    Raises:
        ValueError: if there are no stages, or so many that the last ones would be too small next to the first.
    """
    if not 1 <= len(found) <= MAX_STAGES:
        raise ValueError(f"{len(found)} stages; a picture shows between 1 and {MAX_STAGES}")
    ui.mount_widget("stages", stages=[one._asdict() for one in found], label=label, takeaway=takeaway, key=key)


def draw(result: StageCosts, inputs: Inputs) -> None:
    """Draw the stages to scale, and their costs by the size of the picture."""
    config, side = result.config, result.config.image_size
    draw_stages(
        result.stages,
        key=f"stages-{content_key(repr(config))[:12]}",
        label=LABELS("picture", title=MODEL_TITLES[inputs.model], side=side),
        takeaway=ui.section_text("takeaway"),
    )
    if not ui.depth_at_least("numbers"):
        return
    pixels = side / inputs.size * 2.0 ** np.linspace(-2, np.log2(SIZE_FACTORS[-1]), N_POINT)
    marks = {LABELS("sides", side=side): float(side)}
    if result.crossing is not None and pixels[0] <= result.crossing <= pixels[-1]:
        marks[LABELS("crossing", side=result.crossing)] = result.crossing
    names = LABELS.options("cost", *COST_FUNCTIONS)
    ui.curves(
        {
            names[key]: (pixels, np.polyval(fit_by_area(counted, config), pixels**2))
            for key, counted in COST_FUNCTIONS.items()
        },
        x=ui.Axis(LABELS["side_axis"], (pixels[0], pixels[-1]), is_log=True),
        y=ui.Axis(LABELS["cost_axis"], is_log=True, format="~s"),
        at=marks,
        height=330,
    )
