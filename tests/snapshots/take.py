"""A short text of everything that an exhibit sends to the browser, for a person to review as a diff.

    python -m tests.snapshots.take [name …]      writes tests/snapshots/<room>/<exhibit>.txt

At two depths, first as it opens and then with its guess revealed: controls, pictures with the shape and range of their
arrays, sentences, and the columns under Numbers. What is the same at both depths is written once.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.browser.capture import Chart
from core.browser.message import unpack
from core.exhibit import NOT_YET
from core.rooms import exhibits, rooms
from core.ui.controls.control_log import ASKED
from core.ui.exhibit.exhibit import Exhibit
from core.ui.state import PREFIX

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MOST_LINES = 60
MOST_LETTERS = 150
SECONDS = 600.0
# Of a header, what says what is drawn; the rest is layout.
SHOWN = ("kind", "label", "title", "takeaway", "rows", "columns", "tokens", "names", "steps", "notes", "value_title")


def snapshot(name: str) -> str:
    """The text of an exhibit, by its name in lessons: "masks.kinds-of-masks"."""
    story, numbers = (list(_lines(name, depth)) for depth in ("story", "numbers"))
    more = [line for line in numbers if line not in story]
    less = [line for line in story if line not in numbers]
    lines = [*story, *(["", "More at the depth Numbers:", *more] if more else [])]
    lines += ["", "Only at the depth Story:", *less] if less else []
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"… {len(lines) - MOST_LINES + 1} more lines"]
    return "\n".join(lines) + "\n"


def _lines(name: str, depth: str) -> Iterator[str]:
    drawn, asked = _drawn(name, depth)
    for control, state in asked.items():
        yield f"control {control}: {state.label} = {_short(', '.join(state.written))}"
    seen: dict[str, int] = {}
    for sent in drawn.sent:
        for line in _chart(sent) if isinstance(sent, Chart) else _message(sent):
            seen[line] = seen.get(line, 0) + 1
            yield line if seen[line] == 1 else f"{line} (again)"
    if (table := drawn.table()) is not None:
        yield f"numbers: {', '.join(f'{column} ({len(values)})' for column, values in table.items())}"


@cache
def _pages() -> Mapping[str, str]:
    return {name: room.page for room in rooms() for name in room.named()}


def _drawn(name: str, depth: str) -> tuple[Any, Mapping[str, Any]]:
    """What was drawn of it on its page alone, its guess revealed; and the controls."""
    entry, found = exhibits()[name], dict[str, Any]()
    module = entry.exhibit().module
    test = AppTest.from_file(str(ROOT / _pages()[name]), default_timeout=SECONDS)
    query = {"depth": depth, "only": entry.name}
    for field, control in module.Inputs.controls():
        if field == "guess" and control.default == NOT_YET:
            query[str(control.name)] = "Just show me"
    for one, value in query.items():
        test.query_params[one] = value
    draw = Exhibit.draw

    def kept(self: Exhibit, given: Any = None) -> Any:
        found[self.name] = draw(self, given)
        return found[self.name]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Exhibit, "draw", kept)
        test.run()
    wrong = [one.value for one in (*test.exception, *test.error)]
    assert not wrong, f"{name}: {wrong}"
    assert found.get(entry.name) is not None, f"{name} draws nothing: {[one.value for one in test.info]}"
    key = f"{PREFIX}{ASKED}"
    return found[entry.name], dict(test.session_state[key]) if key in test.session_state else {}


def _chart(chart: Chart) -> Iterator[str]:
    rows = {name: len(rows) for name, rows in chart.spec.get("datasets", {}).items()}
    marks = [layer["mark"]["type"] if isinstance(layer["mark"], dict) else layer["mark"]
             for layer in chart.spec.get("layer", [chart.spec]) if "mark" in layer]  # fmt: skip
    yield f"chart: {'+'.join(dict.fromkeys(marks))} of {rows}: {_short(chart.alt)}"


def _message(sent: Any) -> Iterator[str]:
    header, arrays = unpack(sent.message)
    if sent.widget == "sentence":
        texts = [header["text"]] if "text" in header else list(header["html"].values())
        facts = [_short(one) for one in header.get("facts", [])]
        for text in texts[:4]:
            yield f"{header['look']}: {_short(text, MOST_LETTERS * 4)}{f' ← {facts}' if facts and text else ''}"
        if len(texts) > 4:
            yield f"{header['look']}: … {len(texts)} texts in all"
        return
    shown = [f"{key}={_short(header[key], 80)}" for key in SHOWN if header.get(key) not in (None, "", [])]
    yield f"{sent.widget}: {' '.join([*shown, *(f'{key} {_array(one)}' for key, one in arrays.items())])}"


def _array(array: np.ndarray[Any, Any]) -> str:
    size = "x".join(map(str, array.shape))
    numbers = array[np.isfinite(array)].astype(float)
    if not numbers.size:
        return f"{array.dtype}[{size}]"
    return f"{array.dtype}[{size}] {numbers.min():.2g}..{numbers.max():.2g} mean {numbers.mean():.2g}"


def _short(value: Any, most: int = MOST_LETTERS) -> str:
    if isinstance(value, dict) and "along$" in value:
        value = f"by {'·'.join(value['along$'])}: {json.dumps(value['values'], ensure_ascii=False)}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = re.sub(r"\s+", " ", text.replace("\\", "")).strip()
    return text if len(text) <= most else f"{text[:most]}…"


def file_of(name: str) -> Path:
    """The file that holds the snapshot of an exhibit."""
    room, _, exhibit = name.partition(".")
    return HERE / room / f"{exhibit}.txt"


def main() -> None:
    """Take the snapshots of these exhibits, of all without a name."""
    to = Path(sys.argv[2]) if sys.argv[1:2] == ["--to"] else HERE
    for name in sys.argv[3:] or exhibits() if sys.argv[1:2] == ["--to"] else sys.argv[1:] or exhibits():
        path = to / file_of(name).relative_to(HERE)
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            path.write_text(snapshot(name), encoding="utf-8")
        except AssertionError as wrong:
            print(wrong)


if __name__ == "__main__":
    main()
