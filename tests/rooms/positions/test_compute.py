"""Positions measured: right ones keep their promises, the lecture's break each; shuffled words; what clocks send."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.inspect import position_properties
from core.nn.positions import POSITION_SCHEMES, alibi_slopes, relative_buckets, rotate, sinusoidal
from core.nn.tap import Trace
from core.rooms.positions import alibi, buckets, clocks, lecture, rotary, who_saw_whom
from core.rooms.positions.compute import word_order

IDS = (0, 1, 2, 3, 4, 5, 6)
SEEDS = st.integers(0, 1000)


@settings(max_examples=40)
@given(st.permutations(range(7)), st.integers(1, 4), SEEDS)
def test_without_positions_the_same_rows_come_in_another_order(order: list[int], n_layer: int, seed: int) -> None:
    found = word_order.compare_word_orders(word_order.random_model("none", n_layer, False, seed), IDS, order)
    assert found.largest < 1e-12
    np.testing.assert_allclose(found.after, found.before[order], atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("scheme", [name for name in POSITION_SCHEMES if name != "none"])
def test_with_positions_other_rows_come(scheme: str, seed: int) -> None:
    order = word_order.random_order(7, seed)
    found = word_order.compare_word_orders(word_order.random_model(scheme, 2, False, seed), IDS, order)
    assert found.largest > 0.05
    expected = np.abs(found.after[:, None] - found.before[None]).max(-1)
    np.testing.assert_array_equal(found.difference, expected)
    assert found.largest == max(expected[t, s] for t, s in enumerate(order))


def test_each_word_stands_beside_itself() -> None:
    found = who_saw_whom.compute(who_saw_whom.Inputs(weights=3))
    for i, scheme in enumerate(("none", *who_saw_whom.SCHEMES)):
        model = word_order.random_model(scheme, 1, False, 3, longest=3)
        for sentence, words in ((0, (0, 1, 2)), (1, (2, 1, 0))):
            with Trace(model) as trace:
                model(torch.tensor([words]))
            output = dict(zip(words, trace["final"][0].numpy(), strict=True))
            np.testing.assert_array_equal(found.outputs[i, sentence], [output[word] for word in range(3)])


@pytest.mark.parametrize("order", [(0, 1), (0, 1, 1), (1, 2, 3)])
def test_an_order_that_is_none_is_refused(order: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="does not name each of the positions"):
        word_order.compare_word_orders(word_order.random_model("none", 1, False, 0), (0, 1, 2), order)


@settings(max_examples=60)
@given(st.integers(2, 12), st.integers(0, 2**31 - 1))
def test_a_drawn_order_is_a_permutation_and_changes_something(n: int, seed: int) -> None:
    order = word_order.random_order(n, seed)
    assert sorted(order) == list(range(n)) != list(order) and order == word_order.random_order(n, seed)


def test_weights_come_from_the_seed_alone() -> None:
    a, b, c = (word_order.random_model("none", 1, False, seed) for seed in (3, 3, 4))
    assert all((x == y).all() for x, y in zip(a.parameters(), b.parameters(), strict=True))
    assert not (a.tok_emb.weight == c.tok_emb.weight).all()
    assert float(a.tok_emb.weight.std()) == pytest.approx(0.25, abs=0.05)


def right(n_position: int, d_model: int) -> torch.Tensor:
    return sinusoidal(n_position, d_model, dtype=torch.float64)


@settings(max_examples=40)
@given(st.integers(1, 60), st.integers(1, 40), st.integers(0, 300), st.integers(0, 300))
def test_one_rotation_moves_every_position(n_position: int, n_pair: int, shift: int, more: int) -> None:
    width = 2 * n_pair
    found = position_properties.compare_sinusoidal_rotation(n_position, width, shift)
    assert found.residual.shape == (n_position,)
    assert found.residual.max() < 1e-12
    np.testing.assert_allclose(found.matrix @ found.matrix.T, np.eye(width), atol=1e-12)  # turns, no more
    np.testing.assert_array_equal(found.wanted, right(n_position + shift, width).numpy()[shift:])
    both = position_properties.sinusoidal_shift_matrix(shift + more, width)
    np.testing.assert_allclose(
        found.matrix @ position_properties.sinusoidal_shift_matrix(more, width), both, atol=1e-12
    )
    np.testing.assert_allclose(position_properties.sinusoidal_shift_matrix(-shift, width), found.matrix.T, atol=1e-12)
    np.testing.assert_array_equal(position_properties.sinusoidal_shift_matrix(0, width), np.eye(width))


def test_another_rotation_does_not() -> None:
    table = right(20, 8).numpy()
    wrong = table[:-3] @ position_properties.sinusoidal_shift_matrix(4, 8).T  # the matrix of 4 for a move of 3
    assert np.abs(wrong - table[3:]).max() > 0.5


@pytest.mark.parametrize("width", [4, 8, 16, 64, 128])
def test_the_right_table_keeps_all_promises_and_the_lecture_s_breaks_each(width: int) -> None:
    longer = 4 * width + 5
    kept = position_properties.measure_position_properties(right(64, width), right(longer, width))
    np.testing.assert_allclose(kept.squared_norm, width / 2, rtol=1e-14)
    assert kept.spread.max() < 1e-12
    assert kept.misfit < 1e-11
    table = lecture.lecture_table
    broken = position_properties.measure_position_properties(table(64, width), table(longer, width))
    assert np.ptp(broken.squared_norm) > 2
    assert broken.spread.max() > 2
    assert broken.misfit > 1
    difference = (table(64, width) - right(64, width)).abs()
    assert float(difference[:, 0::2].max()) < 1e-12 and float(difference.max()) > 1  # its sines are right


def test_the_formula_as_printed() -> None:
    table = lecture.formula_without_brackets(64, 8)
    assert float((table - right(64, 8)).abs().max()) == pytest.approx(2.0, abs=0.001)
    assert float(table[:, 1::2].min()) > 0.999  # every cosine stands almost still
    torch.testing.assert_close(table[:, 0::2], right(64, 8)[:, 0::2])
    assert float(table[5, 3]) == pytest.approx(np.cos(5 / 10000 ** (3 - 1 / 8)))


def test_a_fit_of_too_few_positions_is_refused() -> None:
    with pytest.raises(ValueError, match="10 moves are too few to judge a matrix of 8 x 8"):
        position_properties.measure_position_properties(right(15, 8), right(15, 8))


@settings(max_examples=30)
@given(st.integers(1, 8), SEEDS, st.sampled_from([100.0, 10_000.0, 500_000.0]), st.booleans())
def test_rotary_scores_know_only_the_distance(n_pair: int, seed: int, base: float, interleaved: bool) -> None:
    q, k = position_properties.random_query_and_key(2 * n_pair, seed)
    scores = position_properties.rotary_scores(q, k, 24, base, interleaved)
    assert position_properties.range_by_distance(scores).max() < 1e-11
    assert position_properties.range_by_distance(scores.T).max() < 1e-11
    assert scores[7, 7] == pytest.approx(q @ k)


def test_similarities_of_a_table_by_hand() -> None:
    found = position_properties.learned_position_similarities(np.array([[3.0, 4.0], [4.0, -3.0], [0.0, 0.0]]))
    np.testing.assert_allclose(found.length, [5, 5, 0])
    np.testing.assert_allclose(found.cosine, [[1, 0, 0], [0, 1, 0], [0, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(position_properties.mean_by_distance(np.arange(9.0).reshape(3, 3)), [4, 3, 2])


def test_weights_of_alibi_halve_as_told() -> None:
    found = alibi.compute_alibi(8, 40)
    np.testing.assert_allclose(found.weights.sum(-1), 1, rtol=1e-5)
    assert (np.triu(found.weights, 1) == 0).all()
    for head, slope in enumerate(alibi_slopes(8).tolist()):
        assert found.half[head] == pytest.approx(np.log(2) / slope)
        last = found.weights[head, -1]
        assert last[-2] / last[-1] == pytest.approx(np.exp(-slope), rel=1e-4)
    assert alibi.compute_alibi(6, 4).written == ["1/4", "1/16", "1/64", "1/256", "1/2", "1/8"]
    assert alibi.format_slope(2**-0.5) == "0.7071"


@pytest.mark.parametrize("bidirectional", [True, False])
def test_runs_of_buckets_cover_every_offset_once(bidirectional: bool) -> None:
    found = buckets.bucket_runs(buckets.bucket_by_offset(300, bidirectional, 32, 128), -300)
    assert [one.low for one in found[1:]] == [one.high + 1 for one in found[:-1]]
    assert (found[0].low, found[-1].high) == (-300, 300)
    for one in found:
        assert set(relative_buckets(torch.arange(one.low, one.high + 1), bidirectional).tolist()) == {one.number}


AT = {"position": 3, "distance": 2, "pair": 1}


def test_only_a_place_that_exists_is_taken_from_the_browser() -> None:
    # The second hand would stand at 8 of 0 .. 7 with the distance 3 from position 5.
    places = [(8, 0, 0), (5, 3, 0), (0, 0, 2), (True, 0, 0), (1.5, 0, 0), (0, -1, 0)]
    picks: list[Any] = [dict(zip(AT, place, strict=True)) for place in places]
    assert [clocks.parse_clock_place(pick, 8, 4) for pick in [None, "x", [], {"position": 0}, *picks]] == [None] * 10
    assert clocks.parse_clock_place(AT | {"more": 1}, 8, 4) == AT
    assert rotary.parse_rotary_places({"query": 7, "key": 0}, 8) == {"query": 7, "key": 0}
    for broken in ({"query": 8, "key": 0}, {"query": "7", "key": 0}, {}, 3):
        assert rotary.parse_rotary_places(broken, 8) is None


def test_the_browser_computes_what_python_does(node: str) -> None:
    generator = torch.Generator().manual_seed(0)
    table = right(40, 16)
    cases: list[dict[str, Any]] = [{"table": table.tolist(), "a": a, "b": b} for a, b in ((0, 0), (3, 17), (39, 4))]
    expected: list[Any] = [float(table[case["a"]] @ table[case["b"]]) for case in cases]
    frequencies = position_properties.sinusoidal_frequencies(6).tolist()
    for interleaved in (True, False):
        for m, n in ((0, 0), (9, 4), (31, 30)):
            q, k = torch.randn(2, 1, 6, generator=generator, dtype=torch.float64)
            turned = rotate(q, torch.tensor([m]), 10_000.0, interleaved)[0]
            total = float(turned @ rotate(k, torch.tensor([n]), 10_000.0, interleaved)[0])
            given = {"q": q[0].tolist(), "k": k[0].tolist(), "m": m, "n": n}
            cases.append(given | {"interleaved": interleaved, "frequencies": frequencies})
            expected.append({"q": turned.tolist(), "total": total})
    parity = Path(__file__).with_name("clock_parity.mjs")
    done = subprocess.run([node, parity], input=json.dumps(cases), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    for got, wanted in zip(json.loads(done.stdout), expected, strict=True):
        if isinstance(wanted, float):
            assert got == pytest.approx(wanted, abs=1e-12)
        else:
            assert got["q"] == pytest.approx(wanted["q"], abs=1e-12)
            assert got["total"] == pytest.approx(wanted["total"], abs=1e-12)
