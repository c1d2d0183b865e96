"""Every page with the least that can be asked of it, one token and each slider at its lower end, and with a long text.

Nothing is "1 tokens"; an axis of whole numbers has no tick between them; of a long text the end is used.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from streamlit.testing.v1 import AppTest

from core.rooms import rooms
from tests.pages.rooms import clean

ROOT = Path(__file__).resolve().parents[2]
PAGES = [room.page for room in rooms()]
LONG = "Mia " + "had a ball. " * 300
# "1 tokens", and not "0.1 tokens", "layer 1 is", "7 - 1 steps" or "GPT-1".
MANY = re.compile(
    r"(?<![\w.,/×·+−=-])(?<![-+−×·=/]\s)(?<!layer )(?<!head )(?<!token )(?<!osition )(?<!single )(?<!below )"
    r"(?<!above )(?<!to )"
    r"1 (?:(?!for|in|of|to|at|and|the)[a-z-]+ )?([a-z]{2,}s)\b"
)
NO_PLURALS = {
    "is",
    "asks",
    "looks",
    "was",
    "has",
    "as",
    "plus",
    "times",
    "does",
    "this",
    "its",
    "less",
    "class",
    "loss",
    "pass",
    "bias",
    "makes",
    "changes",
}


@pytest.fixture(autouse=True)
def empty_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setenv("GLASSFORMER_TRAINING", "off")


def opened(page: str) -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run().switch_page(page).run()


def words_of(test: AppTest) -> Iterator[str]:
    """All that a person can read: texts, metrics, labels, and what pictures are told to write."""
    for element in [*test.markdown, *test.caption, *test.info, *test.warning, *test.success, *test.error]:
        yield element.value
    for metric in test.metric:
        yield f"{metric.label}: {metric.value}"
    for one in [*test.slider, *test.toggle, *test.button, *test.selectbox, *test.expander]:
        yield one.label
    for chart in test.get("vega_lite_chart"):
        yield chart.proto.alt
        yield from texts_in([json.loads(chart.proto.spec), columns(chart)])
    for widget in test.get("bidi_component"):
        header = re.search(rb"\{.*\}", getattr(widget.proto, "bytes", b"") or b"", re.S)
        if header:
            yield header[0].decode("utf-8", "replace")


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from texts_in(one)


def several_of_one(test: AppTest) -> list[str]:
    return [
        text[max(0, found.start() - 40) : found.end() + 20]
        for text in words_of(test)
        for found in MANY.finditer(text)
        if found[1] not in NO_PLURALS
    ]


def least(test: AppTest) -> AppTest:
    for box in [*test.text_area, *test.text_input]:
        if box.key and not box.disabled:
            box.set_value("Tom")
    for slider in test.slider:
        if slider.key and not slider.disabled and not isinstance(slider.value, tuple | list):
            slider.set_value(slider.min)
    return test.run()


def columns(chart: Any) -> dict[str, list[Any]]:
    """What a chart is drawn from by the name of its field, of all its data."""
    found: dict[str, list[Any]] = {}
    for one in chart.proto.datasets:
        for name, values in pa.ipc.open_stream(one.data.data).read_all().to_pydict().items():
            found.setdefault(name, []).extend(values)
    return found


def scales_of(spec: Any) -> Iterator[dict[str, Any]]:
    """Each position channel that a spec maps a field of numbers to."""
    if isinstance(spec, dict):
        for channel, how in spec.get("encoding", {}).items():
            if channel in ("x", "y") and isinstance(how, dict) and how.get("type") == "quantitative" and "field" in how:
                yield {"channel": channel, **how}
        for name, one in spec.items():
            if name != "encoding":
                yield from scales_of(one)
    for one in spec if isinstance(spec, list) else ():
        yield from scales_of(one)


def broken_ticks(test: AppTest) -> list[str]:
    """Axes of whole numbers on which Vega may put a tick between two of them."""
    found = []
    for chart in test.get("vega_lite_chart"):
        values, scales = columns(chart), list(scales_of(json.loads(chart.proto.spec)))
        for channel in ("x", "y"):
            here = [one for one in scales if one["channel"] == channel]
            axes = [one["axis"] for one in here if isinstance(one.get("axis"), dict)]
            numbers = [value for one in here for value in values.get(one["field"], []) if value is not None]
            is_whole = bool(numbers) and all(isinstance(v, int | float) and float(v).is_integer() for v in numbers)
            is_safe = any(
                one.get("axis", 0) is None or one.get("scale", {}).get("type") == "log" for one in here
            ) or any(
                axis.get("tickMinStep", 0) >= 1 or axis.get("labels") is False or "values" in axis for axis in axes
            )
            if is_whole and max(map(abs, numbers)) > 1 and not is_safe:
                found.append(
                    f"{chart.proto.alt[:60]}: {channel} {here[0].get('title', here[0]['field'])} {numbers[:6]}"
                )
    return found


FIRST = re.compile(r"[Tt]he first (?:[\d,]+ )?(?:are|is) used|[Ii]ts first [\d,]+ are used")


def long(test: AppTest) -> AppTest:
    for box in test.text_area:
        if box.key and not box.disabled:
            box.set_value(LONG)
    return test.run()


@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("page", PAGES)
def test_the_least_and_the_longest(page: str) -> None:
    test = clean(opened(page))
    assert not several_of_one(test) + broken_ticks(test)
    test = clean(least(test))
    assert not several_of_one(test) + broken_ticks(test)
    told = [text for text in words_of(long(test)) if FIRST.search(text)]
    assert not told
