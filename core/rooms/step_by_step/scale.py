"""Why attention divides by the square root of the keys' width."""

import math
from itertools import pairwise

import numpy as np

from core import ui
from core.charts import marks
from core.charts.plot import columns_from_rows, style_channel_by_name
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, seed, slider
from core.nn.attention import attention_scores, masked_softmax
from core.rooms.step_by_step.compute import score_scaling
from core.rooms.step_by_step.compute.score_scaling import N_KEY, N_QUERY, Array, WidthRecord

LABELS = module_labels(__name__)

WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)
WARM_UP = True
CODE = (
    score_scaling.measure_width,
    score_scaling.jacobian_size,
    score_scaling.query_gradients,
    attention_scores,
    masked_softmax,
)
NAMES = (LABELS["without_root"], LABELS["with_root"])
LOOKS = {NAMES[0]: (1, 1), NAMES[1]: (0, 0)}  # color and dash
HEIGHT = 260
TICKS = (4, 8, 16, 32, 64, 128, 256, 512)
EDGES = [10 ** (power / 2) for power in range(-8, 5)]  # bin edges of gradient lengths: 0.0001 to 100
SIZE = "abs(datum.value)"  # bars that hang down have positive values, too


class Inputs(Base, prefix="scale_"):
    d_k: int = slider(4, 512, 64, step=4, name="scale_width")
    query: int = slider(0, N_QUERY - 1, 0)
    seed: int = seed()


class WidthEffects(Result):
    """Effects of the width on the softmax; pairs are (without the root, with the root)."""

    curve: tuple[WidthRecord, ...]  # at every width of `WIDTHS`
    here: WidthRecord  # at the selected one
    weights: tuple[Array, Array]  # (64,) one query's weight on each key
    gradients: tuple[Array, Array]  # (256,) the length of the gradient at each query
    n_query: int = N_QUERY
    n_key: int = N_KEY

    @property
    def formula(self) -> str:
        d_k, (before, after) = self.here.d_k, self.here.variance
        root = rf"d_k = {d_k}:\quad \sqrt{{{d_k}}} = {math.sqrt(d_k):.2f}"
        return rf"{root},\quad \frac{{{before:.2f}}}{{{d_k}}} = {after:.2f}"

    def table(self) -> dict[str, list[float]]:
        """Return one row per width in rising order, to four decimals."""
        records = sorted({one.d_k: one for one in (*self.curve, self.here)}.values(), key=lambda one: one.d_k)
        columns: dict[str, list[float]] = {"d_k": [one.d_k for one in records]}
        for name, quantity in LABELS.options("column").items():
            for side, how in enumerate((LABELS["how.without"], LABELS["how.with"])):
                columns[f"{quantity}, {how}"] = [round(getattr(one, name)[side], 4) for one in records]
        return columns


def compute(inputs: Inputs) -> WidthEffects:
    """Draw wider and wider queries and keys, and measure each softmax without the root and with it."""
    d_k, seed = inputs.d_k, inputs.seed
    return WidthEffects(
        curve=tuple(score_scaling.measure_width(width, seed) for width in WIDTHS),
        here=score_scaling.measure_width(d_k, seed),
        weights=score_scaling.one_query_weights(d_k, seed, inputs.query),
        gradients=score_scaling.query_gradients(d_k, seed),
    )


def draw(result: WidthEffects, inputs: Inputs) -> None:
    """Draw curves over the width, and the weights of one query at the selected width."""
    left, right = ui.two_columns("scale-upper")
    with left:
        _curve(result, "variance", LABELS["title.variance"], LABELS["heading.variance"], is_log=True)
    with right:
        ui.show_markdown(ui.section_text("weights"))
        _weights(result)
    if not ui.depth_at_least("numbers"):
        return
    left, right = ui.two_columns("scale-lower")
    with left:
        even = (math.log(N_KEY), LABELS("all_alike", log=math.log(N_KEY)))
        _curve(result, "entropy", LABELS["title.entropy"], LABELS["heading.entropy"], limit=even)
    with right:
        _curve(result, "jacobian", LABELS["title.jacobian"], LABELS["heading.jacobian"])
    left, right = ui.two_columns("scale-gradients")
    with left:
        _curve(result, "gradient_median", LABELS["title.gradient_median"], LABELS["heading.gradient_median"])
    with right:
        ui.show_markdown(ui.section_text("lengths"))
        _lengths(result)


