"""The tables under the exhibits of decoding, which their scripts print: against the definitions, line by line."""

import math
from typing import Any

import numpy as np
import pytest
import torch

from core.models import registry
from core.models.gpt import GPTConfig
from core.rooms.strategies import microscope, spelling, thousand
from core.rooms.strategies.compute import draws
from core.rooms.strategies.compute.columns import KNOBS, Strategy
from core.rooms.strategies.compute.side_by_side import write_columns

LOGITS = np.array([1.0, 3.0, 0.0, 2.0], dtype=np.float32)
WORDS = ("a", " b", "c\n", "d")


def stages(ids: tuple[int, ...], *knobs: tuple[str, float]) -> dict[str, Any]:
    return microscope.Stages(LOGITS, np.zeros(1), Strategy(knobs=knobs), ids, WORDS).table()


def test_each_knob_has_a_column_and_what_is_drawn_from_sums_to_one() -> None:
    table = stages((0,), ("top_k", 2), ("temperature", 0.5))
    assert table["token"] == [" b", "d", "a", "c\n"]
    assert list(table) == ["id", "token", "logit", "temperature 0.5", "top-k 2", "drawn from"]
    np.testing.assert_allclose(table["temperature 0.5"], [6, 4, 2, 0])
    np.testing.assert_allclose(table["top-k 2"], [6, 4, -np.inf, -np.inf])
    np.testing.assert_allclose(table["drawn from"], [1 / (1 + math.exp(-2)), 1 / (1 + math.exp(2)), 0, 0], rtol=1e-6)


def test_a_knob_of_the_text_reads_the_text() -> None:
    table = stages((1, 1), ("no_repeat_ngram", 1))
    assert table["drawn from"][0] == 0 and table["no repeated n-gram 1"][0] == -np.inf


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
    table = thousand.compute(thousand.Inputs(strategies=("softmax", "greedy"), n=100)).table()
    drawn, low, high = (table[f"softmax: {name}"] for name in ("drawn of 100", "95% from", "95% to"))
    assert drawn.sum() == 100 and table["greedy: drawn of 100"].tolist()[:2] == [100, 0]
    assert (np.diff(table["softmax: probability"]) <= 0).all()
    assert (low <= drawn / 100).all() and (drawn / 100 <= high).all()


def test_columns_as_a_table_without_times() -> None:
    sizes = {"vocab_size": 9, "context_length": 16, "n_layer": 1, "n_head": 2, "d_model": 8}
    model = registry.build(GPTConfig(**sizes), seed=0).eval()  # type: ignore[arg-type]
    strategies = [Strategy(kind="greedy"), Strategy(kind="beam", n_beam=2), Strategy(knobs=(("top_k", 3),), seed=2)]
    written = write_columns(model, [1, 2], strategies, 4)
    table = written.table()
    assert table["strategy"] == ["greedy", "beam 2", "top-k 3"]
    assert table["numbers looked at"] == [36, 9 + 3 * 18, 36] and table["passes of the network"] == [4, 4, 4]
    ids = [1, 2, *written.columns[0].tokens.tolist()]
    log_probs = model(torch.tensor([ids]))[0].log_softmax(-1).detach()
    expected = np.mean([float(log_probs[t - 1, ids[t]]) for t in range(2, 6)])
    assert table["mean log-probability"][0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "title"),
    [("greedy", "greedy"), ("softmaxs7", "softmax"), ("t2p0.9", "temperature 2, top-p 0.9"),
     ("beam3l0", "beam 3, length penalty 0"), ("greedyr2", "greedy, repetition penalty 2"), ("beam4", "beam 4")],
)  # fmt: skip
def test_a_strategy_has_a_title(text: str, title: str) -> None:
    assert spelling.parse_column(text).strategy.title == title


def test_every_knob_has_its_own_title() -> None:
    assert len({knob.title for knob in KNOBS.values()}) == len(KNOBS)
