"""What the room of positions says in words is true of what it shows by default."""

import numpy as np
import pytest
import torch

from core.inspect import position_properties
from core.inspect.model_inputs.model_key import ModelKey
from core.nn.positions import sinusoidal
from core.rooms.positions import (
    alibi,
    buckets,
    causal,
    clocks,
    learned,
    lecture,
    rotary,
    rotation,
    shuffle,
    who_saw_whom,
    zero,
)


def test_the_first_clock_turns_57_degrees_and_all_begin_at_12() -> None:
    found = clocks.compute(clocks.Inputs())
    table, speed = found.vectors, found.frequencies
    assert np.degrees(speed[0]) == pytest.approx(57.3, abs=0.05)
    assert 2 * np.pi / speed[0] == pytest.approx(6.3, abs=0.05)
    np.testing.assert_array_equal(table[0], [0, 1] * 8)
    assert (np.diff(speed) < 0).all()
    assert np.ptp(table[:, 14]) < 0.05  # the last clock's curves hardly bend
    products = [table[p] @ table[p + 5] for p in range(59)]
    assert products == pytest.approx([6.1370] * 59, abs=5e-5)


def test_no_shift_is_the_identity() -> None:
    np.testing.assert_array_equal(rotation.compute(rotation.Inputs(shift=0)).matrix, np.eye(16))


def test_what_is_left_of_the_three_promises() -> None:
    found = lecture.compute(lecture.Inputs())
    right, wrong = found.right, found.wrong
    assert right.squared_norm == pytest.approx([4.0] * 64)
    assert (wrong.squared_norm.min(), wrong.squared_norm.max()) == pytest.approx((2.62, 5.58), abs=0.005)
    assert right.spread.max() < 1e-14 and right.misfit < 1e-13
    assert wrong.spread.max() == pytest.approx(3.0, abs=0.05) and wrong.misfit == pytest.approx(1.1, abs=0.05)
    assert found.error == pytest.approx(1.96, abs=0.005)
    assert lecture.compute(lecture.Inputs(width=128)).error == pytest.approx(1.99, abs=0.005)
    for width in (4, 8, 64, 128):
        formula = lecture.compute(lecture.Inputs(version="formula", n_position=96, width=width))
        assert formula.wrong.vectors[:, 1::2].min() > 0.99


def test_position_0_adds_0_1_0_1() -> None:
    table = sinusoidal(2, 128, dtype=torch.float64).numpy()[:, list(zero.COLUMNS)]
    assert table[0].tolist() == [0, 1, 0, 1, 0, 1]
    assert np.round(np.array(zero.EMBEDDING) + table[0], 4)[:2].tolist() == [0.2332, 1.3238]
    assert zero.PRINTED_SUM == zero.EMBEDDING
    assert np.round(table[1, 4:], 4).tolist() == [0.0001, 1.0]


@pytest.mark.parametrize("weights", range(6))
def test_only_alibi_cannot_tell_who_saw_whom(weights: int) -> None:
    found = who_saw_whom.compute(who_saw_whom.Inputs(weights=weights))
    same = found.largest < who_saw_whom.SAME
    assert same[0].all()
    by_scheme = dict(zip(who_saw_whom.SCHEMES, same[1:], strict=True))
    assert by_scheme.pop("alibi").all()
    assert not np.any(list(by_scheme.values()))
    assert found.largest[1:].max(1)[[0, 1, 2, 4]].min() > 0.05  # seen in the colors, too


@pytest.mark.measured("04-positions", "After training, how alike")
def test_what_the_example_has_learned() -> None:
    def table(name: str) -> learned.PositionTable:
        found = learned.compute(learned.Inputs(model=ModelKey.at(name)))
        assert isinstance(found, learned.PositionTable)
        return found

    found = table(learned.DEFAULT_MODEL)
    mean, cosine = found.by_distance, found.learned.cosine
    assert len(mean) == 64
    assert mean[[1, 40, 63]] == pytest.approx([0.86, -0.45, -0.29], abs=0.005)
    assert mean.min() == pytest.approx(-0.65, abs=0.006)
    assert cosine[0, 1] < np.diagonal(cosine, 1)[1:].mean() - 0.05
    assert table("stories").by_distance[1] == pytest.approx(0.25, abs=0.005)  # neighbors needn't be that alike
    noise = position_properties.cosine_similarities(np.random.default_rng(0).standard_normal((64, 64)))
    assert np.abs(position_properties.mean_by_distance(noise)[1:48]).max() < 0.1


def test_rotary_scores_stay_when_both_slide() -> None:
    scores = rotary.compute(rotary.Inputs()).scores
    m, n = rotary.DEFAULT_PLACES["query"], rotary.DEFAULT_PLACES["key"]
    steps = range(-n, rotary.N_POSITION - m)
    assert [scores[m + s, n + s] for s in steps] == pytest.approx([scores[m, n]] * len(steps))
    assert abs(scores[m + 1, n] - scores[m, n]) > 0.1
    assert np.abs(rotary.compute(rotary.Inputs(layout="neighbors")).scores - scores).max() > 0.1


def test_alibi_in_words() -> None:
    six, eight, one = (alibi.compute(alibi.Inputs(n_head=n)) for n in (6, 8, 1))
    assert six.slopes.tolist() == [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8]
    assert eight.slopes.tolist() == [2.0**-n for n in range(1, 9)]
    assert six.half[[4, 3]] == pytest.approx([1.4, 177], abs=0.5)
    assert one.slopes.tolist() == [1 / 256]
    assert six.weights[4, -1, -8:].sum() > 0.95  # reads its neighbors
    assert np.ptp(six.weights[3, -1]) < 0.005  # reads all alike


def test_buckets_in_words() -> None:
    past, both, few = (
        buckets.compute(buckets.Inputs(sides=sides, n_bucket=n)).numbers
        for sides, n in (("past", 32), ("both", 32), ("both", 8))
    )
    back = past[buckets.MAX_OFFSET :: -1]  # by distance 0, 1, 2, …
    assert back[:16].tolist() == list(range(16))
    assert back[16] == back[17]
    assert back[112] == 30 and (back[113:] == 31).all()
    assert (past[buckets.MAX_OFFSET :] == 0).all()
    before, after = both[buckets.MAX_OFFSET :: -1], both[buckets.MAX_OFFSET + 1 :]
    assert before[:8].tolist() == list(range(8)) and before[8] == before[9]
    assert after[:7].tolist() == list(range(17, 24))
    assert len(set(few)) <= 8


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("how", ["reverse", "seed"])
def test_shuffling_in_words(how: str, seed: int) -> None:
    given = {"how": how, "weights": seed} | ({"seed": seed} if how == "seed" else {})
    for n_layer in causal.LAYER_COUNTS:
        assert shuffle.compute(shuffle.Inputs(n_layer=n_layer, **given)).largest < 1e-13
        for scheme in [name for name in shuffle.SCHEMES if name != "none"]:
            largest = shuffle.compute(shuffle.Inputs(n_layer=n_layer, scheme=scheme, **given)).largest
            # ALiBi knows distance without direction: a mirror image is the same.
            assert largest < 1e-13 if (scheme, how) == ("alibi", "reverse") else largest > 0.05
    past = causal.compute(causal.Inputs(n_layer=1, **given))
    assert past.order[-1] == 6 and sorted(past.order) == list(range(7))
    last = [past.every[n].last for n in causal.LAYER_COUNTS]
    assert last[0] < 1e-13 and min(last[1:]) > 1e-3
    assert past.largest > 0.05  # the earlier rows differ