def _curve(
    result: WidthEffects,
    name: str,
    title: str,
    heading: str,
    is_log: bool = False,
    limit: tuple[float, str] | None = None,
) -> None:
    without, with_root = zip(*(getattr(one, name) for one in result.curve), strict=True)
    width, here = result.here.d_k, getattr(result.here, name)
    ui.show_markdown(heading)
    ui.curves(
        dict(zip(NAMES, ((WIDTHS, without), (WIDTHS, with_root)), strict=True)),
        x=ui.Axis(LABELS["width_axis"], (min(WIDTHS), max(WIDTHS)), ticks=TICKS, format="d", is_log=True),
        y=ui.Axis(title, is_log=is_log) if limit is None else ui.Axis(title, (0, round(limit[0] * 1.2, 2))),
        references={} if limit is None else {limit[1]: limit[0]},
        at=width,
        looks=LOOKS,
        height=HEIGHT,
        alt=LABELS("curve_alt", title=title, width=width, here=here[0], here_2=here[1]),
    )


def _weights(result: WidthEffects) -> None:
    """Draw one query's weights on each key, upward without the root and downward with it."""
    rows = [
        (key, float(weight), sign * float(weight), name)
        for name, sign, weights in zip(NAMES, (1, -1), result.weights, strict=True)
        for key, weight in enumerate(weights)
    ]
    names = columns_from_rows([(sign, name) for name, sign in zip(NAMES, (1, -1), strict=True)], "at", "how")
    tip = [("how", LABELS["softmax"], ""), ("key", LABELS["key"], ""), ("weight", LABELS["weight"], ".4f")]
    ui.plot(
        [
            marks.bar_layer(
                columns_from_rows(rows, "key", "weight", "end", "how"),
                "key",
                "end",
                "how",
                cornerRadiusEnd=1,
                tip=tip,
            ),
            marks.text_layer(names, "how", "width", "at", align="right", dy={"expr": "datum.at > 0 ? 8 : -8"}),
        ],
        x=ui.Axis(LABELS["key"], labels=[str(key) if key % 8 == 0 else "" for key in range(N_KEY)]),
        y=ui.Axis(LABELS["weight"], (-1, 1), ticks=(-1, -0.5, 0, 0.5, 1), label=f"format({SIZE}, '.1f')"),
        names=LOOKS,
        legend=None,
        height=HEIGHT,
        alt=ui.section_text("largest"),
    )


def _lengths(result: WidthEffects) -> None:
    """Draw a histogram of gradient lengths in half decades, upward without the root and downward with it.

    Lengths below the lowest bin are counted in it. A line marks each side's mean, a dashed line its median.
    """
    bins, lines = [], []
    for name, sign, values in zip(NAMES, (1, -1), result.gradients, strict=True):
        inside = np.clip(values, EDGES[0], EDGES[-1] * (1 - 1e-9))
        for low, high in pairwise(EDGES):
            count = int(((low <= inside) & (inside < high)).sum())
            bins.append((low, high, 0, sign * count, count, name))
        for what, value in (("mean", float(np.mean(values))), ("median", float(np.median(values)))):
            lines.append((min(max(value, EDGES[0]), EDGES[-1]), 0, sign, what, value, name))
    most = max(1, *(row[4] for row in bins))
    drawn = columns_from_rows(lines, "at", "zero", "end", "what", "value", "how")
    drawn["end"] = [1.25 * most * sign for sign in drawn["end"]]
    counted = [
        ("how", LABELS["softmax"], ""),
        ("low", LABELS["from"], ".2g"),
        ("high", LABELS["to"], ".2g"),
        ("count", LABELS["queries"], ""),
    ]
    told = [("how", LABELS["softmax"], ""), ("what", LABELS["of_all_queries"], ""), ("value", "", ".3f")]
    dash = {"strokeDash": style_channel_by_name("what", {"mean": [1, 0], "median": [4, 3]})}
    columns = columns_from_rows(bins, "low", "high", "zero", "end", "count", "how")
    channels = {"x": "low", "x2": "high", "y": "end", "y2": "zero", "name": "how"}
    ui.plot(
        [
            marks.vega_lite_mark_layer("rect", columns, channels, {"cornerRadius": 1, "tip": counted}),
            marks.vertical_interval_layer(
                drawn, "at", "zero", "end", strokeWidth=1.5, color="ink", tip=told, more=dash
            ),
        ],
        x=ui.Axis(
            LABELS["gradient_axis"],
            (EDGES[0], EDGES[-1]),
            ticks=(0.0001, 0.01, 1, 100),
            format="~g",
            is_log=True,
        ),
        y=ui.Axis(LABELS["queries"], (-1.5 * most, 1.5 * most), label=f"format({SIZE}, 'd')"),
        names=LOOKS,
        legend="square",
        height=HEIGHT,
        alt=ui.section_text("lengths-alt"),
    )
