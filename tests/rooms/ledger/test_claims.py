"""What the ledger's texts say is true of the examples that ship."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from core.rooms.ledger import bottle_or_cup, budget, ledger
from core.rooms.ledger.compute.ledger import LedgerRow
from core.rooms.ledger.experiments import ledger as water, ledger_topics as topics
from core.rooms.ledger.experiments.budget import AMOUNTS
from core.train.experiment import run_experiment
from core.ui.exhibit.exhibit_text import load_exhibit_markdown, render_template


def rows(**inputs: Any) -> dict[str, LedgerRow]:
    return {row.name: row for row in ledger.compute(ledger.Inputs(**inputs), run_experiment("ledger")).rows}


@pytest.mark.parametrize("smoothing", ["interpolated", "laplace", "mle"])
@pytest.mark.measured("08-counting-to-attention", "Replace “full”")
def test_full_or_empty_changes_no_number_of_any_ngram(smoothing: str) -> None:
    full, empty = (rows(smoothing=smoothing, ending=ending) for ending in ("full", "empty"))
    change = {name: abs(full[name].p - empty[name].p) for name in full}
    assert not any(change[name].any() for name in change if name not in ("GPT", "GRU"))
    assert change["GPT"][water.ANSWER_POSITION] > 0.9 and change["GRU"][water.ANSWER_POSITION] < 0.05


def test_claims_about_the_bottle_sentence() -> None:
    found = rows()
    cost = {name: row.losses[water.ANSWER_POSITION] for name, row in found.items()}
    assert cost["GPT"] < 0.1 and abs(cost["GRU"] - np.log(8)) < 0.1 and abs(cost["5-gram"] - np.log(8)) < 0.01
    assert all(abs(cost[f"{order}-gram"] - np.log(8)) < 0.15 for order in (2, 3, 4, 5)) and cost["1-gram"] > 3
    gpt = found["GPT"].losses
    assert gpt.argmax() == 8 and gpt[8] > 5  # the first "cup", which never followed a bottle
    assert rows(ending="empty")["GPT"].p[water.ANSWER_POSITION] < 0.01
    plain = [rows(smoothing="mle")[f"{order}-gram"] for order in (2, 3, 4, 5)]
    assert [np.isfinite(row.nats) for row in plain] == [True, True, False, False]
    assert [row.losses[water.ANSWER_POSITION] for row in plain] == pytest.approx([np.log(8)] * 4)


@pytest.mark.parametrize(("first", "second"), [("bottle", "cup"), ("jug", "vase"), ("cup", "bottle")])
def test_only_the_gpt_changes_its_answer_and_is_right(first: str, second: str) -> None:
    found = bottle_or_cup.compute(bottle_or_cup.Inputs(first=first, second=second), run_experiment("ledger"))
    assert found.changed == ["GPT"]
    assert (found.said("gpt", "full"), found.said("gpt", "empty")) == (second, first)
    for one in found.found.values():
        assert one.p["gpt"].max() > 0.97
        assert all(0.11 < chance < 0.14 for model in ("ngram", "gru") for chance in one.p[model])


def test_claims_about_the_real_text() -> None:
    run = run_experiment("ledger-topics")
    result = ledger.compute(ledger.Inputs(sentence="courage"), run)
    found = {row.name: row for row in result.rows}
    assert abs(found["4-gram"].mean - found["GPT"].mean) < 0.1
    assert found["GRU"].mean > max(found["4-gram"].mean, found["GPT"].mean) + 0.2
    for net, name in (("gpt", "GPT"), ("gru", "GRU")):  # the documentation of another Python is another text
        near = 0.02 if result.is_same_text else 0.15
        assert found[name].mean == pytest.approx(float(run.record[f"curve.{net}"][-1]), abs=near)


@pytest.mark.measured("08-counting-to-attention", "Who needs the fewest bits")
def test_claims_about_the_budget() -> None:
    real, stories = (
        budget.compute(budget.Inputs(text=text), run_experiment(name))
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
    run = run_experiment("ledger-topics")
    assert ledger.training_text_of(ledger.TOPICS, run).tokenizer.vocab_size == topics.VOCAB_SIZE
    damaged = replace(run, record=dict(run.record) | {"digest": np.zeros(8, dtype=np.uint8)})  # as of another Python
    result = ledger.compute(ledger.Inputs(sentence="courage"), damaged)
    assert not result.is_same_text
    text = load_exhibit_markdown("ledger", "ledger").sections["other-text"].text
    assert "another version of Python" in render_template(text, lambda name: getattr(result, name))
