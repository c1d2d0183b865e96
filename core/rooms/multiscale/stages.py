"""The stages of a multi-scale ViT drawn to scale, and what its windows save."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from core import ui
from core.cache import content_key
from core.charts.cost import growth
from core.inputs import Inputs as Base
from core.inputs import segmented, select
from core.models.multiscale import Merge, MultiScaleConfig, Stage, to_windows
from core.rooms.multiscale.compute import stages as sizes
from core.rooms.multiscale.experiments.scales import OURS
from core.ui.numbers import short
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

SWIN_T = MultiScaleConfig(
    image_size=224, patch_size=4, n_channel=3, d_model=96, n_layer=(2, 2, 6, 2), n_head=(3, 6, 12, 24), window=7,
    n_class=1000,
)  # fmt: skip
TITLES = {"swin": "Swin-T, as published", "ours": "The model of “A race at equal cost”", "own": "Your own sizes"}
TIMES = (1, 2, 4, 8, 16)
N_POINT = 33
MAX_STAGES = 6  # further ones are too small beside the first to be seen
COUNTS = {
    "in windows": lambda config: sizes.count(config).total,
    "no windows": lambda config: sizes.count(sizes.without_windows(config)).total,
    "plain ViT": sizes.plain_count,
}
CODE = (sizes.stages, sizes.count, sizes.without_windows, sizes.by_area, to_windows, Stage.forward, Merge.forward)


def smallest(i: Any) -> MultiScaleConfig:
    """The chosen model, for the smallest picture that can be cut into its windows."""
    config = {"swin": SWIN_T, "ours": OURS}.get(i.model) or MultiScaleConfig(
        image_size=i.patch * 2 ** (i.stages - 1) * i.window, patch_size=i.patch, n_channel=3, d_model=i.width,
        n_layer=(2,) * i.stages, n_head=tuple(2**stage for stage in range(i.stages)), window=i.window, n_class=1000,
    )  # fmt: skip
    return sizes.ladder(config, 1)[0]


def _is_own(i: Any) -> bool:
    return bool(i.model == "own")


def _size_labels(i: Any) -> dict[int, str]:
    side = smallest(i).image_size
    return {times: f"{times * side:,} × {times * side:,}" for times in TIMES}


class Inputs(Base, prefix="stage_"):
    """Which model, for pictures of which size."""

    model: str = segmented("Model", {"swin": "Swin-T", "ours": "Of the race", "own": "Your own"}, "swin")
    patch: int = select("Patch (pixels)", (2, 4, 8), 4, when=_is_own)
    width: int = select("Channels at first", (16, 32, 64, 96, 128), 64, when=_is_own)
    window: int = select("Window (tokens)", (2, 3, 4, 7, 8, 12), 8, when=_is_own)
    stages: int = select("Stages", (3, 4), 4, when=_is_own)
    size: int = select("Picture (pixels)", _size_labels, 1)


def compute(inputs: Inputs) -> sizes.Sizes:
    """Sizes and costs, beside what others would cost."""
    first = smallest(inputs)
    config = replace(first, image_size=inputs.size * first.image_size)
    inside, everywhere = sizes.count(config), sizes.count(sizes.without_windows(config))
    plain, n_plain, crossing = sizes.plain(config), sizes.plain_count(config), sizes.crossing(first)
    return sizes.Sizes(config, sizes.stages(config), inside, everywhere, plain, n_plain, crossing)


def drawn_stages(found: Sequence[sizes.StageSize], *, key: str, label: str, takeaway: str) -> None:
    """Each stage as a stack of channels, and the windows of the chosen one; see `assets/widgets/multiscale/stages.js`.

    Raises:
        ValueError: if there are none or too many.
    """
    if not 1 <= len(found) <= MAX_STAGES:
        raise ValueError(f"{len(found)} stages; a picture shows between 1 and {MAX_STAGES}")
    header = {"widget": "stages", "stages": [asdict(one) for one in found], "label": label, "takeaway": takeaway}
    mount("stages", key, pack(header, {}))


def draw(result: sizes.Sizes, inputs: Inputs) -> None:
    """The stacks, and the costs by the size of the picture."""
    config, side = result.config, result.config.image_size
    drawn_stages(
        result.stages,
        key=f"stages-{content_key(repr(config))[:12]}",
        label=f"{TITLES[inputs.model]}: {side:,} × {side:,} pixels",
        takeaway=ui.words("takeaway"),
    )
    costs = {name: sizes.by_area(count, config) for name, count in COUNTS.items()}
    pixels = side / inputs.size * 2.0 ** np.linspace(-2, np.log2(TIMES[-1]), N_POINT)
    lines = {name: np.polyval(cost, pixels**2).tolist() for name, cost in costs.items()}
    spec = growth(
        pixels.tolist(), lines, y_title="multiply-adds (G: billion)", at=side, at_label=f"{side:,} × {side:,}",
        crossing=result.crossing, crossing_label=f"cross at {result.crossing or 0:,.0f}",
        x_title="side of the picture (pixels)", mode=ui.color_mode(),
    )  # fmt: skip
    inside, everywhere = short(result.inside.total), short(result.everywhere.total)
    chart, text = ui.pair("stages-cost")
    with chart:
        ui.chart(
            spec,
            alt=f"Multiply-adds by picture size. At {side} pixels: {inside} in windows, {everywhere} without.",
            key="stages-chart",
        )
    with text:
        ui.say("costs")
