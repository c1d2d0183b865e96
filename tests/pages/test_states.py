"""Each exhibit in each state that its declaration allows, generated from its `Inputs` and its experiment alone.

What this catches: a fault, an empty pane or an unchecked value wherever a control can be moved, by hand or by a forged
link; a guess that is given away; settings of a training that are taken for those shown; a record that is missing, at
its first step, or still growing; a badge whose number is another one in the second pass.
"""

from dataclasses import asdict
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from core.exhibit import NOT_YET, SHOW, label_of
from core.exhibit.result import GuessOutcome
from core.rooms import all_exhibits
from core.train import experiment
from core.train.device import single_torch_thread
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui.controls.address import to_address_values
from core.ui.exhibit import exhibit_panels
from core.ui.exhibit.exhibit import NOTHING
from core.ui.exhibit.program import experiment_setting_names
from core.ui.training import live_experiments
from tests.counts import in_turn
from tests.drawn import Drawn, controls_of, drawn, ends, guess_of, module_of
from tests.library.contracts.test_experiments import LARGE
from tests.pages.rooms import clean, text_of
from tests.snapshots.take import NUMBER

NAMES = sorted(all_exhibits())
TRAINED = [name for name in NAMES if vars(module_of(name)).keys() & {"EXPERIMENT", "TRAINED"}]
# Their experiments read much before the first step: in the full run.
READS_MUCH = {
    name for name in TRAINED if LARGE & {vars(module_of(name)).get(key, "") for key in ("EXPERIMENT", "TRAINED")}
}
GUESSED = [name for name in NAMES if guess_of(name)]
FORGED = ("x", "nan", "99999999999", "", "\x00*[x](y)* <b>$x$", "1" * 10_000)
CHECKED = ("slider", "number", "seed", "select", "segmented", "toggle")
REFUSED = ("The default is used.", "The link's value is not used.")
OTHERWISE = "The settings have changed since this was trained"
# What is drawn before the guess has a number that the answer names, too.
DRAWN_BEFORE = {"draft-and-verify.train-a-draft"}


@pytest.fixture(autouse=True)
def _no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setenv("GLASSFORMER_TRAINING", "off")


def shown(name: str, **address: str | list[str]) -> Drawn:
    """What an exhibit shows at an address: something, and no fault."""
    found = drawn(name, **address)
    test = clean(found.test)
    assert NOTHING not in [one.value for one in test.info], f"an empty pane: {address}"
    assert found.drawing or test.info or test.warning or test.button, f"nothing at all: {address}"
    assert not found.drawing or found.drawing.messages or test.markdown, f"nothing is drawn: {address}"
    return found


def refused(found: Drawn) -> list[str]:
    """What is said of values that are not used."""
    said = [one.value.replace("\\", "") for one in found.test.warning]
    return [one for one in said if one.endswith(REFUSED)]


def revealed(name: str) -> dict[str, str]:
    """The address at which an exhibit hides nothing."""
    guess = guess_of(name)
    return {} if guess is None else {str(guess.name): label_of(guess, SHOW)}


def texts_of(found: Drawn) -> str:
    """All that it says, and what its charts are for those who do not see them."""
    charts = [one.proto.alt for kind in ("arrow_vega_lite_chart", "vega_lite_chart") for one in found.test.get(kind)]
    return " ".join([text_of(found.test), *charts, *(one.value for one in found.test.metric)])


