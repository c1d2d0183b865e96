"""Our filters keep the same tokens as Hugging Face's, away from boundaries, where rounding would decide."""

import pytest
import torch
from torch import Tensor
from transformers.generation.logits_process import (
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    MinPLogitsWarper,
    NoRepeatNGramLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from core.generate import filters


def cases() -> list[tuple[Tensor, Tensor]]:
    generator = torch.Generator().manual_seed(0)
    return [
        (scale * torch.randn(16, 50, generator=generator), torch.randint(50, (16, 30), generator=generator))
        for scale in (0.3, 1.0, 3.0, 8.0)
    ]


def away_from(value: Tensor, boundary: Tensor | float, margin: float = 1e-5) -> Tensor:
    """(…) whether no number of the row comes nearer to the boundary than the margin."""
    return ((value - boundary).abs() > margin).all(-1)


def same(ours: Tensor, theirs: Tensor, rows: Tensor) -> None:
    assert rows.sum() >= 0.5 * len(rows), "too few rows are away from the boundary"
    torch.testing.assert_close(ours[rows], theirs[rows])


@pytest.mark.parametrize("t", [0.2, 0.7, 1.0, 1.8])
def test_temperature(t: float) -> None:
    for logits, ids in cases():
        torch.testing.assert_close(filters.temperature(logits, t), TemperatureLogitsWarper(t)(ids, logits))


@pytest.mark.parametrize("k", [1, 5, 49, 50, 80])
def test_top_k(k: int) -> None:
    for logits, ids in cases():
        logits = logits.round(decimals=1)  # ties
        assert torch.equal(filters.top_k(logits, k), TopKLogitsWarper(k)(ids, logits))


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_top_p(p: float) -> None:
    for logits, ids in cases():
        mass = logits.softmax(-1).sort(-1, descending=True).values.cumsum(-1)
        same(filters.top_p(logits, p), TopPLogitsWarper(p)(ids, logits), away_from(mass, p))


@pytest.mark.parametrize("p", [0.0, 0.05, 0.3, 1.0])
def test_min_p(p: float) -> None:
    for logits, ids in cases():
        ratio = logits.softmax(-1) / logits.softmax(-1).amax(-1, keepdim=True)
        rows = away_from(ratio, p) if 0 < p < 1 else torch.ones(len(logits), dtype=torch.bool)
        same(filters.min_p(logits, p), MinPLogitsWarper(p)(ids, logits), rows)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_typical_p(p: float) -> None:
    for logits, ids in cases():
        log_p = logits.log_softmax(-1)
        away = (-log_p + (log_p.exp() * log_p).sum(-1, keepdim=True)).abs()
        order = away.argsort(-1)
        mass = log_p.exp().gather(-1, order).cumsum(-1)
        same(filters.typical_p(logits, p), TypicalLogitsWarper(p)(ids, logits), away_from(mass, p))


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("n_token", [2, 5, 10, 50])
def test_typical_p_of_equal_tokens(p: float, n_token: int) -> None:
    logits = torch.zeros(1, n_token)
    assert torch.equal(filters.typical_p(logits, p), TypicalLogitsWarper(p)(torch.zeros(1, 1), logits))


@pytest.mark.parametrize("e", [3e-4, 0.02, 0.2, 0.7])
def test_epsilon(e: float) -> None:
    for logits, ids in cases():
        rows = away_from(logits.softmax(-1), e, 1e-6)
        same(filters.epsilon(logits, e), EpsilonLogitsWarper(e)(ids, logits), rows)


@pytest.mark.parametrize("e", [3e-4, 0.02, 0.2, 0.7])
def test_eta(e: float) -> None:
    for logits, ids in cases():
        log_p = logits.log_softmax(-1)
        least = (e**0.5 * (log_p.exp() * log_p).sum(-1, keepdim=True).exp()).clamp(max=e)
        rows = away_from(log_p.exp(), least, 1e-6)
        same(filters.eta(logits, e), EtaLogitsWarper(e)(ids, logits), rows)


@pytest.mark.parametrize("penalty", [0.5, 1.0, 1.2, 3.0])
def test_repetition_penalty(penalty: float) -> None:
    for logits, ids in cases():
        theirs = RepetitionPenaltyLogitsProcessor(penalty)(ids, logits.clone())
        torch.testing.assert_close(filters.repetition_penalty(logits, ids, penalty), theirs)


@pytest.mark.parametrize("n", [1, 2, 3, 31])
def test_no_repeat_ngram(n: int) -> None:
    for logits, ids in cases():
        ids = ids % 6  # many repeats
        theirs = NoRepeatNGramLogitsProcessor(n)(ids, logits.clone())
        assert torch.equal(filters.no_repeat_ngram(logits, ids, n), theirs)
