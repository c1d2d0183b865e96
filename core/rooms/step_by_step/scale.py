"""Why attention divides by the square root of the keys' width."""

import math
from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import seed, slider
from core.nn.attention import attention_scores, masked_softmax
from core.rooms.step_by_step.compute import score_scaling
from core.rooms.step_by_step.compute.score_scaling import N_KEY, N_QUERY, Array, WidthRecord
from core.rooms.step_by_step.width_curves_chart import length_bars, weight_bars, width_curve

WIDTHS = (4, 8, 16, 32, 64, 128, 256, 512)
WARM_UP = True
CODE = (
    score_scaling.measure,
    score_scaling.jacobian_size,
    score_scaling.query_gradients,
    attention_scores,
    masked_softmax,
)


class Inputs(Base, prefix="scale_"):
    """The width, and whose weights are drawn."""

    d_k: int = slider("Width of a head", 4, 512, 64, step=4, name="scale_width")
    query: int = slider("Query in the last picture", 0, N_QUERY - 1, 0)
    seed: int = seed()


@dataclass(frozen=True)
class Widths:
    """What the width does to the softmax; pairs are (without the root, with the root)."""

    curve: tuple[WidthRecord, ...]  # at every width of `WIDTHS`
    here: WidthRecord  # at the chosen one
    weights: tuple[Array, Array]  # of one query on each key
    gradients: tuple[Array, Array]  # the length of what arrives at each query

    @property
    def formula(self) -> str:
        d_k, (before, after) = self.here.d_k, self.here.variance
        root = rf"d_k = {d_k}:\quad \sqrt{{{d_k}}} = {math.sqrt(d_k):.2f}"
        return rf"{root},\quad \frac{{{before:.2f}}}{{{d_k}}} = {after:.2f}"

    def table(self) -> dict[str, list[float]]:
        """One line for each width, rising, to four decimals."""
        records = sorted({one.d_k: one for one in (*self.curve, self.here)}.values(), key=lambda one: one.d_k)
        columns: dict[str, list[float]] = {"d_k": [one.d_k for one in records]}
        for name in ("variance", "entropy", "top", "jacobian", "gradient_mean", "gradient_median", "saturated"):
            for side, how in enumerate(("without root", "with root")):
                columns[f"{name.replace('_', ', ')}, {how}"] = [round(getattr(one, name)[side], 4) for one in records]
        return columns


def compute(inputs: Inputs) -> Widths:
    """Drawn queries and keys, wider and wider; each softmax without the root and with it."""
    d_k, seed = inputs.d_k, inputs.seed
    return Widths(
        curve=tuple(score_scaling.measure(width, seed) for width in WIDTHS),
        here=score_scaling.measure(d_k, seed),
        weights=score_scaling.one_query(d_k, seed, inputs.query),
        gradients=score_scaling.query_gradients(d_k, seed),
    )


def draw(result: Widths, inputs: Inputs) -> None:
    """Curves over the width, and the weights of one query at the chosen one."""
    ui.say("spread")
    left, right = ui.pair("scale-upper")
    with left:
        _curve(result, "variance", "variance of the scores", "how far they spread", log=True)
    with right:
        ui.write(ui.words("weights", n_key=N_KEY))
        ui.chart(weight_bars(*result.weights, mode=ui.color_mode()), key="scale-bars", alt=ui.words("largest"))
    if not ui.at_least("numbers"):
        return
    ui.say("drawn", n_query=N_QUERY, n_key=N_KEY)
    left, right = ui.pair("scale-lower")
    with left:
        even = (math.log(N_KEY), f"all keys alike: {math.log(N_KEY):.2f}")
        _curve(result, "entropy", "entropy of the weights", "how evenly they are shared, in nats", limit=even)
    with right:
        _curve(result, "jacobian", "Jacobian of the softmax", "how much the weights react")
    left, right = ui.pair("scale-gradients")
    with left:
        _curve(result, "gradient_median", "median gradient", "the push that the middle query gets")
    with right:
        ui.write(ui.words("lengths", n_query=N_QUERY))
        spec = length_bars(*result.gradients, mode=ui.color_mode())
        ui.chart(spec, key="scale-lengths", alt=ui.words("lengths-alt"))
    ui.say("gradients")


def _curve(result: Widths, name: str, title: str, meaning: str, **shape: Any) -> None:
    without, with_root = zip(*(getattr(one, name) for one in result.curve), strict=True)
    at = (result.here.d_k, *getattr(result.here, name))
    ui.write(f"**{title[0].upper()}{title[1:]}**: {meaning}")
    ui.chart(
        width_curve(WIDTHS, without, with_root, at=at, title=title, mode=ui.color_mode(), **shape),
        key=f"scale-{name}",
        alt=f"{title} by width; at {at[0]} it is {at[1]:.2f} without the root and {at[2]:.2f} with it.",
    )
