"""Attention rollout, which gives a single matrix for a stack of layers, and a measurement to compare it with.

Rollout multiplies the layers' attention as if nothing else carried a token's content to higher layers. It ignores the
values and the output projection (a weight of 0.9 may read a tiny vector), the feed-forwards, the differences between
heads, and how large the residual stream really is compared to the output of attention. So the tokens are also hidden
from the model one by one, and the change in its predictions is measured.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from scipy.stats import rankdata  # type: ignore[import-untyped]
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Column, Table
from core.inspect.attention_record import as_batch, learned_sink_scores
from core.nn.tap import Trace

LABELS = module_labels(__name__)

DEFAULT_RESIDUAL = 0.5  # Abnar and Zuidema's choice; a convention, not a measured value
TEXTS_PER_PASS = 16  # texts in one pass: a trace of more would take gigabytes in a model of GPT-2's size
MIN_CHANGE = 0.1  # nats: the probability falls by a tenth
# With fewer pairs than this, a rank correlation means too little.
_MIN_PAIRS = 5
MATRIX_NAMES: Mapping[str, str] = {
    "rollout": LABELS["matrix.rollout"],
    "last": LABELS["matrix.last"],
    "hidden": LABELS["matrix.hidden"],
}


def rollout(
    weights: Float[NDArray[np.floating], "L H T S"], residual: float = DEFAULT_RESIDUAL
) -> Float[NDArray[np.float64], "L T S"]:
    """Compute the share of each input token in each position of each layer, as if only attention moved content.

        A_l = (1 - residual) · mean over heads of weights_l + residual · I        rollout_l = A_l rollout_{l-1}

    residual: the share of the residual connection in each layer, 0 to 1. Returns a matrix for each layer; the last one
    is for the whole stack. All rows sum to 1, or to less if heads have sinks, which take the rest.

    Raises ValueError if the weights are not square matrices, or the share is not within 0..1.

    Source: Abnar and Zuidema 2020 (2005.00928), section 3, "attention rollout".
    """
    if weights.ndim != 4 or weights.shape[-1] != weights.shape[-2]:
        raise ValueError(f"rollout takes weights (L, H, T, T), got {weights.shape}")
    if not 0 <= residual <= 1:
        raise ValueError(f"residual={residual} is not a share within 0..1")
    identity = np.eye(weights.shape[-1])
    so_far, layers = identity, []
    for mean in weights.astype(np.float64).mean(1):  # (T, T), mean over heads
        so_far = ((1 - residual) * mean + residual * identity) @ so_far
        layers.append(so_far)
    return np.stack(layers)


def rollout_by_rows(layers: Sequence[NDArray[np.floating]], residual: float = DEFAULT_RESIDUAL) -> NDArray[np.float64]:
    """Compute `rollout` of the layers' weights (H, T, T) differently, as a check: row by row, from the top down."""
    matrices = []
    for top in range(len(layers)):
        rows = np.eye(layers[0].shape[-1])  # shares of each position of this layer in the top layer's positions
        for layer in layers[top::-1]:
            rows = residual * rows + (1 - residual) * np.einsum("ts,hsu->tu", rows, layer) / len(layer)
        matrices.append(rows)
    return np.stack(matrices)


def mean_last_layer_attention(weights: Float[NDArray[np.floating], "L H T S"]) -> Float[NDArray[np.float64], "T S"]:
    """Return rollout's baseline: the mean over the heads of the last layer."""
    return np.asarray(weights[-1].astype(np.float64).mean(0))


def rollout_row_table(
    tokens: Sequence[str],
    row: int,
    *,
    rollout: NDArray[np.float64],
    last: NDArray[np.float64],
    hidden: NDArray[np.float64] | None = None,
) -> Table:
    """Tabulate one row of each matrix (T, T), a line for each token. hidden: `OcclusionRecord.change`, if measured."""
    matrices = {"rollout": rollout, "last": last} | ({} if hidden is None else {"hidden": hidden})
    table: dict[str, Column] = {
        LABELS["column.position"]: list(range(len(tokens))),
        LABELS["column.token"]: list(tokens),
    }
    return table | {MATRIX_NAMES[name]: matrix[row] for name, matrix in matrices.items()}


@dataclass(frozen=True)
class OcclusionRecord:
    """The effect of hiding each token from all other tokens (occlusion).

    change[t, s] is how far the log-probability of the model's prediction at position t falls when token s is hidden. A
    positive value means that token s supports the prediction. NaN means that s cannot influence t, or that t = s,
    because a token cannot be hidden from itself.
    """

    expected: Int[NDArray[np.int64], " T"]  # the unchanged model's prediction after position t
    log_probability: Float[NDArray[np.float64], " T"]  # of this prediction, nats
    change: Float[NDArray[np.float64], "T S"]

    @property
    def telling(self) -> list[int]:
        """The rows with at least two tokens of which one matters; in the others, a ranking would be noise."""
        size = np.abs(np.nan_to_num(self.change))
        return np.flatnonzero((np.isfinite(self.change).sum(-1) >= 2) & (size.max(-1) >= MIN_CHANGE)).tolist()


