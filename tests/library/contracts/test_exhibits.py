"""The contract of every exhibit, read from its declaration: it computes without Streamlit, and refuses invalid inputs.

`tests/pages/test_states.py` draws each at the ends of its controls.
"""

import importlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from core.rooms import all_exhibits
from core.train import experiment
from core.ui.exhibit.exhibit import Exhibit
from core.ui.exhibit.exhibit_drawing_state import ExhibitDrawing, _arrays_of
from core.ui.room_folders import TEXTS
from tests.counts import in_turn
from tests.drawn import guess_of

ROOT = Path(__file__).resolve().parents[3]
MODULES = {name: entry.module for name, entry in all_exhibits().items()}
# They compute for seconds: a quarter of them with each change.
LONG = {"pixels.quantise", "decoder.first-loss", "block.gradients-with-depth", "pixels.probe", "patches.rollout",
        "draft-and-verify.when-it-pays", "tokens.how-large", "encoder-decoder.bleu-caveats", "encoder-decoder.beams",
        "fewer-bits.where-it-hurts", "tokens.own-tokens", "experts.a-trillion", "circuits.probe", "circuits.features",
        "pixels.orders"}  # fmt: skip
every_exhibit = pytest.mark.parametrize("name", sorted(MODULES))


def module_of(name: str) -> ModuleType:
    return importlib.import_module(MODULES[name])


# Marks that a picture may have or not; and where they are there before the guess.
MARK = re.compile(r"\b(dashed|dotted|dots?|rings?|right (?:of the|curve|bars?)|left|third|fourth|upper|lower)\b", re.I)
DRAWN_BEFORE = {
    "adapters.fifty-lines": "full fine-tuning has its rings, in the left picture and the right one",
    "experts.a-trillion": "all rings are drawn, and no dot",
}
run_once = cache(experiment.run_experiment)


def computed(module: ModuleType, **values: Any) -> Any:
    inputs = module.Inputs(**values)
    trained = Exhibit.from_module(module, "").experiment(inputs)
    return module.compute(inputs, run_once(trained)) if trained else module.compute(inputs)


def train_little(patch: pytest.MonkeyPatch) -> None:
    """Take only a few steps of a run that doesn't ship, because exhibits also show unfinished runs."""
    train = experiment._trained
    patch.setattr(experiment, "_trained", lambda *asked: train(*asked[:3], 3))


@every_exhibit
def test_no_control_has_a_name_that_the_frame_has_in_the_address(name: str) -> None:
    """One called "step" was taken for a lesson's: Start over kept it, and the choices next to it were lost."""
    names = {control.name for _, control in module_of(name).Inputs.controls()}
    assert not names & {"lesson", "step", "lock", "hide", "note", "depth", "view", "open", "present"}


@pytest.mark.parametrize("name", [*in_turn(sorted(LONG), 4), *sorted(MODULES.keys() - LONG)])
def test_its_numbers_are_a_table_and_its_words_name_what_it_has(name: str) -> None:
    module = module_of(name)
    guessed = {"orders_guess"} & {control.name for _, control in module.Inputs.controls()}
    result = computed(module, **({"guess": "show"} if guessed else {}))  # it shows nothing before a guess
    if hasattr(result, "table"):
        table = result.table()
        assert len({len(column) for column in table.values()}) == 1, name
        assert len(next(iter(table.values()))) > 0  # something stands there before anything is chosen
    assert all(array.dtype != object for array in _arrays_of(result).values())
    if hasattr(result, "at"):  # a template knows this name as "with other inputs", and would not find the field
        *_, room, exhibit = MODULES[name].split(".")
        assert not re.search(r"{[{%][^}]*\bat\b(?![(])", (TEXTS / room / f"{exhibit}.md").read_text())
    assert not hasattr(result, "formula") or isinstance(result.formula, str | None)
    words = Exhibit.from_module(module, name).text
    drawn = ExhibitDrawing(words, result, module.Inputs(), lambda **values: computed(module, **values))
    for one in words.try_chips:
        assert drawn.render(one.expectation)


@every_exhibit
def test_values_outside_a_controls_limits_are_refused(name: str) -> None:
    module = module_of(name)
    begin = module.Inputs()
    for field, control in module.Inputs.controls():
        at = control if control.kind == "custom" else control.resolve(begin)
        if at.kind in ("slider", "number", "seed"):
            for value in (at.options["low"] - 1, max(at.options["low"], at.options["high"]) + 1, float("nan"), "x"):
                with pytest.raises(ValueError, match="is not a"):
                    module.Inputs(**{field: value})
        elif at.kind in ("select", "segmented"):
            with pytest.raises(ValueError, match="is not one of"):
                module.Inputs(**{field: "\x00nothing"})


def test_the_first_sentence_names_no_mark_that_is_not_drawn_before_the_guess() -> None:
    """Fault: “Look right of the dashed line”, although there is no line before the guess."""
    told = {name: all_exhibits()[name].exhibit().text.look_for for name in MODULES if guess_of(name)}
    assert len(told) > 10
    assert not {name: text for name, text in told.items() if MARK.search(text) and name not in DRAWN_BEFORE}


@pytest.mark.slow
def test_a_notebook_needs_no_streamlit() -> None:
    lines = [f"import {module}" for module in sorted(set(MODULES.values()))]
    script = "import sys; sys.modules['streamlit'] = None\n" + "\n".join(lines)
    run = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert run.returncode == 0, run.stderr[-2000:]
