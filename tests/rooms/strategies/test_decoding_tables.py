"""The tables under the exhibits of decoding, which their scripts print: against the definitions, line by line."""

import ast
import math

import numpy as np
import pytest
import torch

from core.models import registry
from core.models.gpt import GPTConfig
from core.rooms.strategies import spelling
from core.rooms.strategies.compute import draws, sampling_sweeps
from core.rooms.strategies.compute.columns import KNOBS, Strategy
from core.rooms.strategies.compute.side_by_side import write_columns

LOGITS = np.array([1.0, 3.0, 0.0, 2.0], dtype=np.float32)
WORDS = ("a", " b", "c\n", "d")


def test_each_knob_has_a_column_and_what_is_drawn_from_sums_to_one() -> None:
    table = sampling_sweeps.stage_table(LOGITS, Strategy(knobs=(("top_k", 2), ("temperature", 0.5))), [0], WORDS)
    assert table["token"] == [" b", "d", "a", "c\n"]
    assert list(table) == ["id", "token", "logit", "temperature 0.5", "top-k 2", "drawn from"]
    np.testing.assert_allclose(table["temperature 0.5"], [6, 4, 2, 0])
    np.testing.assert_allclose(table["top-k 2"], [6, 4, -np.inf, -np.inf])
    np.testing.assert_allclose(table["drawn from"], [1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2)), 0, 0], rtol=1e-6)


def test_a_knob_of_the_text_reads_the_text() -> None:
    table = sampling_sweeps.stage_table(LOGITS, Strategy(knobs=(("no_repeat_ngram", 1),)), [1, 1], WORDS)
    assert table["drawn from"][0] == 0 and table["no repeated n-gram 1"][0] == -np.inf


def test_the_three_rules_and_both_orders_as_tables() -> None:
    rules = sampling_sweeps.crossing([0.5, 0.25, 0.25], 0.75).table("xyz")
    assert rules["token"] == ["x", "y", "z"] and rules["sum"].tolist() == [0.5, 0.75, 1]
    kept = [rules[name].tolist() for name in ("definition", "drops the one that crosses", "one too many")]
    assert kept == [[True, True, False], [True, False, False], [True, True, True]]
    orders = sampling_sweeps.both_orders(LOGITS, 2.0, 0.9).table(LOGITS, WORDS)
    assert orders["id"].tolist() == [1, 3, 0, 2] and orders["token"] == [" b", "d", "a", "c\n"]
    assert orders["temperature first"].sum() == pytest.approx(1) and orders["top-p first"].sum() == pytest.approx(1)
    assert (orders["temperature first"] > 0).sum() >= (orders["top-p first"] > 0).sum()


def test_a_sweep_has_one_line_for_each_temperature() -> None:
    table = sampling_sweeps.sweep(LOGITS, [0.5, 1.0, 50.0], 0.9).table()
    assert {len(column) for column in table.values()} == {3}
    assert table["likeliest"][1] == pytest.approx(np.exp(LOGITS).max() / np.exp(LOGITS).sum(), rel=1e-6)
    assert table["entropy (nats)"][2] == pytest.approx(math.log(4), abs=1e-3)


def test_what_a_strategy_draws_from() -> None:
    softmax = np.exp(LOGITS.astype(np.float64)) / np.exp(LOGITS.astype(np.float64)).sum()
    np.testing.assert_allclose(draws.drawn_from(LOGITS, Strategy(), [0]), softmax)
    assert draws.drawn_from(LOGITS, Strategy(kind="greedy"), [0]).tolist() == [0, 1, 0, 0]
    assert draws.drawn_from(LOGITS, Strategy(kind="greedy", knobs=(("no_repeat_ngram", 1),)), [1]).tolist() == [
        0,
        0,
        0,
        1,
    ]


def test_draws_as_a_table() -> None:
    found = {name: draws.draw_many(draws.drawn_from(LOGITS, one, [0]), 200, 3) for name, one in
             {"softmax": Strategy(), "greedy": Strategy(kind="greedy")}.items()}  # fmt: skip
    table = draws.table(found, WORDS)
    assert table["id"].tolist() == [1, 3, 0, 2]
    assert table["softmax: drawn of 200"].sum() == 200 and table["greedy: drawn of 200"].tolist() == [200, 0, 0, 0]
    low, high = table["softmax: 95% from"], table["softmax: 95% to"]
    assert (low <= table["softmax: drawn of 200"] / 200).all() and (table["softmax: drawn of 200"] / 200 <= high).all()


def test_columns_as_a_table_without_times() -> None:
    sizes = {"vocab_size": 9, "context_length": 16, "n_layer": 1, "n_head": 2, "d_model": 8}
    model = registry.build(GPTConfig(**sizes), seed=0).eval()  # type: ignore[arg-type]
    strategies = [Strategy(kind="greedy"), Strategy(kind="beam", n_beam=2), Strategy(knobs=(("top_k", 3),), seed=2)]
    written = write_columns(model, [1, 2], strategies, 4)
    table = written.table(strategies)
    assert table["strategy"] == ["greedy", "beam 2", "top-k 3"] and "time" not in table
    assert table["numbers looked at"] == [36, 9 + 3 * 18, 36] and table["passes of the network"] == [4, 4, 4]
    ids = [1, 2, *written.columns[0].tokens.tolist()]
    log_probs = model(torch.tensor([ids]))[0].log_softmax(-1).detach()
    expected = np.mean([float(log_probs[t - 1, ids[t]]) for t in range(2, 6)])
    assert table["mean log-probability"][0] == pytest.approx(expected, rel=1e-4)
    assert written.times[0] == written.times[2] and written.times[0].endswith(" ms for 2")
    assert written.times[1].endswith(" ms")


@pytest.mark.parametrize(
    ("text", "title"),
    [("greedy", "greedy"), ("softmaxs7", "softmax"), ("t2p0.9", "temperature 2, top-p 0.9"),
     ("beam3l0", "beam 3, length penalty 0"), ("greedyr2", "greedy, repetition penalty 2"), ("beam4", "beam 4")],
)  # fmt: skip
def test_a_strategy_has_a_title_and_the_code_that_makes_it(text: str, title: str) -> None:
    strategy = spelling.parse_column(text).strategy
    assert strategy.title == title
    call = ast.parse(spelling.as_code(strategy), mode="eval").body
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Strategy"
    given = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
    assert Strategy(**given) == strategy


def test_every_knob_has_its_own_title() -> None:
    assert len({knob.title for knob in KNOBS.values()}) == len(KNOBS)
