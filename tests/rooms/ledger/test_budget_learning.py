"""When the n-gram wins: on stories a GPT passes it within seconds, on a real text it does not; over seeds."""

import math

import pytest

from core.models.ngram import NGram
from core.rooms.ledger.experiments import budget
from tests.library.learning.once import ran, trained


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "is_passed", "seed"), [("budget", False, 1), ("budget-stories", True, 1), ("budget-stories", True, 2)]
)
def test_who_wins_depends_on_the_text(name: str, is_passed: bool, seed: int) -> None:
    record = trained(name, seed, shares="100k", n_step=175)
    best = record["ngram.100k"].min()
    assert bool(record["curve.100k.gpt"][-1] < best) == is_passed
    assert record["curve.100k.gru"][-1] > best


def test_the_tables_of_a_long_ngram_hold_those_of_all_shorter_ones() -> None:
    given = budget.text("stories")
    bits = budget.ngram_bits(given, 10_000)
    for order, found in zip(budget.ORDERS, bits, strict=True):
        model = NGram(order, given.tokenizer.vocab_size, "interpolated").fit(given.ids[:10_000])
        expected = -model.log_probs(given.held).numpy()[given.places].mean() / math.log(2)
        assert found == pytest.approx(expected, rel=1e-6)


def test_the_seconds_are_measured() -> None:
    record = ran("budget", 3, shares="10k", n_step=2)
    assert all((record[f"seconds.10k.{who}"] >= 0).all() for who in ("gru", "gpt", "ngram"))
    assert record["seconds.10k.gpt"][-1] > 0
