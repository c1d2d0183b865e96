"""Shuffled words: an encoder without positions only moves rows, positions and a second causal layer do not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.nn.positions import POSITIONS
from core.rooms.positions.compute import word_order

IDS = (0, 1, 2, 3, 4, 5, 6)


@settings(max_examples=40)
@given(st.permutations(range(7)), st.integers(1, 4), st.integers(0, 1000))
def test_without_positions_the_same_rows_come_in_another_order(order: list[int], n_layer: int, seed: int) -> None:
    found = word_order.shuffle(word_order.drawn_model("none", n_layer, False, seed), IDS, order)
    assert found.largest < 1e-12
    np.testing.assert_allclose(found.after, found.before[order], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("positions", [name for name in POSITIONS if name != "none"])
def test_with_positions_other_rows_come(positions: str, seed: int) -> None:
    model = word_order.drawn_model(positions, 2, False, seed)
    assert word_order.shuffle(model, IDS, word_order.drawn_order(7, seed)).largest > 0.05


def test_equivariant_is_not_invariant() -> None:
    found = word_order.shuffle(word_order.drawn_model("none", 2, False, 0), IDS, (1, 0, 2, 3, 4, 5, 6))
    assert np.abs(found.after - found.before).max() > 0.1  # the rows have moved


def test_differences_by_hand() -> None:
    found = word_order.shuffle(word_order.drawn_model("rotary", 1, False, 0), (0, 1, 1), (2, 0, 1))
    for t in range(3):
        for s in range(3):
            assert found.difference[t, s] == np.abs(found.after[t] - found.before[s]).max()
    assert found.largest == max(found.difference[0, 2], found.difference[1, 0], found.difference[2, 1])


@pytest.mark.parametrize("order", [(0, 1), (0, 1, 1), (1, 2, 3)])
def test_an_order_that_is_none_is_refused(order: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="does not name each of the positions"):
        word_order.shuffle(word_order.drawn_model("none", 1, False, 0), (0, 1, 2), order)


@settings(max_examples=60)
@given(st.integers(2, 12), st.integers(0, 2**31 - 1))
def test_a_drawn_order_is_a_permutation_and_changes_something(n: int, seed: int) -> None:
    order = word_order.drawn_order(n, seed)
    assert sorted(order) == list(range(n)) != list(order) and order == word_order.drawn_order(n, seed)


def test_weights_come_from_the_seed_alone() -> None:
    a, b, c = (word_order.drawn_model("none", 1, False, seed) for seed in (3, 3, 4))
    assert all((x == y).all() for x, y in zip(a.parameters(), b.parameters(), strict=True))
    assert not (a.tok_emb.weight == c.tok_emb.weight).all()
    assert float(a.tok_emb.weight.std()) == pytest.approx(0.25, abs=0.05)
