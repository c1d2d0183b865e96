"""Every picture on bad data: it draws the values that are numbers, or refuses with a clear message."""

import importlib
import inspect
import json
import math
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import altair
import pytest

from core import charts
from core.charts.dots import dots
from core.charts.theme import ThemeMode

SHAPES = {
    "empty": [],
    "one point": [0.5],
    "nan": [0.5, math.nan, 0.25],
    "infinity": [0.5, math.inf, 0.25],
    "constant": [0.5, 0.5, 0.5],
    "negative": [-0.5, 0.25, -0.125],
    "many": [1 / i for i in range(1, 301)],
    "tiny": [1e-12, 2e-12, 3e-12],
    "huge": [1e12, 2e12, 3e12],
}
MODULES = [
    file.stem for file in Path(charts.__file__).parent.glob("*.py") if "\ndef example(" in file.read_text("utf-8")
]
EXAMPLES: dict[str, Callable[[Sequence[float], ThemeMode], list[dict[str, Any]]]] = {
    name: importlib.import_module(f"core.charts.{name}").example for name in MODULES
}


def fields(spec: dict[str, Any]) -> set[str]:
    """The columns that a layer names."""
    return {one["field"] for one in spec["encoding"].values() if isinstance(one, dict) and "field" in one}


def form(value: Any) -> Any:
    """A specification whose lists of numbers or names are cut to one: what differs in those alone is checked once."""
    if isinstance(value, dict):
        return {key: form(one) for key, one in value.items()}
    if isinstance(value, list):
        return [form(one) for one in value] if any(isinstance(one, dict | list) for one in value) else value[:1]
    return value


@cache
def check_schema(spec: str) -> None:
    """Vega-Lite's own schema, which takes a second."""
    altair.Chart.from_dict(json.loads(spec))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_any_data_is_drawn_or_refused_in_words(name: str, shape: str) -> None:
    """Fault: the JSON contains NaN, a layer draws nothing, or Python's own error reaches the page."""
    for light, dark in zip(*(EXAMPLES[name](SHAPES[shape], mode) for mode in ("light", "dark")), strict=True):
        json.dumps([light, dark], allow_nan=False)
        check_schema(json.dumps(form(dark | {"datasets": {}, "description": ""})))
        assert light["layer"] != dark["layer"] or not SHAPES[shape], "in light and dark the colors differ"
        assert light["datasets"] == dark["datasets"]
        drawn = [layer["data"]["name"] for layer in light["layer"]]
        assert {*drawn} == {*light["datasets"]}, "a layer without data, or data that no layer draws"
        looks = [json.dumps(layer, sort_keys=True) for layer in light["layer"]]
        assert len({*looks}) == len(looks), "something is drawn twice"
        for layer in light["layer"]:
            rows = light["datasets"][layer["data"]["name"]]
            assert not rows or fields(layer) <= {*rows[0]}, "a column that is not there"
        words = light["description"]
        assert words and not re.search(r"\b(nan|inf|None)\b", words)


def test_the_highest_dots_are_named_and_groups_differ_in_shape() -> None:
    groups = {"m": ([0, 1], [5, 1]), "n": ([0.5], [3])}
    spec = dots(groups, x="x", y="y", labels={"m": ["a", "b"], "n": ["c"]}, n_named=2)
    assert [row["label"] for row in spec["datasets"]["highest"]] == ["a", "c"]
    shapes = spec["layer"][0]["encoding"]["shape"]["scale"]
    assert shapes["domain"] == ["m", "n"] and len(set(shapes["range"])) == 2
    with pytest.raises(ValueError, match="1 labels, 2 places"):
        dots({"m": ([0, 1], [0, 1])}, x="x", y="y", labels={"m": ["a"]})


def test_every_module_with_a_picture_has_an_example() -> None:
    """Fault: a new kind of picture is in no test."""
    names = [one.stem for one in Path(charts.__file__).parent.glob("*.py") if one.stem not in ("__init__", "plot")]
    functions = {name: vars(importlib.import_module(f"core.charts.{name}")).values() for name in names}
    pictures = {name for name, some in functions.items() for one in some if "**whole" in _signature(one, name)}
    assert pictures == {*MODULES}


def test_no_picture_waits_for_a_chart_library() -> None:
    """Fault: the first chart of a server takes a second and 30 MB more."""
    code = "import sys; from core.charts.bars import bars; import streamlit as st; "
    code += "st.vega_lite_chart(bars({'a': 1}, x='x')); assert 'altair' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600, capture_output=True)


def _signature(one: Any, module: str) -> str:
    is_its_own = inspect.isfunction(one) and one.__module__ == f"core.charts.{module}"
    return str(inspect.signature(one)) if is_its_own else ""
