"""Weights of half precision are widened in parts, with the same result as if they were widened as a whole."""

from collections.abc import Iterator

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch.nn import functional as F

from core.nn import linear


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """Several threads share out the rows of a product, and each adds up its own."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@settings(max_examples=40)
@given(
    n_row=st.integers(1, 3000),
    d_in=st.sampled_from([7, 48, 100, 576, 900, 1536, 2048, 4100]),
    dtype=st.sampled_from(linear.HALF_DTYPES),
    at_once=st.sampled_from([linear.CHUNK_SIZE, 2**14, 2**22]),
    has_bias=st.booleans(),
)
def test_one_token_gets_the_same_numbers_bit_for_bit(
    n_row: int, d_in: int, dtype: torch.dtype, at_once: int, has_bias: bool
) -> None:
    """As in decoding: a part that begins in the middle of a block of rows adds up in another order."""
    draw = torch.Generator().manual_seed(n_row)
    weight = torch.randn(n_row, d_in, generator=draw).to(dtype)
    bias = torch.randn(n_row, generator=draw) if has_bias else None
    x = torch.randn(1, 1, d_in, generator=draw)
    whole = F.linear(x, weight.float())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear, "CHUNK_SIZE", at_once)
        sizes = linear._sizes(n_row, d_in)
        assert sum(sizes) == n_row and min(sizes) > 0
        found = linear.linear(x, weight, bias)
    assert found.equal(whole if bias is None else whole + bias)


@pytest.mark.parametrize("n_row", [1, 15, 17, 300, 513, 1100])
def test_several_tokens_and_gradients(n_row: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "CHUNK_SIZE", 2**13)
    weight = torch.randn(n_row, 64, generator=torch.Generator().manual_seed(0)).bfloat16()
    x = torch.randn(3, 5, 64, generator=torch.Generator().manual_seed(1))
    torch.testing.assert_close(linear.linear(x, weight), F.linear(x, weight.float()), atol=1e-5, rtol=0)
    gradients = []
    for product in (linear.linear, lambda x, weight: F.linear(x, weight.float())):
        own = x.clone().requires_grad_()
        product(own, weight).square().sum().backward()
        gradients.append(own.grad)
    torch.testing.assert_close(*gradients, atol=1e-3, rtol=1e-4)
