"""The room driven without a browser: every cell, wide and deep nets, replaced words, settings, a growing run."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from core.inspect.reading.model_and_text import read
from core.rooms.recurrent import unrolled
from core.rooms.recurrent.compute.recurrent import MEANING
from core.train.experiment import run_of
from core.ui.training import experiments
from tests import tiny_model
from tests.pages.choices import sent, shown, told as choices_of
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
page = partial(linked, str(ROOT / "pages" / "before" / "recurrent.py"))
guessed = partial(page, remember_guess="Just show me")


def test_opens_with_every_exhibit_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page(open="all").run())
    assert not test.warning
    told = text_of(test)
    assert told.count("once you've made your guess") == 1 and "better than a guess" not in told
    clean(test.button_group(key="remember_guess").set_value("gates").run())
    assert "You guessed: both nets with gates. The answer: the GRU alone." in text_of(test)


@pytest.mark.parametrize(("cell", "parts"), [("rnn", ""), ("lstm", "cfigo"), ("gru", "rzn")])
def test_every_cell_shows_all_its_parts_and_a_step_that_is_the_models_own(cell: str, parts: str) -> None:
    test = clean(guessed(model=f"stories-{cell}").run())
    assert ("unroll_part" in choices_of(test)) == bool(parts)
    seen = unrolled.compute(unrolled.Inputs(given=read(f"stories-{cell}", unrolled.Inputs().given.encoded.text))).seen
    for part in parts:  # all are sent at once: the map shows the one that is chosen
        at = clean(guessed(model=f"stories-{cell}", unroll_part=f"{part}: {MEANING[part]}").run())
        header, arrays = shown(sent(at, "matrix"), at)
        np.testing.assert_array_equal(arrays["values"], seen.parts[part][-1][:, list(map(int, header["rows"]))].T)
        assert header["label"].startswith(f"{MEANING[part].capitalize()} {part} of 12")
    test.slider(key="unroll_token").set_value(29)
    clean(test.slider(key="unroll_unit").set_value(47).run())
    told = text_of(test)
    assert "Unit 47 reads" in told and "the start, all zeros" not in told
    assert ("there is no second picture" in told) is (cell == "rnn")
    fresh = page(model=f"stories-{cell}", unroll_order="by number").run()
    clean(test.button_group(key="unroll_order").set_value("number").run())
    for control in ("unroll_unit", "unroll_token"):  # a link leaves out what is as at the start
        assert test.slider(key=control).value == fresh.slider(key=control).value


def test_a_deep_wide_net_of_characters_is_shown_too(data: Path) -> None:
    tiny_model.write(data / "models" / "wide", "char", cell="lstm", n_layer=2, d_model=300)
    st.cache_data.clear()  # the list of models is kept for some seconds
    test = clean(guessed(model="Little stories").run())
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


def test_any_text_is_read_or_refused_in_words() -> None:
    test = guessed().run()
    for text in ("", "Tom", "🦎 مرحبا", "Tom " * 300, "<b>|`x`|</b> $a$ **no**"):
        clean(test.text_area(key="text").set_value(text).run())
        assert ("New state" if text else "The text is empty") in text_of(test)


def test_the_word_to_replace() -> None:
    test = page(open="all").run()
    for word, told in ((0, "30 of 30 forward states changed"), (29, "1 of 30 forward states changed")):
        clean(test.slider(key="both_word").set_value(word).run())
        assert told in text_of(test)
    for new, told in (("No", "already that word"), ("<b>zebra</b> park", "one token for everything unknown"),
                      ("", "Type one word")):  # fmt: skip
        clean(test.text_input(key="both_new").set_value(new).run())
        assert told in text_of(test) and (new != "No" or "is put in" not in text_of(test))


def test_forgetting_and_the_race_take_every_setting() -> None:
    test = guessed().run()
    for length, bias in ((10, 0), (80, 5)):
        test.button_group(key="forget_length").set_value(length)
        told = text_of(clean(test.button_group(key="forget_bias").set_value(bias).run()))
        assert f"distance {length + 1}" in told and ("LSTM, bias 5" in told) is (bias == 5)
    clean(test.button_group(key="forget_models").set_value("trained").run())
    assert "Right answers of the nets" in text_of(test) and "The settings have changed" not in text_of(test)
    for name, value in (("asked", "always"), ("bias", 5), ("furthest", 5), ("distance", 40)):
        test.button_group(key=f"remember_{name}").set_value(value)
        clean(test.run())
    clean(test.slider(key="remember_text").set_value(255).run())
    assert "The settings have changed" in text_of(test) and "The first letter was" in text_of(test)


def test_a_record_that_is_still_growing_is_drawn_and_none_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    for step in (0, 7):
        begun = replace(run_of("remember", seed=3, until=step, furthest=10, n_step=20), is_running=True)
        for name in ("train", "shown_run"):
            monkeypatch.setattr(experiments, name, lambda *_, begun=begun, **__: begun)
        told = text_of(clean(page(remember_guess="both nets with gates", forget_models="Trained").run()))
        assert f"After step {step}" in told and "You guessed" not in told  # 20 was not trained
    for name in ("train", "shown_run"):
        monkeypatch.setattr(experiments, name, lambda *_, **__: None)
    assert "There is no trained model yet" in text_of(clean(page(forget_models="Trained").run()))
