"""What the room of the steps promises under “Try this” happens with its default words and seed."""

import numpy as np
import pytest

from core.rooms.step_by_step import root, scale, split
from core.rooms.step_by_step.compute.attention_walkthrough import (
    AttentionWalk,
    WalkCell,
    WalkLayer,
    split_words,
    walk_attention,
)
from core.rooms.step_by_step.compute.soft_lookup import (
    COLDEST,
    ENTRY_NAMES,
    HOTTEST,
    Dictionary,
    SoftAnswer,
    default_dictionary,
    soft_look_up,
)
from core.rooms.step_by_step.walk import SENTENCE

WORDS = split_words(SENTENCE)


def walked(
    edits: dict[WalkCell, float] | None = None, *, positions: bool = True, is_causal: bool = True
) -> AttentionWalk:
    return walk_attention(WalkLayer(positions=positions, is_causal=is_causal), WORDS, edits)


def changed_rows(before: AttentionWalk, after: AttentionWalk) -> list[int]:
    return np.flatnonzero((before.out != after.out).any(1)).tolist()


def test_without_positions_and_mask_both_the_are_the_same_row() -> None:
    first, fifth = (i for i, word in enumerate(WORDS) if word == "the")
    assert (first, fifth) == (0, 4)
    free = walked(positions=False, is_causal=False)
    np.testing.assert_allclose(free.out[first], free.out[fifth], atol=1e-6)
    for one in (walked(positions=True, is_causal=False), walked(positions=False, is_causal=True)):
        assert np.abs(one.out[first] - one.out[fifth]).max() > 0.05


@pytest.mark.parametrize("head", [0, 1])
@pytest.mark.parametrize("column", range(6))
def test_a_score_of_nine_takes_nearly_the_whole_row(head: int, column: int) -> None:
    after = walked({WalkCell("scores", head, 5, column): 9.0})
    assert after.weights[head, 5, column] > 0.99
    assert np.abs(after.heads[head, 5] - after.v[head, column]).max() < 0.02
    assert changed_rows(walked(), after) == [5]


@pytest.mark.parametrize("column", range(4))
def test_the_last_word_moves_no_row_before_it_under_the_mask(column: int) -> None:
    edit = {WalkCell("x", 0, 5, column): 4.0}
    assert changed_rows(walked(), walked(edit)) == [5]
    assert changed_rows(walked(is_causal=False), walked(edit, is_causal=False)) == [0, 1, 2, 3, 4, 5]


def answer(temperature: float = 1.0, north: tuple[float, float] = (0.0, 1.0)) -> SoftAnswer:
    one = default_dictionary(2)
    return soft_look_up(Dictionary(one.query, (one.keys[0], north, *one.keys[2:]), one.values, temperature))


def test_cold_gives_all_to_east_and_hot_to_everyone_alike() -> None:
    cold, hot = answer(COLDEST), answer(HOTTEST)
    assert ENTRY_NAMES[cold.best[0]] == "east" and cold.weights[0] > 0.999
    np.testing.assert_allclose(hot.weights, 0.25, atol=0.01)


def test_a_long_key_wins_although_another_points_more_nearly_there() -> None:
    long = answer(north=(0.0, 3.0))
    assert ENTRY_NAMES[long.best[0]] == "north"
    assert (long.scores[1], long.scores[0]) == (pytest.approx(1.8), pytest.approx(0.8))
    cosine = long.scores / np.array([1, 3, 1, 1])
    assert cosine[0] > cosine[1]


def test_hard_lookup_stays_until_another_key_fits_better_and_the_soft_one_moves() -> None:
    one = default_dictionary(2)
    turned = [soft_look_up(Dictionary((np.cos(a), np.sin(a)), one.keys, one.values)) for a in (0.1, 0.2, 0.3)]
    assert len({tuple(each.hard) for each in turned}) == 1
    assert len({round(float(each.soft[0]), 6) for each in turned}) == 3


@pytest.mark.measured("03-scaled-dot-product", "Each query")
@pytest.mark.measured("03-scaled-dot-product", "Training sends")
def test_claims_of_the_root() -> None:
    found = scale.compute(scale.Inputs(d_k=16))
    narrow, wide = found.curve[0], found.curve[-1]
    assert (round(narrow.top[0], 2), round(wide.top[0], 2)) == (0.31, 0.93)
    assert wide.saturated[0] > 0.5 and wide.saturated[1] == 0
    assert (round(wide.jacobian[0], 2), round(wide.jacobian[1], 2)) == (0.09, 0.18)
    assert (round(wide.gradient_median[0], 2), round(wide.gradient_median[1], 2)) == (0.08, 0.16)
    assert (round(wide.gradient_mean[0], 2), round(wide.gradient_mean[1], 2)) == (1.51, 0.18)
    without, with_root = found.gradients
    assert np.median(without) > np.median(with_root) and without.mean() > with_root.mean()
    assert all(scale.compute(scale.Inputs(d_k=width)).weights[1].max() < 0.5 for width in scale.WIDTHS)


@pytest.mark.measured("17-lecture-notes", "Queries and keys")
def test_claims_of_where_the_root_stands() -> None:
    usual, narrow = (root.compute(root.Inputs(d_k=d_k)) for d_k in (64, 4))
    np.testing.assert_allclose(usual.row_sum, [1, 0.125, 1])
    assert usual.error[2] > 1  # off by more than its own length
    assert (narrow.error[1:] < usual.error[1:]).all()


def test_claims_of_many_heads() -> None:
    one, eight = (split.compute(split.Inputs(n_head=n_head)).own for n_head in (1, 8))
    assert one.standard_qkv == one.split_qkv
    assert eight.split_qkv * 8 == eight.standard_qkv
