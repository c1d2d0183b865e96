"""Masking of tokens: the fractions, the tokens that are never chosen, the seed, and the targets."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from scipy.stats import chisquare
from torch.nn import functional as F

from core.train.experiments.masking import (
    BERT_RULE,
    KEPT,
    MASKED,
    ONLY_MASKS,
    REPLACED,
    UNCHANGED,
    binomial_mean_and_deviation,
    corrupt_tokens,
    masked_token_loss,
)

N_PLAIN, CLASS, MASK, PAD = 50, 50, 51, 52


def batch(n_row: int, n_token: int, seed: int, n_pad: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    ids = torch.randint(N_PLAIN, (n_row, n_token), generator=torch.Generator().manual_seed(seed))
    ids[:, 0] = CLASS
    if n_pad:
        ids[:, -n_pad:] = PAD
    return ids, ids < N_PLAIN


@pytest.mark.parametrize("share", [0.05, 0.15, 0.6])
def test_the_fates_have_the_shares_of_the_rule(share: float) -> None:
    ids, eligible = batch(400, 250, seed=0, n_pad=50)
    done = corrupt_tokens(ids, eligible, MASK, N_PLAIN, torch.Generator().manual_seed(1), share)
    found = np.bincount(done.fate[eligible].numpy(), minlength=4)
    expected = found.sum() * np.array([1 - share, *(share * part for part in BERT_RULE)])
    assert chisquare(found, expected).pvalue > 1e-3
    # Replacements are drawn evenly from all plain tokens.
    drawn = np.bincount(done.inputs[done.fate == REPLACED].numpy(), minlength=N_PLAIN)
    assert len(drawn) == N_PLAIN and chisquare(drawn).pvalue > 1e-3


@settings(max_examples=40)
@given(
    seed=st.integers(0, 2**31 - 1),
    shape=st.tuples(st.integers(1, 6), st.integers(2, 20)),
    n_pad=st.integers(0, 8),
    share=st.floats(0, 1),
    rule=st.sampled_from([BERT_RULE, ONLY_MASKS, (0.0, 0.5, 0.5), (0.2, 0.0, 0.8)]),
)
def test_what_always_holds(
    seed: int, shape: tuple[int, int], n_pad: int, share: float, rule: tuple[float, float, float]
) -> None:
    ids, eligible = batch(*shape, seed, min(n_pad, shape[1] - 1))
    before = ids.clone()
    done = corrupt_tokens(ids, eligible, MASK, N_PLAIN, torch.Generator().manual_seed(seed), share, rule)
    assert torch.equal(ids, before) and torch.equal(done.targets, before)
    assert not done.chosen[~eligible].any()  # special tokens and padding are never chosen
    assert torch.equal(done.inputs[~done.chosen], ids[~done.chosen])
    assert (done.inputs[done.fate == MASKED] == MASK).all()
    assert (done.inputs[done.fate == REPLACED] < N_PLAIN).all()
    assert torch.equal(done.inputs[done.fate == UNCHANGED], ids[done.fate == UNCHANGED])
    if share == 1:
        assert torch.equal(done.chosen, eligible)
    for fate, part in zip((MASKED, REPLACED, UNCHANGED), rule, strict=True):
        assert part or not (done.fate == fate).any()


def test_the_seed_decides() -> None:
    ids, eligible = batch(8, 24, seed=3)
    first, again, other = (
        corrupt_tokens(ids, eligible, MASK, N_PLAIN, torch.Generator().manual_seed(seed)) for seed in (5, 5, 6)
    )
    assert torch.equal(first.inputs, again.inputs) and torch.equal(first.fate, again.fate)
    assert not torch.equal(first.fate, other.fate)
    more = corrupt_tokens(ids, eligible, MASK, N_PLAIN, torch.Generator().manual_seed(5), 0.6)
    assert (more.chosen | ~first.chosen).all()  # a larger share chooses the same tokens and some more


def test_the_loss_is_asked_at_the_chosen_places_alone() -> None:
    ids, eligible = batch(4, 12, seed=1)
    done = corrupt_tokens(ids, eligible, MASK, N_PLAIN, torch.Generator().manual_seed(2), 0.4)
    logits = torch.randn(4, 12, 53, generator=torch.Generator().manual_seed(3))
    by_hand = [
        -float(logits[b, t].log_softmax(-1)[ids[b, t]]) for b in range(4) for t in range(12) if done.fate[b, t] != KEPT
    ]
    assert float(masked_token_loss(logits, done)) == pytest.approx(np.mean(by_hand), rel=1e-5)
    changed = logits.clone()
    changed[done.fate == KEPT] = 7.0
    assert torch.equal(masked_token_loss(changed, done), masked_token_loss(logits, done))
    reference = torch.where(done.chosen, ids, -100)
    assert torch.allclose(masked_token_loss(logits, done), F.cross_entropy(logits.flatten(0, 1), reference.flatten()))


def test_what_cannot_be_is_refused() -> None:
    ids, eligible = batch(1, 4, seed=0)
    for share, rule in ((1.5, BERT_RULE), (-0.1, BERT_RULE), (0.5, (0.8, 0.1, 0.2)), (0.5, (1.2, -0.1, -0.1))):
        with pytest.raises(ValueError, match="share"):
            corrupt_tokens(ids, eligible, MASK, N_PLAIN, torch.Generator(), share, rule)


def test_the_spread_is_that_of_the_binomial() -> None:
    mean, deviation = binomial_mean_and_deviation(160, 0.15)
    assert mean == pytest.approx(24) and deviation == pytest.approx(math.sqrt(160 * 0.15 * 0.85))
    drawn = np.random.default_rng(0).binomial(160, 0.15, 20_000)
    assert drawn.std() == pytest.approx(deviation, rel=0.03)
