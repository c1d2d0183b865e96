"""What every exhibit promises, read from its declaration: it computes without Streamlit, at each end of a control."""

import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from core.exhibit import NOT_YET, Control, NothingToShow, options_of
from core.rooms import exhibits
from core.train import experiment
from core.ui.exhibit.drawing import Drawing, arrays_of
from core.ui.exhibit.exhibit import Exhibit
from core.ui.exhibit.words import FOLDER
from tests.counts import IS_FULL, in_turn

ROOT = Path(__file__).resolve().parents[3]
MODULES = {name: entry.module for name, entry in exhibits().items()}
every_exhibit = pytest.mark.parametrize("name", sorted(MODULES))


def module_of(name: str) -> ModuleType:
    return importlib.import_module(MODULES[name])


run_once = cache(experiment.run_of)


def computed(module: ModuleType, **values: Any) -> Any:
    inputs = module.Inputs(**values)
    trained = Exhibit.of(module, "").experiment(inputs)
    return module.compute(inputs, run_once(trained)) if trained else module.compute(inputs)


def train_little(patch: pytest.MonkeyPatch) -> None:
    """A training that does not ship makes a few steps only: it is shown while it goes on, too."""
    train = experiment._trained
    patch.setattr(experiment, "_trained", lambda *asked: train(*asked[:3], 3))


def ends(control: Control) -> Iterator[Any]:
    """Where a control can stand at most; all options of a choice, but one where the server computes nothing."""
    if control.kind in ("slider", "number"):
        yield from (control.options["low"], max(control.options["low"], control.options["high"]))
    elif control.kind in ("select", "segmented"):
        options = list(options_of(control))
        yield from options[-1:] if (control.look or NOT_YET in options) and not IS_FULL else options
    elif control.kind == "several":
        yield from ((), tuple(options_of(control)))
    elif control.kind == "toggle":
        yield from (False, True)
    elif control.kind.startswith("text"):
        yield from ("", '$x$ <b>**a**</b> "Tom\'s" \\ {y}\n👩‍👩‍👧 \u202e')


@every_exhibit
def test_no_control_has_a_name_that_the_frame_has_in_the_address(name: str) -> None:
    """One called "step" was taken for a lesson's: Start over left it, and what was chosen beside it was forgotten."""
    names = {control.name for _, control in module_of(name).Inputs.controls()}
    assert not names & {"lesson", "step", "lock", "hide", "note", "depth", "view", "open", "present"}


@every_exhibit
def test_its_numbers_are_a_table_and_its_words_name_what_it_has(name: str) -> None:
    module = module_of(name)
    guessed = {"orders_guess"} & {control.name for _, control in module.Inputs.controls()}
    result = computed(module, **({"guess": "show"} if guessed else {}))  # it shows nothing before a guess
    if hasattr(result, "table"):
        table = result.table()
        assert len({len(column) for column in table.values()}) == 1, name
        assert len(next(iter(table.values()))) > 0  # something stands there before anything is chosen
    assert all(array.dtype != object for array in arrays_of(result).values())
    if hasattr(result, "at"):  # a template knows this name as "with other inputs", and would not find the field
        *_, room, exhibit = MODULES[name].split(".")
        assert not re.search(r"{[{%][^}]*\bat\b(?![(])", (FOLDER / room / f"{exhibit}.md").read_text())
    assert not hasattr(result, "formula") or isinstance(result.formula, str | None)
    words = Exhibit.of(module, name).words
    drawn = Drawing(words, result, module.Inputs(), lambda **values: computed(module, **values))
    for one in words.tries:
        assert drawn.fill(one.expect)


@pytest.mark.slow
@pytest.mark.parametrize("name", in_turn(sorted(MODULES), 4))
def test_each_control_to_its_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One at a time, all others as at the beginning; what cannot be shown is said in plain words."""
    train_little(monkeypatch)
    module = module_of(name)
    begin = module.Inputs()
    for field, control in module.Inputs.controls():
        for value in ends(control.at(begin)) if control.kind != "custom" else ():
            try:
                computed(module, **{field: value})
            except NothingToShow as nothing:
                assert str(nothing).endswith(".")  # noqa: PT017  (one at a time)


@every_exhibit
def test_what_lies_beyond_a_control_is_refused(name: str) -> None:
    module = module_of(name)
    begin = module.Inputs()
    for field, control in module.Inputs.controls():
        at = control if control.kind == "custom" else control.at(begin)
        if at.kind in ("slider", "number", "seed"):
            for value in (at.options["low"] - 1, max(at.options["low"], at.options["high"]) + 1, float("nan"), "x"):
                with pytest.raises(ValueError, match="is not a"):
                    module.Inputs(**{field: value})
        elif at.kind in ("select", "segmented"):
            with pytest.raises(ValueError, match="is not one of"):
                module.Inputs(**{field: "\x00nothing"})


@pytest.mark.slow
def test_a_notebook_needs_no_streamlit() -> None:
    lines = [f"import {module}" for module in sorted(set(MODULES.values()))]
    script = "import sys; sys.modules['streamlit'] = None\n" + "\n".join(lines)
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-2000:]
