"""The ledger's room: examples, sentences of every kind, every control, links, and what its texts say."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.rooms.ledger import budget, ledger, sheet
from core.rooms.ledger.experiments import ledger as water
from core.rooms.ledger.experiments import ledger_topics as topics
from core.rooms.ledger.ledger_widget import LedgerRow
from core.ui.training.trained_models import Trained, trained
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


def _rows(smoothing: str, ending: str, answer: str = "cup") -> tuple[LedgerRow, ...]:
    models: Trained = trained(example("ledger"))
    sentence = f"I poured water from the bottle into the cup until it was {ending}. It is the {answer}."
    ids = sheet.cut(models, sheet.WATER, 0, sentence).ids
    return sheet.rows(models, sheet.WATER, 0, smoothing, ids)  # type: ignore[arg-type]


@pytest.mark.parametrize("smoothing", ["interpolated", "laplace", "mle"])
def test_full_or_empty_changes_no_number_of_any_ngram(smoothing: str) -> None:
    full, empty = _rows(smoothing, "full"), _rows(smoothing, "empty")
    for one, other in zip(full[:6], empty[:6], strict=True):
        np.testing.assert_array_equal(one.p, other.p)
    gpt, gru = (abs(full[i].p[water.ANSWER] - empty[i].p[water.ANSWER]) for i in (-1, -2))
    assert gpt > 0.9 and gru < 0.05


def test_claims_about_the_bottle_sentence() -> None:
    rows = {row.name: row for row in _rows("interpolated", "full")}
    cost = {name: -np.log(row.p[water.ANSWER]) for name, row in rows.items()}
    assert cost["GPT"] < 0.1 and abs(cost["GRU"] - np.log(8)) < 0.1 and abs(cost["5-gram"] - np.log(8)) < 0.01
    assert all(abs(cost[f"{order}-gram"] - np.log(8)) < 0.15 for order in (2, 3, 4, 5)) and cost["1-gram"] > 3
    gpt = -np.log(rows["GPT"].p)
    assert gpt.argmax() == 8 and gpt[8] > 5  # the first "cup", which never followed a bottle
    assert _rows("interpolated", "empty")[-1].p[water.ANSWER] < 0.01
    plain = _rows("mle", "full")
    assert [np.isfinite(row.nats) for row in plain[2:6]] == [True, True, False, False]
    for row in plain[2:6]:
        assert -np.log(row.p[water.ANSWER]) == pytest.approx(np.log(8))


def test_claims_about_the_real_text() -> None:
    live = example("ledger-topics")
    models = trained(live)
    ids = sheet.cut(models, sheet.TOPICS, 0, ledger.COURAGE).ids
    rows = {row.name: row for row in sheet.rows(models, sheet.TOPICS, 0, "interpolated", ids)}
    assert abs(rows["4-gram"].mean - rows["GPT"].mean) < 0.1
    assert rows["GRU"].mean > max(rows["4-gram"].mean, rows["GPT"].mean) + 0.2
    for net, name in (("gpt", "GPT"), ("gru", "GRU")):  # the documentation of another Python is another text
        near = 0.02 if sheet.is_the_same_text(models, sheet.TOPICS) else 0.15
        assert rows[name].mean == pytest.approx(float(live.record[f"curve.{net}"][-1]), abs=near)


def test_claims_about_the_budget() -> None:
    real, stories = example("budget"), example("budget-stories")
    for name in budget.AMOUNTS:
        assert budget.crossing(real, name, "gpt") is None and budget.crossing(real, name, "gru") is None
        assert budget.crossing(stories, name, "gpt") is not None and budget.crossing(stories, name, "gru") is None
    for shown in (real, stories):  # counting takes a fraction of a second, the nets some seconds
        places, end = budget._places(shown, "seconds")
        assert end == pytest.approx(max(seconds[-1] for seconds in places.values()), rel=1e-5)
        assert all((np.diff(seconds) > 0).all() for seconds in places.values())
        assert all(shown.record[f"seconds.{name}.ngram"] < 0.5 < places[f"{name}.gru"][-1] for name in budget.AMOUNTS)
    little = real.record["curve.10k.gpt"]
    assert little[-1] > little.min() + 0.3  # it turns and rises
    for record in (real.record, stories.record):
        assert record["ngram.all"].min() < record["ngram.100k"].min() < record["ngram.10k"].min()


def test_the_record_brings_its_own_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    models = trained(example("ledger-topics"))
    assert sheet.text_of(models, sheet.TOPICS, 0).tokenizer.vocab_size == topics.VOCAB_SIZE
    damaged = dict(models.record) | {"digest": np.zeros(8, dtype=np.uint8)}  # as if the text here were another
    assert not sheet.is_the_same_text(Trained("another", damaged), sheet.TOPICS)
    monkeypatch.setattr(sheet, "is_the_same_text", lambda *_: False)
    test = clean(page(ledger_sentence="great courage").run())
    assert "another version of Python" in text_of(test)
