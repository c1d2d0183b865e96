"""Every kind of chart on data that nobody hopes for: it draws what is a number, or refuses in plain words."""

import json
import math
from collections.abc import Callable, Sequence

import altair
import pytest

from core.charts.cost import growth, measured
from core.charts.curves import Curve, compare, gradient_norms, loss_curves
from core.charts.decades import DecadeCurve, decades
from core.charts.figure import Spec
from core.charts.grouped import grouped
from core.charts.label_counts import label_counts
from core.charts.lines import lines
from core.charts.neighbor_bars import neighbor_bars
from core.charts.theme import Mode
from tests.counts import in_turn

SHAPES = {
    "empty": [],
    "one point": [0.5],
    "nan": [0.5, math.nan, 0.25],
    "infinity": [0.5, math.inf, 0.25],
    "constant": [0.5, 0.5, 0.5],
    "negative": [-0.5, 0.25, -0.125],
    "many": [1 / i for i in range(1, 3_001)],
    "tiny": [1e-12, 2e-12, 3e-12],
    "huge": [1e12, 2e12, 3e12],
}
XY = {"x_title": "x", "y_title": "y"}


def names(y: Sequence[float]) -> list[str]:
    return [f"n{i}" for i in range(len(y))]


def sizes(y: Sequence[float]) -> list[int]:
    return [1 + i for i in range(len(y))]


def points(y: Sequence[float]) -> list[dict[str, float]]:
    return [{"step": i + 1, "loss": v, "val_loss": v, "grad_norm": v} for i, v in enumerate(y)]


DRAW: dict[str, Callable[[Sequence[float], Mode], Spec]] = {
    "compare": lambda y, mode: compare([Curve("a", sizes(y), y)], **XY, mode=mode),
    "decades": lambda y, mode: decades([DecadeCurve("a", sizes(y), y)], **XY, title="", mode=mode),
    "gradient_norms": lambda y, mode: gradient_norms(points(y), n_step=len(y), mode=mode),
    "grouped": lambda y, mode: grouped(names(y)[:99], {"a": y[:99]}, y[:99], x_title="x", mode=mode),
    "growth": lambda y, mode: growth(sizes(y), {"a": y}, y_title="y", at=1, crossing=None, mode=mode),
    "label_counts": lambda y, mode: label_counts({"a": y}, sizes(y), marked=1, **XY, mode=mode),
    "lines": lambda y, mode: lines([Curve("a", sizes(y), y)], **XY, mode=mode),
    "loss_curves": lambda y, mode: loss_curves(points(y), n_step=len(y), mode=mode),
    "measured": lambda y, mode: measured(sizes(y), y, [], mode=mode),
    "neighbor_bars": lambda y, mode: neighbor_bars(
        names(y), y, [""] * len(y), [False] * len(y), title="x", digits=2, mode=mode
    ),
}


REFUSED = {("decades", "empty"), ("decades", "negative"), ("growth", "empty"), ("label_counts", "empty")}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", in_turn(DRAW, 3))
def test_a_chart_draws_any_data_or_refuses_it_in_words(name: str, shape: str) -> None:
    """Fault: NaN stands in the JSON, or Python's own error reaches the page."""
    if (name, shape) in REFUSED:
        with pytest.raises(ValueError, match=r"^there are no |^'a' holds "):
            DRAW[name](SHAPES[shape], "light")
        return
    light, dark = (DRAW[name](SHAPES[shape], mode) for mode in ("light", "dark"))
    json.dumps([light, dark], allow_nan=False)
    altair.Chart.from_dict(light | {"datasets": {}})
    assert light["layer"] != dark["layer"] or not SHAPES[shape]
