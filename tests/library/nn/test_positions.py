"""The contracts of positions: properties that hold for any size, and small cases by hand."""

import math
from decimal import Decimal, localcontext

import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.nn import positions
from core.nn.attention import MultiHeadAttention
from core.nn.tap import Trace


def test_sinusoidal_begins_with_sines_of_0_and_cosines_of_0() -> None:
    table = positions.sinusoidal(3, 4, dtype=torch.float64)
    assert table[0].tolist() == [0, 1, 0, 1]
    slow = torch.tensor([math.sin(0.02), math.cos(0.02)], dtype=torch.float64)  # position 2, one hundredth of the speed
    torch.testing.assert_close(table[2, 2:], slow)


@settings(max_examples=60)
@given(st.integers(1, 80), st.integers(1, 40), st.integers(0, 200))
def test_three_properties_hold_for_any_size_and_shift(n_position: int, n_pair: int, shift: int) -> None:
    d_model = 2 * n_pair
    table = positions.sinusoidal(n_position + shift, d_model, dtype=torch.float64)
    torch.testing.assert_close(table.square().sum(-1), torch.full((len(table),), n_pair, dtype=torch.float64))
    frequency = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    product = (table[:n_position] * table[shift:]).sum(-1)  # PE(p) . PE(p + shift)
    expected = (shift * frequency).cos().sum()
    torch.testing.assert_close(product, expected.expand(n_position), atol=1e-11, rtol=0)
    one, turned = table[:n_position], table[shift:]
    complex_turn = torch.polar(torch.ones(n_pair, dtype=torch.float64), -shift * frequency)  # the rotation, once
    hands = torch.complex(one[:, 1::2], -one[:, 0::2])  # cos - i sin turns by a factor
    torch.testing.assert_close(
        hands * complex_turn, torch.complex(turned[:, 1::2], -turned[:, 0::2]), atol=1e-11, rtol=0
    )


@settings(max_examples=60)
@given(
    st.integers(0, 3000),
    st.integers(0, 3000),
    st.integers(1, 12),
    st.sampled_from([100.0, 1e4, 5e5]),
    st.integers(0, 99),
)
def test_rotary_layouts_are_one_permutation_apart(m: int, n: int, n_pair: int, base: float, seed: int) -> None:
    x = torch.randn(2, 2 * n_pair, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    order = [*range(0, 2 * n_pair, 2), *range(1, 2 * n_pair, 2)]  # 0, 2, 4, …, 1, 3, 5, …
    places = torch.tensor([m, n])
    halves = positions.rotate(x[:, order], places, base)
    neighbors = positions.rotate(x, places, base, interleaved=True)
    torch.testing.assert_close(halves, neighbors[:, order], atol=1e-12, rtol=1e-12)
    torch.testing.assert_close(neighbors.norm(dim=-1), x.norm(dim=-1))  # turning changes no length


@given(st.integers(0, 1000), st.integers(0, 1000), st.booleans(), st.integers(0, 10_000))
def test_rotated_scores_depend_on_the_distance_only(place: int, shift: int, interleaved: bool, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    q, k = torch.randn(2, 1, 8, generator=generator, dtype=torch.float64)

    def score(i: int, j: int) -> float:
        a = positions.rotate(q, torch.tensor([i]), interleaved=interleaved)
        b = positions.rotate(k, torch.tensor([j]), interleaved=interleaved)
        return float(a @ b.T)

    assert score(place, place + 3) == pytest.approx(score(place + shift, place + shift + 3), abs=1e-9)
    assert score(place, place) == pytest.approx(float(q @ k.T), abs=1e-9)  # a rotation keeps lengths and angles


def test_attention_turns_queries_and_keys_by_the_same_places() -> None:
    attn = MultiHeadAttention(8, 2).double()
    x = torch.randn(1, 5, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    maps = []
    for start in (0, 7):
        with torch.no_grad(), Trace(attn) as trace:
            attn(x, positions=torch.arange(start, start + 5))
        maps.append(trace["weights"])
        for name, linear in (("q", attn.w_q), ("k", attn.w_k)):
            plain = linear(x).unflatten(-1, (2, 4)).transpose(1, 2)
            torch.testing.assert_close(trace[name], positions.rotate(plain, torch.arange(start, start + 5)))
    torch.testing.assert_close(maps[0], maps[1])  # moving the whole text changes nothing


def test_position_0_is_not_turned_and_an_odd_width_is_refused() -> None:
    x = torch.ones(1, 2, 3, 4)
    assert torch.equal(positions.rotate(x, torch.zeros(3, dtype=torch.long)), x)
    with pytest.raises(ValueError, match="d_head=3 is odd"):
        positions.rotate(torch.ones(1, 3), torch.tensor([0]))


def test_half_precision_is_turned_by_precise_angles() -> None:
    x = torch.ones(1, 4, dtype=torch.bfloat16)
    got = positions.rotate(x, torch.tensor([511])).float()
    torch.testing.assert_close(got, positions.rotate(x.float(), torch.tensor([511])), atol=0.02, rtol=0)


def test_alibi_slopes_by_the_paper() -> None:
    assert positions.alibi_slopes(8).tolist() == [2.0**-n for n in range(1, 9)]
    assert positions.alibi_slopes(6).tolist() == [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2, 1 / 8]
    assert positions.alibi_slopes(1).tolist() == [2.0**-8]


@given(st.integers(1, 64))
def test_alibi_slopes_of_any_number_of_heads(n_head: int) -> None:
    slopes = positions.alibi_slopes(n_head).tolist()
    power = 1 << (n_head.bit_length() - 1)  # the next lower power of two
    first = [2 ** (-8 * (h + 1) / power) for h in range(power)]
    between = [2 ** (-8 * (h + 0.5) / power) for h in range(n_head - power)]  # halfway between two neighbors
    assert slopes == pytest.approx(first + between)
    assert len(set(slopes)) == n_head and all(0 < slope < 1 for slope in slopes)


@settings(max_examples=60)
@given(st.integers(1, 12), st.integers(1, 9), st.integers(0, 9))
def test_alibi_bias_by_its_definition(n_head: int, n_query: int, n_more: int) -> None:
    n_key = n_query + n_more
    bias = positions.alibi_bias(n_head, n_query, n_key)
    assert bias.shape == (n_head, n_query, n_key)
    for h, slope in enumerate(positions.alibi_slopes(n_head).tolist()):
        for t in range(n_query):
            for s in range(n_key):
                assert float(bias[h, t, s]) == pytest.approx(-slope * abs(s - (t + n_more)))


@settings(max_examples=60)
@given(st.integers(-5000, 5000), st.booleans(), st.sampled_from([8, 16, 32, 64]), st.integers(40, 512))
def test_a_bucket_by_exact_arithmetic(offset: int, bidirectional: bool, n_bucket: int, max_distance: int) -> None:
    got = int(positions.relative_buckets(torch.tensor(offset), bidirectional, n_bucket, max_distance))
    each = n_bucket // 2 if bidirectional else n_bucket
    first = each if bidirectional and offset > 0 else 0
    distance = abs(offset) if bidirectional else max(0, -offset)
    exact = each // 2
    with localcontext(prec=50):
        if distance < exact:
            allowed = {distance}
        else:
            share = (Decimal(distance) / exact).ln() / (Decimal(max_distance) / exact).ln() * (each - exact)
            # Where the exact share is a whole number, float32 may fall on either side of it.
            edges = {math.floor(share - Decimal("1e-5")), math.floor(share + Decimal("1e-5"))}
            allowed = {min(each - 1, exact + edge) for edge in edges}
    assert got - first in allowed
