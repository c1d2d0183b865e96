"""Masks: which query may attend to which key. They are boolean, True means "may attend"; combine with `&` and `|`.

Rows are queries, columns are keys. Where there are fewer queries than keys, the last query stands at the last key:
that is how a decoder with cached keys asks for its newest positions only.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from core.data.checks import whole
from core.nn import checks
from core.nn.positions import distances


def full(n_query: int, n_key: int | None = None, device: torch.device | None = None) -> Bool[Tensor, "T S"]:
    """Everyone may attend to everyone: an encoder, or cross-attention (any two lengths).

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    n_query = whole("n_query", n_query, 0)
    n_key = n_query if n_key is None else whole("n_key", n_key, 0)
    return torch.ones(n_query, n_key, dtype=torch.bool, device=device)


def causal(n_query: int, n_key: int | None = None, device: torch.device | None = None) -> Bool[Tensor, "T S"]:
    """Each position may attend to itself and to what came before: a decoder.

    Raises:
        ValueError: if there are more queries than keys.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    n_key = n_query if n_key is None else n_key
    if whole("n_query", n_query, 0) > whole("n_key", n_key, 0):
        raise ValueError(f"n_query={n_query} is more than n_key={n_key}: the last query stands at the last key")
    return distances(n_query, n_key, device) <= 0


def sliding_window(n: int, window: int, causal: bool = True, device: torch.device | None = None) -> Bool[Tensor, "T S"]:
    """Each position may attend to the `window` positions nearest to it, itself included.

    Args:
        n: number of positions.
        window: how many positions one row may see: the last `window` ones if causal, else `window - 1` to each side.
        causal: whether the future is hidden too.

    Raises:
        ValueError: if window < 1.

    Source: Beltagy et al. 2020 (Longformer), section 3.1.
    """
    if whole("window", window) < 1:
        raise ValueError(f"window={window} must be at least 1: a position always sees itself")
    offset = distances(whole("n", n, 0), n, device)
    near = offset.abs() < window
    return near & (offset <= 0) if causal else near


def prefix(n: int, n_prefix: int, device: torch.device | None = None) -> Bool[Tensor, "T S"]:
    """The first `n_prefix` positions see one another fully; the rest is causal.

    Raises:
        ValueError: if n_prefix is not within 0..n.

    Source: Raffel et al. 2019 (T5), section 3.2.1, "prefix LM".
    """
    if not 0 <= whole("n_prefix", n_prefix) <= whole("n", n):
        raise ValueError(f"n_prefix={n_prefix} is not within 0..n={n}")
    return causal(n, device=device) | (torch.arange(n, device=device) < n_prefix)


def padding(lengths: Int[Tensor, " B"] | Sequence[int], n_key: int) -> Bool[Tensor, "B 1 1 S"]:
    """Nobody attends to padding: key s of sequence b is open while s < lengths[b], its number of real tokens.

    Raises:
        ValueError: if a length is negative or more than the padded length n_key.
        TypeError: if they are no whole numbers.
    """
    lengths = checks.ids("lengths", lengths, "(B,), one for each sequence", 1)
    whole("n_key", n_key, 0)
    if bool((lengths < 0).any()) or bool((lengths > n_key).any()):
        raise ValueError(f"lengths must lie within 0..n_key={n_key}, got {lengths.tolist()}")
    real = torch.arange(n_key, device=lengths.device) < lengths[:, None]  # (B, S)
    return real[:, None, None, :]  # (B, 1, 1, S)


def readable(mask: Bool[Tensor, "B S"] | None) -> Bool[Tensor, "B 1 1 S"] | None:
    """The same for padding at any position: no query attends to a key that isn't a token. None: all are tokens."""
    checks.padding(mask)
    return None if mask is None else mask[:, None, None, :]
