"""Our masks say what torch's and Hugging Face's say, once polarity is taken into account."""

import itertools

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.bias import causal_lower_right
from transformers import masking_utils as hf

from core.nn import masks
from core.nn.attention import attend

LENGTHS = torch.tensor([5, 2, 1])


def normal(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def theirs(function: object, n_query: int, n_key: int, attention_mask: Tensor | None = None) -> Tensor:
    """Hugging Face's boolean mask (B, 1, T, S) for a mask function; the last query aligns with the last key."""
    made = hf.sdpa_mask(
        batch_size=1 if attention_mask is None else len(attention_mask),
        q_length=n_query,
        kv_length=n_key,
        q_offset=n_key - n_query,
        mask_function=function,
        attention_mask=attention_mask,
        allow_is_causal_skip=False,
        allow_is_bidirectional_skip=False,
    )
    assert made is not None and made.dtype == torch.bool
    return made


def test_is_causal_puts_the_first_query_at_the_first_key_and_ours_the_last_at_the_last() -> None:
    """torch aligns the other corner, which is wrong for cached decoding: ours is its `causal_lower_right`."""
    q, k, v = normal(1, 1, 2, 4, seed=0), normal(1, 1, 5, 4, seed=1), normal(1, 1, 5, 4, seed=2)
    ours = attend(q, k, v, masks.causal(2, 5))[0]
    torch.testing.assert_close(ours, F.scaled_dot_product_attention(q, k, v, causal_lower_right(2, 5)))
    assert not torch.allclose(ours, F.scaled_dot_product_attention(q, k, v, is_causal=True))


def test_causal_windows_and_prefixes_are_hugging_faces() -> None:
    for n_query, n_key in ((1, 1), (4, 4), (1, 6), (3, 7)):
        assert torch.equal(masks.causal(n_query, n_key), theirs(hf.causal_mask_function, n_query, n_key)[0, 0])
    for n, window in itertools.product((1, 2, 5, 9), (1, 2, 4, 20)):
        function = hf.sliding_window_causal_mask_function(window)
        assert torch.equal(masks.sliding_window(n, window), theirs(function, n, n)[0, 0])
    for n_prefix in (0, 1, 3, 6):
        blocks = torch.where(torch.arange(6) < n_prefix, 0, -1)[None]  # -1: in no block
        function = hf.or_masks(hf.causal_mask_function, hf.blockwise_overlay(blocks))
        assert torch.equal(masks.prefix(6, n_prefix), theirs(function, 6, 6)[0, 0])


@pytest.mark.parametrize("causal", [True, False])
def test_padding_combines_as_in_hugging_face(causal: bool) -> None:
    real = torch.arange(5) < LENGTHS[:, None]  # (B, S), their attention_mask
    order = masks.causal(5) if causal else masks.full(5)
    function = hf.causal_mask_function if causal else hf.bidirectional_mask_function
    expected = theirs(function, 5, 5, real)
    assert torch.equal(order & masks.padding(LENGTHS, 5), expected)


def test_multi_head_attention_of_torch_wants_the_masks_turned_round() -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True).double().eval()
    x, ours = normal(3, 5, 8, seed=0), masks.padding(LENGTHS, 5)
    _, weights = layer(x, x, x, key_padding_mask=~ours[:, 0, 0], average_attn_weights=False)
    assert not weights.masked_select(~ours.expand_as(weights)).any()
    _, wrong = layer(x, x, x, key_padding_mask=ours[:, 0, 0], average_attn_weights=False)
    assert not wrong[1].masked_select(ours[1].expand_as(wrong[1])).any()  # reads the padding alone
    assert bool(((wrong[1].sum(-1) - 1).abs() < 1e-9).all()) and bool(wrong[1, ..., 2:].any())
    assert bool(wrong[0].isnan().all())  # no padding at all: turned the wrong way, nothing is left to read
    _, causal = layer(x, x, x, attn_mask=~masks.causal(5), average_attn_weights=False)
    assert not causal.masked_select(~masks.causal(5).expand_as(causal)).any()


def test_a_row_that_may_read_nothing_is_zero_in_sdpa_and_nan_in_multi_head_attention() -> None:
    none = masks.padding(torch.tensor([0]), 3)
    q = normal(1, 1, 3, 4, seed=0)
    assert not F.scaled_dot_product_attention(q, q, q, attn_mask=none).any() and not attend(q, q, q, none)[0].any()
    layer = nn.MultiheadAttention(4, 1, batch_first=True).double().eval()
    assert bool(layer(q[0], q[0], q[0], key_padding_mask=~none[:, 0, 0])[0].isnan().all())
