"""Masks against their definitions, cell by cell. True means "may attend"."""

import pytest
import torch
from hypothesis import given, strategies as st

from core.nn import masks
from core.nn.attention import attend

sizes = st.integers(1, 12)


@given(sizes, st.integers(0, 6))
def test_causal_places_the_last_query_at_the_last_key(n_query: int, more: int) -> None:
    n_key = n_query + more
    mask = masks.causal(n_query, n_key)
    assert mask.dtype == torch.bool and mask.shape == (n_query, n_key)
    assert all(bool(mask[t, s]) == (s <= t + more) for t in range(n_query) for s in range(n_key))


@given(sizes, sizes)
def test_full(n_query: int, n_key: int) -> None:
    assert masks.full(n_query, n_key).shape == (n_query, n_key) and bool(masks.full(n_query, n_key).all())
    assert masks.full(n_query).shape == (n_query, n_query)


@given(sizes, st.data())
def test_prefix_is_full_inside_and_causal_after(n: int, data: st.DataObject) -> None:
    n_prefix = data.draw(st.integers(0, n))
    mask = masks.prefix(n, n_prefix)
    assert all(bool(mask[t, s]) == (s < n_prefix or s <= t) for t in range(n) for s in range(n))


@given(sizes, st.integers(1, 14), st.booleans())
def test_sliding_window(n: int, window: int, causal: bool) -> None:
    mask = masks.sliding_window(n, window, causal)
    for t in range(n):
        for s in range(n):
            assert bool(mask[t, s]) == (abs(t - s) < window and (s <= t or not causal))
    if window >= n:
        assert torch.equal(mask, masks.causal(n) if causal else masks.full(n))
    if causal:
        assert int(mask.sum(-1).max()) == min(window, n)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=4), sizes)
def test_padding_and_its_combination(lengths: list[int], n_query: int) -> None:
    mask = masks.padding(torch.tensor(lengths), 6)
    assert mask.shape == (len(lengths), 1, 1, 6)
    both = mask & masks.full(n_query, 6)
    assert both.shape == (len(lengths), 1, n_query, 6)
    assert all(
        bool(both[b, 0, t, s]) == (s < lengths[b])
        for b in range(len(lengths))
        for t in range(n_query)
        for s in range(6)
    )


def test_mistakes_are_refused_with_both_sides() -> None:
    for call, words in (
        (lambda: masks.causal(3, 2), "n_query=3 is more than n_key=2"),
        (lambda: masks.sliding_window(3, 0), "window=0 must be at least 1"),
        (lambda: masks.prefix(3, 4), r"n_prefix=4 is not within 0\.\.n=3"),
        (lambda: masks.prefix(3, -1), "n_prefix=-1"),
        (lambda: masks.padding(torch.tensor([7]), 6), r"0\.\.n_key=6, got \[7\]"),
        (lambda: masks.padding(torch.tensor([-1]), 6), "got"),
    ):
        with pytest.raises(ValueError, match=words):
            call()


def random(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@given(st.integers(2, 8), st.data())
def test_a_later_token_changes_nothing_before_it_by_exactly_0(n: int, data: st.DataObject) -> None:
    q, k, v = (random(1, 2, n, 4, seed=seed) for seed in range(3))
    changed = data.draw(st.integers(1, n - 1))
    k2, v2 = k.clone(), v.clone()
    k2[..., changed, :] = data.draw(st.sampled_from([-1e6, 0.0, 1e6]))
    v2[..., changed, :] = 1e6
    before, after = attend(q, k, v, masks.causal(n))[0], attend(q, k2, v2, masks.causal(n))[0]
    assert torch.equal(before[..., :changed, :], after[..., :changed, :])
    assert not torch.equal(before[..., changed:, :], after[..., changed:, :])


@given(st.integers(1, 6), st.integers(0, 5), st.booleans())
def test_hidden_padding_changes_no_output_of_a_real_token(n: int, more: int, causal: bool) -> None:
    q, k, v = (random(1, 2, n + more, 4, seed=seed) for seed in range(3))
    order = masks.causal(n + more) if causal else masks.full(n + more)
    padded, weights = attend(q, k, v, order & masks.padding(torch.tensor([n]), n + more))
    alone, _ = attend(q[..., :n, :], k[..., :n, :], v[..., :n, :], order[:n, :n])
    torch.testing.assert_close(padded[..., :n, :], alone, atol=1e-12, rtol=0)
    assert not weights[..., n:].any()
