"""What is measured of positions: right ones keep their promises, the ones of the lecture break each of them."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.inspect import positions
from core.nn.positions import alibi_slopes, relative_buckets, sinusoidal
from core.rooms.positions.compute import biases, lecture_positions


def right(n_position: int, d_model: int) -> torch.Tensor:
    return sinusoidal(n_position, d_model, dtype=torch.float64)


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(1, 40), st.integers(0, 300))
def test_one_rotation_moves_every_position(n_position: int, n_pair: int, shift: int) -> None:
    found = positions.shifted(n_position, 2 * n_pair, shift)
    assert found.residual.shape == (n_position,)
    assert found.residual.max() < 1e-12
    np.testing.assert_allclose(found.matrix @ found.matrix.T, np.eye(2 * n_pair), atol=1e-12)  # turns, no more
    np.testing.assert_array_equal(found.wanted, right(n_position + shift, 2 * n_pair).numpy()[shift:])


def test_another_rotation_does_not() -> None:
    table = right(20, 8).numpy()
    wrong = table[:-3] @ positions.shift_matrix(4, 8).T  # the matrix of 4 for a move of 3
    assert np.abs(wrong - table[3:]).max() > 0.5


def test_the_rotations_of_two_shifts_add_up_and_back_is_the_transpose() -> None:
    one, two = positions.shift_matrix(3, 6), positions.shift_matrix(4, 6)
    np.testing.assert_allclose(one @ two, positions.shift_matrix(7, 6), atol=1e-15)
    np.testing.assert_allclose(positions.shift_matrix(-3, 6), one.T, atol=1e-15)
    np.testing.assert_array_equal(positions.shift_matrix(0, 6), np.eye(6))


@pytest.mark.parametrize("width", [4, 8, 16, 64, 128])
def test_the_right_table_keeps_all_promises_and_the_lecture_s_breaks_each(width: int) -> None:
    longer = 4 * width + 5
    kept = positions.promises(right(64, width), right(longer, width))
    np.testing.assert_allclose(kept.squared_norm, width / 2, rtol=1e-14)
    assert kept.spread.max() < 1e-12
    assert kept.misfit < 1e-11
    table = lecture_positions.lecture_table
    broken = positions.promises(table(64, width), table(longer, width))
    assert np.ptp(broken.squared_norm) > 2
    assert broken.spread.max() > 2
    assert broken.misfit > 1


def test_the_sines_of_the_lecture_s_code_are_right() -> None:
    difference = (lecture_positions.lecture_table(64, 512) - right(64, 512)).abs()
    assert float(difference[:, 0::2].max()) < 1e-12 and float(difference.max()) > 1


def test_the_formula_as_printed() -> None:
    table = lecture_positions.formula_without_brackets(64, 8)
    assert float((table - right(64, 8)).abs().max()) == pytest.approx(2.0, abs=0.001)
    assert float(table[:, 1::2].min()) > 0.999  # every cosine stands almost still
    torch.testing.assert_close(table[:, 0::2], right(64, 8)[:, 0::2])
    assert float(table[5, 3]) == pytest.approx(np.cos(5 / 10000 ** (3 - 1 / 8)))


def test_a_fit_of_too_few_positions_is_refused() -> None:
    with pytest.raises(ValueError, match="10 moves are too few to judge a matrix of 8 x 8"):
        positions.promises(right(15, 8), right(15, 8))


@settings(max_examples=30)
@given(st.integers(1, 8), st.integers(0, 10_000), st.sampled_from([100.0, 10_000.0, 500_000.0]), st.booleans())
def test_rotary_scores_know_only_the_distance(n_pair: int, seed: int, base: float, interleaved: bool) -> None:
    q, k = positions.drawn_pair(2 * n_pair, seed)
    scores = positions.rotary_scores(q, k, 24, base, interleaved)
    assert positions.spread_by_distance(scores).max() < 1e-11
    assert positions.spread_by_distance(scores.T).max() < 1e-11
    assert scores[7, 7] == pytest.approx(q @ k)


def test_similarities_of_a_table_by_hand() -> None:
    table = np.array([[3.0, 4.0], [4.0, -3.0], [0.0, 0.0]])
    found = positions.learned(table)
    np.testing.assert_allclose(found.length, [5, 5, 0])
    np.testing.assert_allclose(found.cosine, [[1, 0, 0], [0, 1, 0], [0, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(positions.mean_by_distance(np.arange(9.0).reshape(3, 3)), [4, 3, 2])


def test_weights_of_alibi_halve_as_told() -> None:
    found = biases.alibi(8, 40)
    np.testing.assert_allclose(found.weights.sum(-1), 1, rtol=1e-5)
    assert (np.triu(found.weights, 1) == 0).all()
    for head, slope in enumerate(alibi_slopes(8).tolist()):
        assert found.half[head] == pytest.approx(np.log(2) / slope)
        last = found.weights[head, -1]
        assert last[-2] / last[-1] == pytest.approx(np.exp(-slope), rel=1e-4)


def test_slopes_are_written_as_people_write_them() -> None:
    assert biases.alibi(6, 4).written == ["1/4", "1/16", "1/64", "1/256", "1/2", "1/8"]
    assert biases.as_power(2**-0.5) == "0.7071"


@pytest.mark.parametrize("bidirectional", [True, False])
def test_runs_of_buckets_cover_every_offset_once(bidirectional: bool) -> None:
    numbers = biases.buckets_by_offset(300, bidirectional, 32, 128)
    found = biases.runs(numbers, -300)
    assert [one.low for one in found[1:]] == [one.high + 1 for one in found[:-1]]
    assert (found[0].low, found[-1].high) == (-300, 300)
    for one in found:
        assert set(relative_buckets(torch.arange(one.low, one.high + 1), bidirectional).tolist()) == {one.number}