@torch.no_grad()
def occlude_tokens(
    model: nn.Module, ids: Sequence[int] | Int[Tensor, " T"], reach: Bool[NDArray[np.bool_], "T S"]
) -> OcclusionRecord:
    """Hide each token in turn from all other tokens, in every head of every layer, and measure the predictions.

    The remaining weights, including a sink's, are rescaled to sum to 1, which equals a mask on this key before the
    softmax. The token itself is computed as before, so only the information that others get from it can change.

    reach: True where token s can influence t, see `AttentionRecord.reach`; with a causal mask in every layer, it is
    that mask.

    Raises ValueError if the text does not fit the model.

    Source: occlusion, Zeiler and Fergus 2013, section 2; masking of single attention edges: Geva et al. 2023
    (2304.14767), section 5.
    """
    batch = as_batch(model, ids)
    n_token, n_layer, has_sinks = batch.shape[1], len(model.blocks), learned_sink_scores(model) is not None  # type: ignore[arg-type]
    before = model(batch)[0].cpu().double().log_softmax(-1)  # (T, V)
    expected = before.argmax(-1)
    own = before.gather(-1, expected[:, None])[:, 0]  # (T,)
    change = np.full((n_token, n_token), np.nan)
    for start in range(0, n_token, TEXTS_PER_PASS):
        hidden = torch.arange(start, min(start + TEXTS_PER_PASS, n_token))
        edits = {f"blocks.{layer}.attn.weights": _hide(hidden, has_sinks) for layer in range(n_layer)}
        with Trace(model, edits):
            logits = model(batch.expand(len(hidden), -1))
        after = logits.cpu().double().log_softmax(-1)  # (B, T, V)
        hidden_own = after[:, torch.arange(n_token), expected]  # (B, T)
        change[:, start : start + len(hidden)] = (own - hidden_own).T.numpy()
    change[~reach] = np.nan
    np.fill_diagonal(change, np.nan)
    return OcclusionRecord(expected.numpy(), own.numpy(), change)


def rank_correlation(x: Float[NDArray[np.floating], " N"], y: Float[NDArray[np.floating], " N"]) -> float:
    """Return Spearman's rank correlation: 1 if both have the same order, 0 if the orders are unrelated.

    Pairs with a NaN are left out; equal values share their mean rank. Returns NaN for fewer than five pairs, or if
    either list is constant.

    Source: Spearman 1904.
    """
    both = np.isfinite(x) & np.isfinite(y)
    a, b = rankdata(x[both]), rankdata(y[both])
    if len(a) < _MIN_PAIRS or not a.std() or not b.std():
        return float("nan")
    return float(np.corrcoef(a, b)[0, 1])


def mean_occlusion_correlation(guess: Float[NDArray[np.floating], "T S"], hidden: OcclusionRecord) -> tuple[float, int]:
    """Return the rank correlation of a matrix, such as a rollout, with the size of the changes when hiding tokens.

    Returns the mean over the rows of `OcclusionRecord.telling`, NaN if none has enough tokens, and the number of rows
    in it.
    """
    rows = [rank_correlation(guess[t], np.abs(hidden.change[t])) for t in hidden.telling]
    known = [row for row in rows if np.isfinite(row)]
    return (float(np.mean(known)) if known else float("nan")), len(known)


def occlusion_top_token_matches(guess: Float[NDArray[np.floating], "T S"], hidden: OcclusionRecord) -> tuple[int, int]:
    """Return in how many rows a matrix ranks the token with the largest effect first, and the number of rows."""
    change = hidden.change[hidden.telling]
    guesses = np.where(np.isfinite(change), guess[hidden.telling], -np.inf)
    right = [a.argmax() == np.nanargmax(np.abs(b)) for a, b in zip(guesses, change, strict=True)]
    return int(sum(right)), len(right)


def inverse_distance_baseline(n_token: int) -> Float[NDArray[np.float64], "T S"]:
    """Return a baseline that ignores the model: the nearer a token, the more it matters; 1 on itself."""
    return 1 / (1 + np.abs(np.subtract.outer(np.arange(n_token), np.arange(n_token))))


def _hide(hidden: Tensor, has_sinks: bool = False) -> Callable[[Tensor], Tensor]:
    """Return an edit of the weights that, in text b of the batch, hides key hidden[b] from all other queries."""

    def edit(weights: Float[Tensor, "B H T S"]) -> Float[Tensor, "B H T S"]:
        keep = torch.ones(len(hidden), *weights.shape[-2:], dtype=weights.dtype, device=weights.device)
        row = torch.arange(len(hidden))
        keep[row, :, hidden] = 0
        keep[row, hidden, hidden] = 1
        left = weights * keep[:, None]  # (B, H, T, S)
        total = left.sum(-1, keepdim=True)
        total = total + (1 - weights.sum(-1, keepdim=True)) if has_sinks else total
        return left / total.clamp(min=torch.finfo(weights.dtype).tiny)

    return edit
