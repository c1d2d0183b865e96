"""While a guess is open, no picture tells what came, and no panel below it."""

import importlib
import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.exhibit import NOT_YET
from core.rooms import exhibits
from core.rooms.hard_attention.experiments import choosing, lecture
from core.rooms.ledger.experiments import budget
from core.rooms.recurrent.experiments import remember
from core.rooms.seq2seq.experiments import bottleneck
from core.ui.exhibit import panels
from core.ui.exhibit.drawing import Drawing
from tests.pages.rooms import clean
from tests.pages.test_scripts import exhibit_alone

# Marks that a picture may have or not; and where they are there before the guess.
MARK = re.compile(r"\b(dashed|dotted|dots?|rings?|right (?:of the|curve|bars?)|left|third|fourth|upper|lower)\b", re.I)
DRAWN_BEFORE = {
    "adapters.fifty-lines": "full fine-tuning has its rings, in the left picture and the right one",
    "experts.a-trillion": "all rings are drawn, and no dot",
}

pytestmark = pytest.mark.usefixtures("data")
# Exhibit -> what each hidden variant is called in its pictures.
HIDDEN: dict[str, set[str]] = {
    "seq2seq.bottleneck": {bottleneck.NAMES["without"]},
    "recurrent.remember": {remember.NAMES[name] for name in ("lstm", "gru")},
    "ledger.when-ngram-wins": set(budget.NETS.values()),
    "choosing.three-ways": {told for name, told in choosing.NAMES.items() if name != "soft"},
    "choosing.fix-the-code": {told for name, told in lecture.NAMES.items() if name not in ("none", "all")},
}


def alone(name: str, monkeypatch: pytest.MonkeyPatch, **controls: Any) -> tuple[AppTest, Drawing]:
    """An exhibit on a page of its own, and what it hands to its panels."""
    kept: list[Drawing] = []
    plain = panels.footer
    monkeypatch.setattr(
        panels, "footer", lambda title, code, drawn, key: [kept.append(drawn), plain(title, code, drawn, key)]
    )
    test = AppTest.from_function(exhibit_alone, default_timeout=60)
    test.session_state["exhibit"] = name
    for control, value in controls.items():
        test.session_state[control] = value
    clean(test.run())
    return test, kept[-1]


@pytest.mark.parametrize("name", HIDDEN)
def test_an_open_guess_keeps_what_it_asks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    test, shown = alone(name, monkeypatch)
    figure = shown.figure or {}
    drawn = {row.get("name", row.get("series")) for row in figure["datasets"]["rows"]}
    assert not drawn & HIDDEN[name]
    assert not any(f'"name": "{one}"' in json.dumps(figure) for one in HIDDEN[name])
    alts = [one.proto.alt for kind in ("arrow_vega_lite_chart", "vega_lite_chart") for one in test.get(kind)]
    assert alts and not any(f"{one} 0." in alt or f"{one} 1." in alt for alt in alts for one in HIDDEN[name])
    for panel in ("Numbers", "Download"):
        test.button_group(key=f"gf-panel-{name.partition('.')[2]}").set_value(panel)
        clean(test.run())
        assert panels.GUESS_FIRST in [one.value for one in test.caption]
        assert not test.get("download_button") and not test.dataframe


def test_the_first_sentence_names_no_mark_that_is_not_drawn_yet() -> None:
    """“Look right of the dashed line”, where no line stood before the guess."""
    told = {
        name: entry.exhibit().words.look_for
        for name, entry in exhibits().items()
        if any(control.default == NOT_YET for _, control in importlib.import_module(entry.module).Inputs.controls())
    }
    assert len(told) > 10
    named = {name: text for name, text in told.items() if MARK.search(text) and name not in DRAWN_BEFORE}
    assert not named


def test_every_guess_is_known_to_the_frame() -> None:
    asked = [importlib.import_module(entry.module).Inputs for entry in exhibits().values()]
    guessed = [inputs for inputs in asked if any(control.default == NOT_YET for _, control in inputs.controls())]
    assert len(guessed) > 10
    assert all(Drawing(None, None, inputs()).must_guess for inputs in guessed)  # type: ignore[arg-type]
