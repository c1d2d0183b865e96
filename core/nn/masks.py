"""Attention masks, which say which query may attend to which key.

They are boolean, and True means "may attend". Combine them with `&` and `|`. Rows are queries, columns are keys. If
there are fewer queries than keys, the last query aligns with the last key, as in a decoder with a KV cache, which only
computes its newest positions.

Elsewhere: `torch.nn.functional.scaled_dot_product_attention` reads boolean masks in the same way; in
`torch.nn.MultiheadAttention`, True means "may not attend".
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from core.data.checks import check_whole
from core.nn import checks
from core.nn.positions import relative_positions


def full(n_query: int, n_key: int | None = None, device: torch.device | None = None) -> Bool[Tensor, "T S"]:
    """Let every query attend to every key, as in an encoder or in cross-attention (any two lengths).

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    n_query = check_whole("n_query", n_query, 0)
    n_key = n_query if n_key is None else check_whole("n_key", n_key, 0)
    return torch.ones(n_query, n_key, dtype=torch.bool, device=device)


def causal(n_query: int, n_key: int | None = None, device: torch.device | None = None) -> Bool[Tensor, "T S"]:
    """Let each position attend to itself and to earlier positions, as in a decoder.

    Raises:
        ValueError: if there are more queries than keys.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    n_key = n_query if n_key is None else n_key
    if check_whole("n_query", n_query, 0) > check_whole("n_key", n_key, 0):
        raise ValueError(f"n_query={n_query} is more than n_key={n_key}: the last query aligns with the last key")
    return relative_positions(n_query, n_key, device) <= 0


def sliding_window(n: int, window: int, causal: bool = True, device: torch.device | None = None) -> Bool[Tensor, "T S"]:
    """Let each position attend only to the positions near it, itself included (local attention).

    Args:
        n: number of positions.
        window: size of the window: the last `window` positions if causal, else `window - 1` positions on each side.
        causal: whether the future is hidden, too.

    Raises:
        ValueError: if window < 1.

    Source: Beltagy et al. 2020 (Longformer), section 3.1.
    """
    if check_whole("window", window) < 1:
        raise ValueError(f"window={window} must be at least 1: a position always sees itself")
    offset = relative_positions(check_whole("n", n, 0), n, device)
    near = offset.abs() < window
    return near & (offset <= 0) if causal else near


def prefix(n: int, n_prefix: int, device: torch.device | None = None) -> Bool[Tensor, "T S"]:
    """Let the first `n_prefix` positions attend to one another in both directions; the rest is causal.

    Raises:
        ValueError: if n_prefix is not within 0..n.

    Source: Raffel et al. 2019 (T5), section 3.2.1, "prefix LM".
    """
    if not 0 <= check_whole("n_prefix", n_prefix) <= check_whole("n", n):
        raise ValueError(f"n_prefix={n_prefix} is not within 0..n={n}")
    return causal(n, device=device) | (torch.arange(n, device=device) < n_prefix)


def padding(lengths: Int[Tensor, " B"] | Sequence[int], n_key: int) -> Bool[Tensor, "B 1 1 S"]:
    """Hide padding: key s of sequence b may be attended to if s < lengths[b], its number of real tokens.

    Raises:
        ValueError: if a length is negative or more than the padded length n_key.
        TypeError: if the lengths are not integers.
    """
    lengths = checks.as_ids("lengths", lengths, "(B,), one for each sequence", 1)
    check_whole("n_key", n_key, 0)
    if bool((lengths < 0).any()) or bool((lengths > n_key).any()):
        raise ValueError(f"lengths must lie within 0..n_key={n_key}, got {lengths.tolist()}")
    real = torch.arange(n_key, device=lengths.device) < lengths[:, None]  # (B, S)
    return real[:, None, None, :]  # (B, 1, 1, S)


def padding_to_attention_mask(mask: Bool[Tensor, "B S"] | None) -> Bool[Tensor, "B 1 1 S"] | None:
    """Turn a padding mask (B, S) into an attention mask (B, 1, 1, S) that hides padding.

    Unlike `padding`, it allows padding at any position. Returns None if `mask` is None (no padding).

    Elsewhere: this padding mask is `attention_mask` in Hugging Face's models, with 1 for a token and 0 for padding.
    """
    checks.check_padding_mask(mask)
    return None if mask is None else mask[:, None, None, :]
