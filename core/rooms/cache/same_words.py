"""The same text written twice: with keys and values kept, and with everything read anew at each step."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Curve
from core.charts.figure import Spec
from core.charts.lines import lines
from core.generate.cache import CachedModel
from core.generate.keys_values import KeyValues
from core.inputs import number, slider
from core.rooms.cache.compute import cached_writing
from core.rooms.cache.compute.cached_writing import Race
from core.rooms.cache.inputs import Looked, prompt_of, say_cut

CODE = (KeyValues, CachedModel, cached_writing.step_work)


class Inputs(Looked, prefix="same_"):
    """How much is written; another measurement times it again."""

    n_new: int = slider("New tokens", 8, 96, 32, step=8, name="same_new")
    again: int = number(
        "Measurement no.",
        1,
        20,
        1,
        step=1,
        reason="enough to see how much they differ",
        help="Another number measures the times again.",
    )


def compute(inputs: Inputs) -> Race:
    """The same text twice, step by step: with keys and values kept, and with everything read anew."""
    return cached_writing.race(inputs.given.model, prompt_of(inputs.given)[0].ids, inputs.n_new)


def draw(result: Race, inputs: Inputs) -> None:
    """The counted work, the measured time, the difference of the logits, and the words."""
    say_cut(inputs.given)
    if result.n < inputs.n_new:
        ui.say("slow")
    ui.say("facts")
    ui.say("digits")
    if result.n_over:
        ui.say("over")
    kept, anew = 1e3 * result.seconds, 1e3 * result.seconds_anew
    left, right = ui.pair("same-curves")
    with left:
        ui.chart(
            _chart(result, result.work / 1e6, result.work_anew / 1e6, "multiply-adds (millions)"),
            alt=f"Multiply-adds of each step: the last one {result.work[-1]:,} with the cache, "
            f"{result.work_anew[-1]:,} without.",
            key="same-work",
        )
    with right:
        ui.st.vega_lite_chart(
            _chart(result, kept, anew, "time (milliseconds)"),
            alt=f"Time of each step: the last one {kept[-1]:.2f} milliseconds with the cache, {anew[-1]:.2f} without.",
            key="same-time",
        )
    ui.say("points")
    ui.say("trick")


def _chart(result: Race, kept: NDArray[Any], anew: NDArray[Any], title: str) -> Spec:
    top = max(np.quantile(kept, 0.9), np.quantile(anew, 0.95)) * 1.25  # a step that was held up may stand out
    return lines(
        [Curve("with the cache", result.lengths, kept.tolist()), Curve("without", result.lengths, anew.tolist())],
        x_title="length of the text (tokens)",
        y_title=title,
        mode=ui.color_mode(),
        y_range=(0.0, float(top)),
    )
