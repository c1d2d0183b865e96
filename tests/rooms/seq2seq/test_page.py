"""The room of sequence to sequence, driven without a browser: examples, guesses, every control, links, any text."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.rooms.seq2seq import ROOM
from core.rooms.seq2seq.experiments import bottleneck
from core.train import experiment
from core.ui.text import escape_markdown
from core.ui.training import live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "before" / "seq2seq.py")
page = partial(linked, PAGE)


def test_opens_with_every_example_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    titles = [escape_markdown(entry.exhibit().title) for entry in ROOM.exhibits]
    assert [one.value for one in test.subheader if one.value in titles] == titles
    assert not test.warning
    told = text_of(test)
    assert "once you've made your guess" in told and "% with attention," not in told
    test.button_group(key="race_guess").set_value("few")
    told = text_of(clean(test.run()))
    assert "You guessed: less than 50%. The answer: 32%" in told and "50,928" in told


def test_every_control_at_both_ends() -> None:
    test = page(race_guess="Just show me").run()
    for measure in bottleneck.MEASURES:
        test.selectbox(key="race_measure").set_value(measure)
        clean(test.run())
    test.button_group(key="align_task").set_value("dates")
    test.button_group(key="over_task").set_value("dates")
    test.button_group(key="force_model").set_value("without")
    told = text_of(clean(test.run()))
    assert "1961\\-04\\-12" in told
    test.slider(key="over_step").set_value(10)
    test.selectbox(key="over_source").set_value(23)
    clean(test.run())
    next(button for button in test.button if button.label == "Evenly").click()
    assert "Step 10 puts 4%" in text_of(clean(test.run()))
    test.slider(key="over_step").set_value(0)
    clean(test.run())
    next(button for button in test.button if button.label == "Undo").click()
    assert "Nothing is set" in text_of(clean(test.run()))


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "Type at least one letter"), ("🙂 ?!", "Type at least one letter"), ("a", "It writes"), ("Äb-C 9", "bc")],
)
def test_any_string(text: str, says: str) -> None:
    test = page().run()
    for name in ("align_reversal", "over_reversal", "force_reversal", "dates_text"):
        test.text_input(key=name).set_value(text)
    assert says in text_of(clean(test.run()))


def test_long_texts_are_cut_and_links_are_checked() -> None:
    test = clean(page(align_reversal="x" * 1000, force_reversal="y" * 1000, align_cell="99.99", over_row="3:1,2").run())
    assert sum("only the first 40 are used" in one.value for one in test.warning) == 2
    assert any("does not fit this text" in one.value for one in test.warning)
    test = clean(test.run())
    assert {len(test.text_input(key=name).value) for name in ("align_reversal", "force_reversal")} == {40}
    for row in ("0:" + "9" * 2000, "0:1e400,0,0,0,0,0,0,0,0"):
        assert any("does not fit" in one.value for one in clean(page(over_row=row).run()).warning)
    odd = clean(page(over_row="0:0,0,0,0,0,0,0,0,0", align_cell="²." * 3, force_model="odd", race_width="7").run())
    assert any("above 0" in one.value for one in odd.warning)
    assert "summed to 1.50" in text_of(clean(page(over_row="3:1,.5,0,0,0,0,0,0,0").run()))


def test_an_unfinished_training_and_one_without_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the live view shows after two steps, and dates of a model that has no alignment."""
    records = {}
    for name, options in (("bottleneck", {"n_step": 100, "d_model": 16}), ("dates", {"attention": "none"})):
        running = experiment.start(name, options, 1)
        for _ in range(2):
            running.advance()
        asked = experiment.options_of(name, options)
        records[name] = live.Live(running.record(), vars(asked), 1, 2, running.n_step, False, False)
    monkeypatch.setattr(live, "_shown", lambda name, run: records[name])
    test = clean(page(race_guess="Just show me", align_task="a date", over_task="a date").run())
    assert "trained without attention" in text_of(test)
    monkeypatch.setattr(live, "_shown", lambda name, run: None)
    assert "no trained model yet" in text_of(clean(page().run()))
    assert np.isfinite(records["bottleneck"].record["curve.with.forced"]).all()
