"""The ledger's room: examples, sentences of every kind, every control, links, and what its texts say."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.rooms.ledger import budget, ledger
from core.rooms.ledger.compute.ledger import LedgerRow
from core.rooms.ledger.experiments import ledger as water
from core.rooms.ledger.experiments import ledger_topics as topics
from core.rooms.ledger.experiments.budget import AMOUNTS
from core.ui.exhibit.words import fill, words_of
from tests.pages.rooms import clean, linked, text_of
from tests.pages.test_live_claims import example

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "before" / "ledger.py")
page = partial(linked, PAGE)


def test_opens_with_its_examples_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    told = text_of(test)
    assert "the loss of the 2-gram is" in told and "once you've made your guess" in told
    assert "does not pass it" not in told
    assert [button.label for button in test.button] == ["Train both nets", "Train the nets"]
    for answer in (*budget.GUESSES, "show"):
        test.button_group(key="budget_guess_real").set_value(answer)
        assert "does not pass it" in text_of(clean(test.run()))
    test.button_group(key="budget_axis").set_value("seconds")
    assert "counting all five takes" in text_of(clean(test.run()))
    test.button_group(key="budget_text").set_value("stories")
    clean(test.run()).button_group(key="budget_guess_stories").set_value("every")
    assert "You guessed: at every amount. The answer: at every amount." in text_of(clean(test.run()))


def test_every_control_and_any_sentence() -> None:
    test = clean(page().run())
    for key, value in (
        ("ledger_ending", "empty"),
        ("ledger_answer", "bottle"),
        ("ledger_smoothing", "mle"),
        ("ledger_steps_water", 1_500),
        ("ledger_smoothing", "laplace"),
        ("ledger_sentence", "courage"),
        ("ledger_sentence", "own"),
    ):
        test.button_group(key=key).set_value(value)
        clean(test.run())
    for sentence in ("", "   ", "🙂", "The dog was full. It is the dog.", "it " * 60, "$x$ [a](b)"):
        test.text_input(key="ledger_own_water").set_value(sentence)
        told = text_of(clean(test.run()))
        assert ("is empty" in told) == (not sentence.strip())
    test.text_input(key="ledger_own_water").set_value("I saw a dog.")
    assert "“saw”, “a”, “dog”" in text_of(clean(test.run())).replace("\\", "")
    test.text_input(key="ledger_own_water").set_value("word " * 30)  # with and without the space: one word to a reader
    told = text_of(clean(test.run())).replace("\\", "")
    assert "t know “word”. Each" in told and "lines of 20. Its last 20 are used" in told
    test.text_input(key="ledger_own_water").set_value("q w r t y p s d")
    assert "“y” and 3 more. Each" in text_of(clean(test.run())).replace("\\", "")
    test.button_group(key="ledger_source").set_value("topics")
    for sentence in ("ö 🙂 語", "word " * 39):
        clean(test.run()).text_input(key="ledger_own_topics").set_value(sentence)
    told = text_of(clean(test.run())).replace("\\", "")
    assert "more than 48 columns cannot be read. Its last 48 are used" in told


def test_hostile_links_are_refused_in_plain_words() -> None:
    test = page(ledger_sentence="<script>", ledger_seed="-1", budget_shares="1", ledger_own_water="x" * 5_000).run()
    clean(test)


def rows(**inputs: Any) -> dict[str, LedgerRow]:
    return {row.name: row for row in ledger.compute(ledger.Inputs(**inputs), example("ledger")).rows}


@pytest.mark.parametrize("smoothing", ["interpolated", "laplace", "mle"])
def test_full_or_empty_changes_no_number_of_any_ngram(smoothing: str) -> None:
    full, empty = (rows(smoothing=smoothing, ending=ending) for ending in ("full", "empty"))
    change = {name: abs(full[name].p - empty[name].p) for name in full}
    assert not any(change[name].any() for name in change if name not in ("GPT", "GRU"))
    assert change["GPT"][water.ANSWER] > 0.9 and change["GRU"][water.ANSWER] < 0.05


def test_claims_about_the_bottle_sentence() -> None:
    found = rows()
    cost = {name: row.losses[water.ANSWER] for name, row in found.items()}
    assert cost["GPT"] < 0.1 and abs(cost["GRU"] - np.log(8)) < 0.1 and abs(cost["5-gram"] - np.log(8)) < 0.01
    assert all(abs(cost[f"{order}-gram"] - np.log(8)) < 0.15 for order in (2, 3, 4, 5)) and cost["1-gram"] > 3
    gpt = found["GPT"].losses
    assert gpt.argmax() == 8 and gpt[8] > 5  # the first "cup", which never followed a bottle
    assert rows(ending="empty")["GPT"].p[water.ANSWER] < 0.01
    plain = [rows(smoothing="mle")[f"{order}-gram"] for order in (2, 3, 4, 5)]
    assert [np.isfinite(row.nats) for row in plain] == [True, True, False, False]
    assert [row.losses[water.ANSWER] for row in plain] == pytest.approx([np.log(8)] * 4)


def test_claims_about_the_real_text() -> None:
    run = example("ledger-topics")
    result = ledger.compute(ledger.Inputs(sentence="courage"), run)
    found = {row.name: row for row in result.rows}
    assert abs(found["4-gram"].mean - found["GPT"].mean) < 0.1
    assert found["GRU"].mean > max(found["4-gram"].mean, found["GPT"].mean) + 0.2
    for net, name in (("gpt", "GPT"), ("gru", "GRU")):  # the documentation of another Python is another text
        near = 0.02 if result.is_same_text else 0.15
        assert found[name].mean == pytest.approx(float(run.record[f"curve.{net}"][-1]), abs=near)


def test_claims_about_the_budget() -> None:
    real, stories = (
        budget.compute(budget.Inputs(text=text), example(name))
        for text, name in (("real", "budget"), ("stories", "budget-stories"))
    )
    for name in AMOUNTS:
        assert real.crossing(name, "gpt") is None and real.crossing(name, "gru") is None
        assert stories.crossing(name, "gpt") is not None and stories.crossing(name, "gru") is None
    for shown in (real, stories):  # counting takes a fraction of a second, the nets some seconds
        places, end = shown.places("seconds")
        assert end == pytest.approx(max(seconds[-1] for seconds in places.values()), rel=1e-5)
        assert all((np.diff(seconds) > 0).all() for seconds in places.values())
        assert all(shown.seconds(name, "ngram") < 0.5 < places[f"{name}.gru"][-1] for name in AMOUNTS)
    little = real.run.record["curve.10k.gpt"]
    assert little[-1] > little.min() + 0.3  # it turns and rises
    for record in (real.run.record, stories.run.record):
        assert record["ngram.all"].min() < record["ngram.100k"].min() < record["ngram.10k"].min()


def test_the_record_brings_its_own_tokenizer() -> None:
    run = example("ledger-topics")
    assert ledger.text_of(ledger.TOPICS, run).tokenizer.vocab_size == topics.VOCAB_SIZE
    damaged = replace(run, record=dict(run.record) | {"digest": np.zeros(8, dtype=np.uint8)})  # as of another Python
    result = ledger.compute(ledger.Inputs(sentence="courage"), damaged)
    assert not result.is_same_text
    text = words_of("ledger", "ledger").sections["other-text"].text
    assert "another version of Python" in fill(text, lambda name: getattr(result, name))
