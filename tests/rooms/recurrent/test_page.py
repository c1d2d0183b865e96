"""The room of recurrent nets, driven without a browser: every model, every control, odd texts, links, a growing run."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from core.rooms.recurrent import ROOM
from core.train import experiment
from core.train.experiments.live import Live
from core.ui.text import escape_markdown
from core.ui.training import live
from tests import tiny_model
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "before" / "recurrent.py")
page = partial(linked, PAGE)
EXHIBITS = tuple(entry.exhibit() for entry in ROOM.exhibits)


def test_opens_with_every_exhibit_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    titles = [escape_markdown(one.title) for one in EXHIBITS]
    assert [one.value for one in test.subheader if one.value in titles] == titles
    assert not test.warning
    told = text_of(test)
    assert told.count("once you've made your guess") == 1 and "better than a guess" not in told
    clean(test.button_group(key="remember_guess").set_value("gates").run())
    assert "You guessed: both nets with gates. The answer: the GRU alone." in text_of(test)


@pytest.mark.parametrize("cell", ["rnn", "lstm", "gru"])
def test_every_cell_shows_all_its_parts_and_a_step_that_is_the_models_own(cell: str) -> None:
    test = clean(page(model=f"stories-{cell}", remember_guess="Just show me").run())
    n_gate = {"rnn": 0, "lstm": 4, "gru": 3}[cell]
    parts = [one for one in test.button_group if one.key == "unroll_part"]
    assert len(parts) == bool(n_gate)
    for part in {"rnn": "", "lstm": "cfigo", "gru": "rzn"}[cell]:
        clean(test.button_group(key="unroll_part").set_value(part).run())
    for token, unit in ((0, 0), (29, 47)):
        test.slider(key="unroll_token").set_value(token)
        clean(test.slider(key="unroll_unit").set_value(unit).run())
        assert f"Unit {unit} reads" in text_of(test)
    assert "the start, all zeros" not in text_of(test)
    for n_shown in (24, 0):
        clean(test.button_group(key="unroll_units").set_value(n_shown).run())
    for order in ("quick", "number"):
        clean(test.button_group(key="unroll_order").set_value(order).run())
    fresh = page(model=f"stories-{cell}", unroll_order="by number").run()
    for control in ("unroll_unit", "unroll_token"):  # a link leaves out what is as at the start
        assert test.slider(key=control).value == fresh.slider(key=control).value
    assert ("there is no second picture" in text_of(test)) is (cell == "rnn")


def test_a_deep_wide_net_of_characters_is_shown_too(data: Path) -> None:
    tiny_model.write(data / "models" / "wide", "char", cell="lstm", n_layer=2, d_model=300)
    st.cache_data.clear()  # the list of models is kept for some seconds
    test = clean(page(model="Little stories", remember_guess="Just show me").run())
    assert "2 layers of 300 LSTM units" in text_of(test)
    test.button_group(key="unroll_units").set_value(0)
    for layer, unit in ((0, 299), (1, 0)):
        clean(test.slider(key="unroll_layer").set_value(layer).run())
        clean(test.slider(key="unroll_unit").set_value(unit).run())
        assert f"Unit {unit} reads" in text_of(test)


@pytest.mark.parametrize("room", ["before/recurrent", "generate/next_token", "generate/strategies"])
def test_a_text_longer_than_the_windows_of_the_training_is_read_everywhere(room: str, data: Path) -> None:
    tiny_model.write(data / "models" / "tiny-windows", cell="gru", context_length=4)
    st.cache_data.clear()
    test = clean(linked(str(ROOT / "pages" / f"{room}.py"), model="tiny-windows", columns_n="10").run())
    assert "trained on windows of 4 tokens" in text_of(test)
    assert not test.warning and not test.error


@pytest.mark.parametrize("text", ["", "Tom", " \n ", "🦎 مرحبا", "Tom " * 300, "<b>|`x`|</b> $a$ **no**"])
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    test = page(remember_guess="Just show me").run()
    clean(test.text_area(key="text").set_value(text).run())
    if not text:
        assert "The text is empty" in text_of(test)
    else:
        assert "New state" in text_of(test)


def test_the_word_to_replace_and_the_padding_at_both_ends() -> None:
    test = page().run()
    for word, told in ((0, "30 of 30 forward states changed"), (29, "1 of 30 forward states changed")):
        clean(test.slider(key="both_word").set_value(word).run())
        assert told in text_of(test)
    clean(test.text_input(key="both_new").set_value("No").run())
    assert "already that word" in text_of(test)
    assert "is put in" not in text_of(test)
    clean(test.text_input(key="both_new").set_value("<b>zebra</b> park").run())
    assert "one token for everything unknown" in text_of(test)
    clean(test.text_input(key="both_new").set_value("").run())
    assert "Type one word" in text_of(test)
    for padding in (0, 20):
        clean(test.slider(key="pad_more").set_value(padding).run())
        assert ("2.000" in text_of(test)) is (padding == 20)


def test_forgetting_takes_every_setting() -> None:
    test = page().run()
    for length, bias in ((10, 0), (80, 5)):
        test.button_group(key="forget_length").set_value(length)
        clean(test.button_group(key="forget_bias").set_value(bias).run())
        assert f"distance {length + 1}" in text_of(test)
        assert ("LSTM, bias 5" in text_of(test)) is (bias == 5)
    clean(test.button_group(key="forget_models").set_value("trained").run())
    for distance in (5, 40):
        clean(test.button_group(key="forget_distance").set_value(distance).run())
        assert "Right answers of the nets" in text_of(test)


def test_the_race_takes_every_setting() -> None:
    test = page(remember_guess="Just show me").run()
    assert "The settings have changed" not in text_of(test)
    for name, value in (("asked", "always"), ("bias", 5), ("furthest", 5), ("distance", 40), ("distance", 5)):
        clean(test.button_group(key=f"remember_{name}").set_value(value).run())
    clean(test.slider(key="remember_text").set_value(255).run())
    assert "The settings have changed" in text_of(test) and "The first letter was" in text_of(test)


@pytest.mark.parametrize(
    "address",
    [
        {"unroll_token": "999", "unroll_unit": "-1", "unroll_part": "<b>", "unroll_units": "7"},
        {"both_word": "1e309", "both_new": "x" * 500, "pad_more": "nan"},
        {"forget_length": "41", "forget_bias": "9", "forget_seed": "-1", "forget_models": "../"},
        {"remember_guess": "", "remember_seed": "99999999999", "remember_distance": "7", "remember_asked": "\u202e"},
        {"model": "stories"},
    ],
)
def test_hostile_links_are_refused_in_words_and_the_page_goes_on(address: dict[str, str]) -> None:
    test = clean(page(**address).run())
    assert len(test.get("bidi_component")) == 5


@pytest.mark.parametrize("step", [0, 7])
def test_a_record_that_is_still_growing_is_drawn(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    running = experiment.start("remember", {"furthest": 10, "n_step": 20}, 3)
    for _ in range(step):
        running.advance()
    options = {"furthest": 10, "n_step": 20, "asked": "end", "forget_bias": 0}
    now = Live(running.record(), options, 3, step, 20, True, False)
    monkeypatch.setattr(live, "train", lambda *args, **how: now)
    monkeypatch.setattr(live, "current", lambda *args: now)
    test = clean(page(remember_guess="both nets with gates", forget_models="Trained").run())
    assert f"After step {step}" in text_of(test) and "You guessed" not in text_of(test)  # 20 was not trained


def test_no_record_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "train", lambda *args, **how: None)
    monkeypatch.setattr(live, "current", lambda *args: None)
    assert "There is no trained model yet" in text_of(clean(page(forget_models="Trained").run()))


def test_panels_have_code_numbers_and_arrays() -> None:
    test = page(remember_guess="Just show me").run()
    for panel in ("Code", "Numbers", "Download"):
        for piece in EXHIBITS:
            test.button_group(key=f"panel-{piece.name}").set_value(panel)
        clean(test.run())
        if panel == "Numbers":
            assert len(test.dataframe) == len(EXHIBITS)
    assert sum(len(piece.code) for piece in EXHIBITS) > 12


def test_the_example_is_finite_and_small() -> None:
    data = (experiment.EXAMPLES / "remember.safetensors").read_bytes()
    record, about = experiment.unpack(data)
    assert len(data) < 600_000
    assert about["seed"] == 0 and about["step"] == about["n_step"] == 400
    assert all(np.isfinite(array).all() for array in record.values())
