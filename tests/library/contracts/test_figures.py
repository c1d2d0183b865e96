"""What holds for every figure: it is Vega-Lite, drawn once for its names and titles, and nobody else's."""

import importlib
import inspect
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import altair
import numpy as np
import pytest

from core.charts import figure
from core.charts.cost import growth, measured
from core.charts.curves import Curve, Reference, compare, gradient_norms, loss_curves, parts_bar, right_answers
from core.charts.decades import DecadeCurve, decades
from core.charts.grouped import grouped
from core.charts.label_counts import label_counts
from core.charts.lines import lines
from core.charts.neighbor_bars import neighbor_bars
from core.charts.race import race
from core.charts.theme import Mode
from core.rooms.beam.compute.search_ranks import Line
from core.rooms.beam.truth import ranked
from core.rooms.tokens.compute.tokenization import Cost
from core.rooms.tokens.vocabulary_chart import trade_off

CORE = Path(__file__).resolve().parents[3] / "core"
HALF = [Reference(0.5, "half")]
POINTS = [{"step": s, "loss": 4 / s, "val_loss": 4 / s if s % 2 else None, "grad_norm": 1 / s} for s in range(1, 6)]
ANSWERED = [{"step": s, "right_share": s / 5 if s % 2 else None} for s in range(1, 6)]
CURVES = [Curve("a", [1, 2], [3.0, 2.0]), Curve("b", [1, 2], [3.0, 2.5])]
ZEROS = [DecadeCurve("a", [1, 2, 4], [1, 1e-9, 0]), DecadeCurve("b", [1, 2], [math.nan, 3], 1, True)]
FOUND: Any = SimpleNamespace(
    scores=np.array([-2.0, -1.0, -math.inf]),
    order=np.array([1, 0, 2]),
    ranks=np.array([1, 0, 2]),
    samples=np.array([1, 1, 0]),
    landed=[Line(1, "ab", 0.4, -1.0, "greedy", 2)],
)
COSTS = [Cost("bpe", 256, 1000, 1000, 0), Cost("word", 900, 300, 1000, 0)]
XY: dict[str, str] = {"x_title": "x", "y_title": "y"}
FIGURES: list[Callable[[Mode], dict[str, Any]]] = [
    lambda mode: growth([16, 32], {"a": [1, 2], "b": [3, 4]}, y_title="y", at=20, crossing=25.0, mode=mode),
    lambda mode: growth([16, 32], {"a": [1, 2]}, y_title="y", at=20, crossing=None, mode=mode),
    lambda mode: measured([16, 32], [1e-3, 2e-3], [(16, 1e-3)], beyond=[(64, 1.0, "far")], mode=mode),
    lambda mode: measured([16], [1e-3], [], mode=mode),
    lambda mode: loss_curves(POINTS, HALF, n_step=5, mode=mode),
    lambda mode: loss_curves(POINTS, n_step=5, mode=mode, log_steps=True),
    lambda mode: loss_curves([], n_step=5, mode=mode),
    lambda mode: gradient_norms(POINTS, n_step=5, mode=mode),
    lambda mode: right_answers(ANSWERED, HALF[0], n_step=5, mode=mode),
    lambda mode: right_answers([], n_step=5, mode=mode, log_steps=True),
    lambda mode: compare(CURVES, x_title="step", mode=mode),
    lambda mode: parts_bar({"a": 1, "b": 2}, mode=mode),
    lambda mode: parts_bar({}, mode=mode),
    lambda mode: decades(ZEROS, title="t", doubling=True, mode=mode, **XY),
    lambda mode: decades([DecadeCurve("a", [0, 1], [1, 2])], title="t", mode=mode, **XY),
    lambda mode: grouped(["a", "b"], {"one": [1, 0.03]}, [1, 0.95], x_title="x", mode=mode),
    lambda mode: label_counts({"a": [0.5, 1]}, [10, 20], marked=20, chance=0.5, mode=mode, **XY),
    lambda mode: label_counts({"a": [9, 0]}, [2, 4], marked=4, limits=(1, 100), log=True, mode=mode, **XY),
    lambda mode: lines(CURVES, marked=1, steps=True, mode=mode, **XY),
    lambda mode: lines(CURVES, bands={CURVES[0].label: ([0, 1], [2, 3])}, mode=mode, **XY),
    lambda mode: lines(CURVES[:1], y_range=(0, 4), decades=(1, 10), mode=mode, **XY),
    lambda mode: neighbor_bars(["a", "b"], [0.5, -0.2], ["", "n"], [True, False], title="t", digits=3, mode=mode),
    lambda mode: neighbor_bars([], [], [], [], title="cosine", digits=3, mode=mode),
    lambda mode: race({"a": ([0, 5], [0.1, 0.5])}, HALF, title="t", y_title="y", n_step=20, mode=mode),
    lambda mode: race({"a": ([], [])}, y_title="y", n_step=20, mode=mode),
    lambda mode: ranked(FOUND, y_title="nats", mode=mode),
    lambda mode: trade_off(COSTS, 64, marked=512, embedding_range=(4096, 10**6), mode=mode),
]


