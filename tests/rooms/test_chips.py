"""What a chip quotes is there: in what the chip sets, in the exhibit's own controls, or on its pictures.

A text comes along from room to room. “Point at “kite”” asks for a word that may not be in it, so such a chip brings the
model and the text of which it speaks.
"""

import importlib
import re
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from core.exhibit import NothingToShow, label_of, option_values
from core.inspect.model_inputs.model_and_text import ModelAndText
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms import all_exhibits, rooms
from core.ui.exhibit.exhibit_text import TryChip

ROOT = Path(__file__).resolve().parents[2]
QUOTED = re.compile("“([^“”]+)”")
CASES = [(name, number, one) for name, entry in all_exhibits().items()
         for number, one in enumerate(entry.exhibit().text.try_chips, 1)
         if QUOTED.search(f"{one.action} {one.expectation}")]  # fmt: skip
AFTER = re.compile(r"{[{%].*?[%}]}", re.DOTALL)  # a template's own quotes
LABEL = re.compile(r"^[\w.%+-]+: .*", re.MULTILINE)  # "more: Roll again"


@cache
def sources(room: str) -> str:
    """The code of a room and of its widgets, its labels, which stand on buttons and pictures, and its sentences."""
    widgets = [ROOT / "assets" / "widgets" / name for name in (room, "shared", "drawing")]
    folders = (ROOT / "core" / "rooms" / room, ROOT / "core" / "ui" / "widgets", *widgets)
    files = (file for folder in folders for kind in ("*.py", "*.js") for file in folder.rglob(kind))
    texts = (*(ROOT / "assets" / "rooms" / room).glob("*.md"), ROOT / "assets/labels/ui.md")
    labels = (line for path in texts for line in LABEL.findall(path.read_text(encoding="utf-8")))
    said = (one.text for entry in all_exhibits().values() if f".{room}." in entry.module
            for one in entry.exhibit().text.sections.values())  # fmt: skip
    return "\n".join(
        [*(file.read_text(encoding="utf-8") for file in files), *labels, *(f"“{one}”" for one in said), ""]
    )


def titles() -> set[str]:
    return {entry.exhibit().title for entry in all_exhibits().values()} | {room.title for room in rooms()}


def labels(module: ModuleType, inputs: Any) -> set[str]:
    """What the controls and their options are called."""
    found: set[str] = set()
    for _, control in module.Inputs.controls():
        at = control.resolve(inputs)
        found.add(at.label)
        if control.kind in ("select", "segmented", "several"):
            found |= {label_of(at, one) for one in option_values(at)}
    return found


def is_label(word: str, module: ModuleType, inputs: Any) -> bool:
    """Whether something on the page is called so, whatever text is read."""
    *_, room, _ = module.__name__.split(".")
    plain = word.rstrip(".,?")
    return plain in labels(module, inputs) | titles() or any(
        f"{a}{plain}{b}" in sources(room) for a, b in ('""', "''", "``", ('"', ":"), "“”", (": ", "\n"), (": ", ":"))
    )


def set_by(one: TryChip) -> str:
    return " ".join(value for values in one.settings.values() for value in values)


@cache
def inputs_of(name: str) -> Any:
    return importlib.import_module(all_exhibits()[name].module).Inputs()


def carried(inputs: Any) -> set[str]:
    """The controls that may come along from another room."""
    values = vars(inputs).values()
    is_read = any(isinstance(one, ModelAndText) for one in values)
    return {"model", "text"} if is_read else {"model"} if any(isinstance(one, ModelKey) for one in values) else set()


@pytest.mark.parametrize(("name", "number", "one"), CASES, ids=[f"{name}.{number}" for name, number, _ in CASES])
def test_a_chip_brings_the_text_that_it_quotes(name: str, number: int, one: TryChip) -> None:
    entry = all_exhibits()[name]
    module, inputs = importlib.import_module(entry.module), inputs_of(name)
    named = {word for word in QUOTED.findall(one.action) if not is_label(word, module, inputs)}
    given = next((value for value in vars(inputs).values() if isinstance(value, ModelAndText)), None)
    if given is not None:  # what is said of a word of the text holds for this text
        words = {token.strip(" ·") for token in given.tokens}
        told = {word for word in QUOTED.findall(AFTER.sub("", one.expectation)) if word.strip() in words}
        named |= {word for word in told if not is_label(word, module, inputs)}
    if named and (missing := carried(inputs) - {*one.settings}):
        raise AssertionError(f"“{one.action}” speaks of {sorted(named)} and does not set {sorted(missing)}")
    if given is None or "text" not in one.settings:
        shown = f"{set_by(one)} {_shown(module, inputs)}".lower()
        assert all(word.rstrip(".,").lower() in shown for word in named if word in QUOTED.findall(one.action)), named
    else:  # “Change “box” to “kite”” names a word of the exhibit's own text, too
        known = f"{set_by(one)} {' '.join(given.tokens)}"
        assert all(word.rstrip(".,") in known for word in named if word in QUOTED.findall(one.action)), named


def _shown(module: ModuleType, inputs: Any) -> str:
    """All that an exhibit says with its defaults: its inputs, its table, the words of its file."""
    try:
        result = None if hasattr(module, "EXPERIMENT") or hasattr(module, "TRAINED") else module.compute(inputs)
    except NothingToShow:
        result = None
    table = result.table() if hasattr(result, "table") else {}
    return f"{vars(inputs)} {table} {sources(module.__name__.split('.')[-2])}"