@pytest.mark.parametrize("name", in_turn(NAMES, 8))
def test_each_control_at_its_ends(name: str) -> None:
    """One at a time, all others as at the beginning; with other options than those of the training it is said so."""
    begin, module = shown(name, **revealed(name)), module_of(name)
    inputs = begin.drawing.inputs if begin.drawing else module.Inputs()
    trains = getattr(module, "EXPERIMENT", "")
    options = experiment_setting_names(trains) if isinstance(trains, str) else []
    assert OTHERWISE not in text_of(begin.test)
    for field, control in controls_of(name).items():
        if control.kind == "custom":
            continue
        at = control.resolve(inputs)
        values = [*ends(at)]
        for value in values[-1:] if control.view else values:
            found = shown(name, **revealed(name) | {str(control.name): [*to_address_values(at, value)]})
            assert not refused(found), f"{field}={value!r}"
            is_otherwise = field in options and str(control.name) in found.controls and value != getattr(inputs, field)
            assert not is_otherwise or OTHERWISE in text_of(found.test), f"{field}={value!r}"


@pytest.mark.parametrize("name", in_turn(NAMES, 8))
def test_a_forged_link_is_refused_and_the_defaults_are_used(name: str) -> None:
    """All controls forged at once; then texts and choices in a picture, which other controls may depend on."""
    controls = {str(one.name): one.kind for one in controls_of(name).values() if one.kind != "custom"}
    begin = {key: state.value for key, state in shown(name).controls.items() if controls.get(key) in CHECKED}
    for forged in FORGED:
        found = shown(name, **dict.fromkeys(begin, forged))
        assert {key: found.controls[key].value for key in begin} == begin, f"{forged[:20]!r}"
        assert len(refused(found)) >= len(begin) or forged != FORGED[0], "refused without a word"
        shown(name, **{key: forged for key in controls if key not in begin})


@pytest.mark.parametrize("name", in_turn(GUESSED, 8))
def test_an_open_guess_tells_no_number_of_the_answer(name: str) -> None:
    """Neither does the page, nor a panel below the picture; with the answer shown there is more to see."""
    guess = guess_of(name)
    assert guess is not None
    found, after = shown(name), shown(name, **revealed(name))
    assert found.controls[str(guess.name)].value == NOT_YET and after.drawing is not None
    outcome = getattr(after.drawing.result, "outcome", None)
    if isinstance(outcome, GuessOutcome):
        exact = {number for number in NUMBER.findall(outcome.text) if "." in number and name not in DRAWN_BEFORE}
        assert not exact & {*NUMBER.findall(texts_of(found))}, outcome.text
    assert texts_of(after) != texts_of(found)
    if found.drawing is None:
        return
    assert found.drawing.must_guess and not after.drawing.must_guess
    for panel in ("numbers", "download"):
        found.test.button_group(key=f"gf-panel-{all_exhibits()[name].name}").set_value(panel)
        clean(found.test.run())
        assert exhibit_panels.GUESS_FIRST in [one.value for one in found.test.caption]
        assert not found.test.get("download_button") and not found.test.dataframe


@cache
def begun(name: str) -> tuple[ExperimentRun, ExperimentRun]:
    """A training of an experiment that goes on: at its first look, and after one more step."""
    options, found = asdict(experiment.parse_experiment_options(name, {})), list[ExperimentRun]()
    with single_torch_thread():
        running = experiment.make_experiment(name, {}, seed := 3)
        if 0 not in running.eval_steps():  # a worker tells of it after its first step
            running.advance()
        for _ in range(2):
            record = {key: np.array(array) for key, array in running.record().items()}
            found.append(ExperimentRun(record, options, seed, running.step, running.n_step, is_running=True, name=name))
            running.advance()
    return found[0], found[1]


@pytest.mark.parametrize(
    "name",
    [
        *in_turn(sorted({*TRAINED} - READS_MUCH), 8),
        *(pytest.param(name, marks=pytest.mark.full) for name in sorted(READS_MUCH)),
    ],
)
def test_a_record_that_is_missing_or_still_growing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_experiments, "_shown", lambda *_: None)
    shown(name, **revealed(name))
    for i in (0, 1):
        monkeypatch.setattr(live_experiments, "_shown", lambda of, _, i=i: begun(of)[i])
        for depth in ("story", "numbers"):
            shown(name, depth=depth, **revealed(name))