@pytest.mark.parametrize("make", FIGURES)
def test_every_figure_is_vega_lite(make: Callable[[Mode], dict[str, Any]], monkeypatch: Any) -> None:
    """Altair knows the schema of Vega-Lite and refuses a specification that does not follow it."""
    spec, checked = make("dark"), make("dark")
    # Vega-Lite takes the look of a legend's symbols, and its schema leaves it out.
    checked["layer"][0].get("encoding", {}).get("fill", {}).get("legend", {}).pop("encoding", None)
    altair.Chart.from_dict(checked)
    assert "hole" not in json.dumps(spec, allow_nan=False)
    names = {layer.get("data", spec["data"])["name"] for layer in spec["layer"]}
    assert names == set(spec["datasets"]) | ({"rows"} & names), "each of the data is drawn"
    monkeypatch.setattr(altair, "layer", None)  # what was drawn is not drawn again
    assert make("dark") == spec


def test_no_figure_is_left_out() -> None:
    files = [*CORE.glob("charts/*.py"), *CORE.glob("rooms/*/*_chart.py")]
    modules = [importlib.import_module(".".join(file.relative_to(CORE.parent).with_suffix("").parts)) for file in files]
    made = {
        function
        for module in modules
        for function in vars(module).values()
        if inspect.isfunction(function) and function.__module__ == module.__name__
        if not function.__name__.startswith("_") and function.__annotations__.get("return") == figure.Spec
        if "mode" in inspect.signature(function).parameters and function.__name__ not in ("rim", "token_map")
    }
    drawn = {name for make in FIGURES for name in make.__code__.co_names}
    assert {function.__name__ for function in made} <= drawn


def test_what_is_done_to_one_figure_is_not_done_to_the_next() -> None:
    first = race({"a": ([0], [0.5])}, y_title="y", n_step=1)
    first["layer"][0]["encoding"]["x"]["title"] = "other"
    assert race({"a": ([0], [0.5])}, y_title="y", n_step=1)["layer"][0]["encoding"]["x"]["title"] == "training step"


def test_a_figure_knows_what_it_was_drawn_from() -> None:
    """Of two drawings by one function, one variable from around it can be all the difference."""

    def titled(title: Any) -> Any:
        return figure.figure(lambda: altair.layer(altair.Chart().mark_point().encode(altair.X("x:Q", title=title))), {})

    first, second = ((titled(name)["$schema"], figure._template.cache_info().currsize) for name in ("a", "b"))
    assert second[1] == first[1] + 1
    with pytest.raises(TypeError, match="unhashable"):
        titled(["rows"])


def test_altair_is_imported_with_the_first_figure_only() -> None:
    code = "import sys; from core.charts import race; from core.rooms.tokens import vocabulary_chart; "
    code += "assert 'altair' not in sys.modules; race.race({'a': ([0], [1])}, y_title='', n_step=1); "
    subprocess.run([sys.executable, "-c", code + "assert 'altair' in sys.modules"], check=True, timeout=600)
