"""What the room of positions says in words is true of what it shows by default."""

import numpy as np
import pytest
import torch

from core.inspect import positions
from core.nn.positions import sinusoidal
from core.rooms.positions import biases, clocks, learned, lecture, order, rotary
from core.rooms.positions.compute import lecture_positions
from core.ui.models import models


def said(piece: object) -> str:
    return " ".join(f"{do} {expect}" for do, expect, *_ in piece.try_this) + piece.look_for  # type: ignore[attr-defined]


def test_the_first_clock_turns_57_degrees_and_all_begin_at_12() -> None:
    table, speed = clocks.table_of(64, 16), positions.frequencies(16)
    assert np.degrees(speed[0]) == pytest.approx(57.3, abs=0.05)
    assert 2 * np.pi / speed[0] == pytest.approx(6.3, abs=0.05)
    np.testing.assert_array_equal(table[0], [0, 1] * 8)
    assert (np.diff(speed) < 0).all()
    assert np.ptp(table[:, 14]) < 0.05  # the last clock's curves hardly bend
    products = [table[p] @ table[p + 5] for p in range(59)]
    assert products == pytest.approx([6.1370] * 59, abs=5e-5)
    assert "6.1370" in said(clocks.clock_hands)


def test_one_rotation_is_exact_at_every_shift_and_width_that_can_be_chosen() -> None:
    for width in range(4, clocks.MOST_WIDTH + 1, 2):
        for shift in range(clocks.N_TURNED):
            assert positions.shifted(clocks.N_TURNED, width, shift).residual.max() < 1e-13
    np.testing.assert_array_equal(clocks.shifted(clocks.N_TURNED, 16, 0).matrix, np.eye(16))


def test_what_is_left_of_the_three_promises() -> None:
    right, wrong = lecture.promises_of("right", 64, 8), lecture.promises_of("code", 64, 8)
    assert right.squared_norm == pytest.approx([4.0] * 64)
    assert (wrong.squared_norm.min(), wrong.squared_norm.max()) == pytest.approx((2.62, 5.58), abs=0.005)
    assert wrong.spread.max() == pytest.approx(3.0, abs=0.05)
    assert right.spread.max() < 1e-14
    assert wrong.misfit == pytest.approx(1.1, abs=0.05)
    assert right.misfit < 1e-13
    for width, error in ((8, 1.96), (128, 1.99)):
        off = np.abs(lecture.table_of("code", 64, width) - lecture.table_of("right", 64, width)).max()
        assert off == pytest.approx(error, abs=0.005)
    for width in (4, 8, 64, 128):
        assert lecture.table_of("formula", 96, width)[:, 1::2].min() > 0.99


def test_position_0_adds_0_1_0_1() -> None:
    table = sinusoidal(2, 128, dtype=torch.float64).numpy()[:, list(lecture_positions.COLUMNS)]
    assert table[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert np.round(np.array(lecture_positions.EMBEDDING) + table[0], 4)[:2].tolist() == [0.2332, 1.3238]
    assert lecture_positions.PRINTED_SUM == lecture_positions.EMBEDDING
    assert np.round(table[1, 4:], 4).tolist() == [0.0001, 1.0]


def test_what_the_example_has_learned() -> None:
    key = models.shipped_key(learned.EXAMPLE)
    found = learned.learned_of(key)
    mean = positions.mean_by_distance(found.cosine)
    assert len(mean) == 64
    assert mean[1] == pytest.approx(0.86, abs=0.005)
    assert mean[40] == pytest.approx(-0.45, abs=0.005)
    assert mean.min() == pytest.approx(-0.65, abs=0.006)
    assert mean[63] == pytest.approx(-0.29, abs=0.005)
    assert found.cosine[0, 1] < np.diagonal(found.cosine, 1)[1:].mean() - 0.05
    other = positions.mean_by_distance(learned.learned_of(models.shipped_key("stories")).cosine)
    assert other[1] == pytest.approx(0.25, abs=0.005)  # "Training needn't make neighbors so alike"
    noise = positions.cosines(np.random.default_rng(0).standard_normal((64, 64)))
    assert np.abs(positions.mean_by_distance(noise)[1:48]).max() < 0.1


def test_rotary_scores_stay_when_both_slide() -> None:
    scores = rotary.scores_of(8, 0, 10_000, False)
    m, n = rotary.START["query"], rotary.START["key"]
    steps = range(-n, rotary.N_POSITION - m)
    assert [scores[m + s, n + s] for s in steps] == pytest.approx([scores[m, n]] * len(steps))
    assert abs(scores[m + 1, n] - scores[m, n]) > 0.1
    assert np.abs(rotary.scores_of(8, 0, 10_000, True) - scores).max() > 0.1


def test_alibi_in_words() -> None:
    six, eight = biases.alibi_of(6, biases.N_TOKEN), biases.alibi_of(8, biases.N_TOKEN)
    assert six.slopes.tolist() == [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8]
    assert eight.slopes.tolist() == [2.0**-n for n in range(1, 9)]
    assert six.half[[4, 3]] == pytest.approx([1.4, 177], abs=0.5)
    assert biases.alibi_of(1, biases.N_TOKEN).slopes.tolist() == [1 / 256]
    assert six.weights[4, -1, -8:].sum() > 0.95  # reads its neighbors
    assert np.ptp(six.weights[3, -1]) < 0.005  # reads all alike


def test_buckets_in_words() -> None:
    past, both = biases.buckets_of(False, 32, 128), biases.buckets_of(True, 32, 128)
    back = past[biases.FURTHEST :: -1]  # by distance 0, 1, 2, …
    assert back[:16].tolist() == list(range(16))
    assert back[16] == back[17]
    assert back[112] == 30 and (back[113:] == 31).all()
    assert (past[biases.FURTHEST :] == 0).all()
    before, after = both[biases.FURTHEST :: -1], both[biases.FURTHEST + 1 :]
    assert before[:8].tolist() == list(range(8)) and before[8] == before[9]
    assert after[:7].tolist() == list(range(17, 24))
    assert len(set(biases.buckets_of(True, 8, 128))) <= 8


@pytest.mark.parametrize("seed", range(4))
def test_shuffling_in_words(seed: int) -> None:
    words = tuple(order.SENTENCE.split())
    for how in ("reverse", "seed"):
        way = tuple(range(6, -1, -1)) if how == "reverse" else order.word_order.drawn_order(7, seed)
        given = order.Words(words, way)
        for n_layer in order.LAYERS:
            assert order.shuffled("none", n_layer, False, seed, given.ids, way).largest < 1e-13
            for scheme in order.SCHEMES:
                if scheme == "none":
                    continue
                largest = order.shuffled(scheme, n_layer, False, seed, given.ids, way).largest
                if (scheme, how) == ("alibi", "reverse"):  # distance without direction: a mirror image is the same
                    assert largest < 1e-13
                else:
                    assert largest > 0.05
        past = given.past_first
        assert past[-1] == 6 and sorted(past) == list(range(7))
        last = [order.shuffled("none", n, True, seed, given.ids, past).last for n in order.LAYERS]
        assert last[0] < 1e-13 and min(last[1:]) > 1e-3
        one = order.shuffled("none", 1, True, seed, given.ids, past)
        assert one.largest > 0.05  # the earlier rows differ
