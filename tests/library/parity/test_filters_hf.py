"""Our filters keep the same tokens as Hugging Face's, away from boundaries, where rounding would decide."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers.generation import logits_process as hf

from core.generate import filters

Gap = Callable[[Tensor, float], Tensor]  # (logits, setting) -> how far each number is from where it would be decided


def nucleus(logits: Tensor, p: float) -> Tensor:
    return logits.softmax(-1).sort(-1, descending=True).values.cumsum(-1) - p


def ratio(logits: Tensor, p: float) -> Tensor:
    return (logits - logits.amax(-1, keepdim=True)).exp() - p if 0 < p < 1 else torch.ones_like(logits)


def typical(logits: Tensor, p: float) -> Tensor:
    log_p = logits.log_softmax(-1)
    away = (-log_p + (log_p.exp() * log_p).sum(-1, keepdim=True)).abs()
    return log_p.exp().gather(-1, away.argsort(-1)).cumsum(-1) - p


def floor(logits: Tensor, e: float) -> Tensor:
    return 10 * (logits.softmax(-1) - e)


def falling_floor(logits: Tensor, e: float) -> Tensor:
    log_p = logits.log_softmax(-1)
    return 10 * (log_p.exp() - (e**0.5 * (log_p.exp() * log_p).sum(-1, keepdim=True).exp()).clamp(max=e))


def nowhere(logits: Tensor, setting: float) -> Tensor:
    return torch.ones_like(logits)


@pytest.mark.parametrize(
    ("ours", "theirs", "settings", "gap"),
    [
        (filters.temperature, hf.TemperatureLogitsWarper, (0.2, 0.7, 1.0, 1.8), nowhere),
        (filters.top_k, hf.TopKLogitsWarper, (1, 5, 49, 50, 80), nowhere),
        (filters.top_p, hf.TopPLogitsWarper, (0.0, 0.1, 0.5, 0.9, 0.99), nucleus),
        (filters.min_p, hf.MinPLogitsWarper, (0.0, 0.05, 0.3, 1.0), ratio),
        (filters.typical_p, hf.TypicalLogitsWarper, (0.1, 0.5, 0.9), typical),
        (filters.epsilon, hf.EpsilonLogitsWarper, (3e-4, 0.02, 0.2, 0.7), floor),
        (filters.eta, hf.EtaLogitsWarper, (3e-4, 0.02, 0.2, 0.7), falling_floor),
        (filters.repetition_penalty, hf.RepetitionPenaltyLogitsProcessor, (0.5, 1.0, 1.2, 3.0), nowhere),
        (filters.no_repeat_ngram, hf.NoRepeatNGramLogitsProcessor, (1, 2, 3, 31), nowhere),
    ],
)
@pytest.mark.parametrize("scale", [0.3, 1.0, 3.0, 8.0])
def test_filters(ours: Callable[..., Tensor], theirs: Any, settings: tuple[float, ...], gap: Gap, scale: float) -> None:
    generator = torch.Generator().manual_seed(0)
    logits = scale * torch.randn(64, 50, generator=generator)
    logits = logits.round(decimals=1) if ours is filters.top_k else logits  # ties
    ids = torch.randint(6, (64, 30), generator=generator)  # many repeats
    takes_ids = ours in (filters.repetition_penalty, filters.no_repeat_ngram)
    for setting in settings:
        rows = (gap(logits, setting).abs() > 1e-5).all(-1)
        assert rows.sum() >= 0.5 * len(rows), "too few rows are away from the boundary"
        found = ours(logits, *[ids] * takes_ids, setting)
        torch.testing.assert_close(found[rows], theirs(setting)(ids, logits.clone())[rows])


@pytest.mark.parametrize("p", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("n_token", [2, 5, 10, 50])
def test_typical_p_of_equal_tokens(p: float, n_token: int) -> None:
    logits = torch.zeros(1, n_token)
    assert torch.equal(filters.typical_p(logits, p), hf.TypicalLogitsWarper(p)(torch.zeros(1, 1), logits))
