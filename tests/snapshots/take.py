"""A short text of everything that an exhibit sends to the browser, for a person to review as a diff.

    python -m tests.snapshots.take [name …]      writes tests/snapshots/<room>/<exhibit>.txt

Each is taken while its guess is open, after a guess, with the answer shown, at the depth Numbers, and where all that
the browser can choose stands elsewhere: controls, pictures with the shape and range of their arrays, charts, sentences,
and the columns under Numbers.
"""

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from core.browser.message_capture import Chart, MessageToWidget
from core.browser.message_packing import unpack_message
from core.exhibit import NOT_YET, SHOW, label_of, option_values
from core.rooms import all_exhibits
from core.ui.controls.drawn_controls import ControlState
from tests.drawn import choices_at_their_ends, controls_of, drawn, guess_of
from tests.pages.choices import sentence, shown as shown_at

HERE = Path(__file__).parent
MOVED = "All choices in pictures moved:"
MAX_LINES, MAX_CHARS, MAX_COLUMNS = 60, 300, 12
NUMBER = re.compile(r"[-−]?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+|·10[⁻⁰¹²³⁴-⁹]+)?")
_PLAIN = {**{ord(sign): str(i) for i, sign in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")}, ord("⁻"): "-", ord("−"): "-", ord(","): ""}
CLOSE = {"rtol": 0.03, "atol": 0.011}  # by which a number may differ: each CPU rounds in its own order
# What was measured on this machine is left out.
TIMED = re.compile(
    r"milliseconds?\b|\bms\b|times as fast|times the speed|pay here|pays here|measured here", re.IGNORECASE
)
# Of a message, the frame's part, and names of files and places in the code.
LEFT_OUT = {"arrays", "id", "widget", "content_id", "model", "film", "height", "computed", "by", "sent", "code"}
LEFT_OUT |= {"linked", "chooses", "badge", "row_title", "column_title", "truth_title", "row_word", "column_word"}
LEFT_OUT |= {"label_name"}


def snapshot(name: str) -> str:
    """The text of an exhibit, "masks.kinds-of-masks"."""
    guess, stages = guess_of(name), {"At the depth Story:": {}, "At the depth Numbers:": {"depth": "numbers"}}
    if guess is not None:
        _, first, *_ = option_values(guess)
        labels = (label_of(guess, NOT_YET), label_of(guess, first), label_of(guess, SHOW))
        stages = {f"{label}:": {str(guess.name): label} for label in labels}
        stages |= {"At the depth Numbers:": {**stages[f"{labels[-1]}:"], "depth": "numbers"}}
    if any(control.view for control in controls_of(name).values()):
        stages[MOVED] = stages["At the depth Numbers:"]
    lines, shown = list[str](), list[str]()
    for title, at in stages.items():
        before, shown = shown, _lines(name, is_moved=title == MOVED, **at)
        lines += [title, *(line for line in shown if line not in before)]
        lines += [f"no longer: {_short(line, 80)}" for line in before if line not in shown and title != MOVED]
    if len(lines) > MAX_LINES:
        lines[MAX_LINES - 1 :] = [f"… {len(lines) - MAX_LINES + 1} more lines"]
    return "\n".join(lines) + "\n"


def differences(kept: str, found: str) -> list[str]:
    """The lines of two snapshots that differ by more than their rounding, as a diff."""
    lines = kept.splitlines(), found.splitlines()
    texts = [[NUMBER.sub("#", line) for line in one] for one in lines]
    changed = list[str]()
    for kind, *(i, i_end, j, j_end) in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        old, new = lines[0][i:i_end], lines[1][j:j_end]
        if kind == "equal":
            pairs = [pair for pair in zip(old, new, strict=True) if not np.allclose(*map(_numbers, pair), **CLOSE)]
            old, new = [one for one, _ in pairs], [one for _, one in pairs]
        changed += [*(f"- {line}" for line in old), *(f"+ {line}" for line in new)]
    return changed


def file_of(name: str) -> Path:
    """The file that holds the snapshot of an exhibit."""
    room, _, exhibit = name.partition(".")
    return HERE / room / f"{exhibit}.txt"


def _numbers(line: str) -> list[float]:
    return [float(number.replace("·10", "e").translate(_PLAIN)) for number in NUMBER.findall(line)]


def _lines(name: str, is_moved: bool, **address: str | list[str]) -> list[str]:
    shown = drawn(name, **address)
    if is_moved and shown.drawing is not None:
        shown = drawn(name, **address | choices_at_their_ends(name, shown.drawing.inputs))
    wrong = [one.value for one in (*shown.test.exception, *shown.test.error)]
    assert not wrong, f"{name}: {wrong}"
    if shown.drawing is None:
        return [f"info: {one.value}" for one in shown.test.info]
    lines = [_control(key, state) for key, state in shown.controls.items()]
    for sent in shown.drawing.messages:
        lines += _chart(sent) if isinstance(sent, Chart) else _message(sent, shown.test, is_moved)
    table = {} if shown.drawing.must_guess else shown.drawing.table() or {}
    columns = [f"column {column}: {_summary([*values], 100)}" for column, values in table.items()]
    lines += columns[:MAX_COLUMNS] if not is_moved else []
    return [line for line in lines if not TIMED.search(line)]


def _control(name: str, state: ControlState) -> str:
    return f"control {name}: {state.label} = {_short(', '.join(state.address_values))}"


def _chart(chart: Chart) -> Iterator[str]:
    layers = [layer["mark"] for layer in chart.spec.get("layer", [chart.spec]) if "mark" in layer]
    marks = dict.fromkeys(mark["type"] if isinstance(mark, dict) else mark for mark in layers)
    rows = {name: len(rows) for name, rows in chart.spec.get("datasets", {}).items()}
    yield f"chart: {'+'.join(marks)} of {rows}: {_short(chart.alt)}"


def _message(sent: MessageToWidget, test: AppTest, is_moved: bool) -> Iterator[str]:
    """What a widget was sent; where choices were moved, the part of it that is seen there."""
    header, arrays = shown_at(sent.message, test) if is_moved else unpack_message(sent.message)
    if sent.widget == "sentence":
        texts = [header["text"]] if "text" in header else [*header["html"].values()]
        text = header["text"] if "text" in header else sentence(sent.message, test)
        yield f"{header['look']}{f' (one of {len(texts)})' if texts[1:] else ''}: {_short(text)}"
        return
    told = {
        key: value
        for key, value in sorted(header.items())
        if key not in LEFT_OUT and value not in (None, False, "", [])
    }
    parts = [f"{key} {_array(value)}{_outermost(value) if is_moved else ''}" for key, value in sorted(arrays.items())]
    yield f"{sent.widget}: {' '.join([*parts, *(f'{key}={_summary(value, 60)}' for key, value in told.items())])}"


def _summary(value: Any, most: int = MAX_CHARS) -> str:
    """A value in short: numbers by their shape and range, texts by their beginning."""
    if isinstance(value, Mapping) and "along$" in value:
        return f"by {'·'.join(value['along$'])}: {_summary(value['values'], most)}"
    if isinstance(value, list) and value:
        try:
            numbers = np.array(value, dtype=float)
        except (ValueError, TypeError):
            pass
        else:
            return _array(numbers)
    return _short(
        value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str, sort_keys=True), most
    )


def _array(array: np.ndarray[Any, Any]) -> str:
    kind = f"{array.dtype}[{'×'.join(map(str, array.shape))}]"
    numbers = array[np.isfinite(array)].astype(float)
    return f"{kind} {numbers.min():.3g}..{numbers.max():.3g} mean {numbers.mean():.3g}" if numbers.size else kind


def _outermost(array: np.ndarray[Any, Any]) -> str:
    """The numbers at both ends of an array: another part of the same range and mean has others."""
    first, last = (", ".join(f"{number:.3g}" for number in some) for some in (array.ravel()[:3], array.ravel()[-3:]))
    return f" ({first} … {last})"


def _short(text: str, most: int = MAX_CHARS) -> str:
    """A text on one line, cut where all its numbers, however long, count as one character."""
    text, found, n = re.sub(r"\s+", " ", text.replace("\\", "")).strip(), "", 0
    for part in re.split(f"({NUMBER.pattern})", text):
        room = most - n
        if room <= 0 or (len(part) > room and not NUMBER.fullmatch(part)):
            return f"{found}{part[: max(room, 0)]}…"
        found, n = found + part, n + (1 if NUMBER.fullmatch(part) else len(part))
    return found


def main() -> None:
    """Take the snapshots of these exhibits; of all without a name."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"GLASSFORMER_DATA": folder, "GLASSFORMER_TRAINING": "off"}
        for name in sys.argv[1:] or all_exhibits():
            path = file_of(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            text, kept = snapshot(name), path.read_text(encoding="utf-8") if path.exists() else ""
            if differences(kept, text):  # what only rounds otherwise stays as it is
                path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
