"""Masks at work: combining several into one, and running a model under a mask that is not its own."""

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import cast

import numpy as np
import torch
from jaxtyping import Bool, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Column, Result, Table
from core.inspect.attention_record import (
    FloatArray,
    as_batch,
    learned_sink_scores,
    score_scale_of,
    softcap_of,
    to_numpy,
    window_masks,
)
from core.inspect.model_inputs.model_and_text import PADDING_TOKEN
from core.nn import masks
from core.nn.attention import attention_scores, masked_softmax
from core.nn.block import Block
from core.nn.tap import Edit, Trace

LABELS = module_labels(__name__)


class MaskedHeads(Result):
    """All heads under one mask, one of them selected."""

    mask: NDArray[np.bool_]  # (T, S) True where query t may attend to key s
    n_open: int  # cells that may be read
    n_empty: int  # rows that may not read anything
    all_scores: FloatArray  # (L, H, T, S) before the mask
    all_weights: FloatArray  # (L, H, T, S) after mask and softmax: rows sum to 1 (less with sinks), empty ones to 0
    layer: int
    head: int
    scores: FloatArray  # (T, S) of the selected head
    weights: FloatArray  # (T, S) of the selected head
    rows: tuple[str, ...]  # (T,) query tokens
    columns: tuple[str, ...]  # (S,) key tokens
    sinks: FloatArray | None = None  # (L, H) score of each head's sink, which no mask hides; None without sinks

    @property
    def formula(self) -> str:
        """The formula of the strongest cell of the last real token that may read something."""
        real = np.array([token != PADDING_TOKEN for token in self.rows])
        row = int(np.flatnonzero(self.mask.any(-1) & real)[-1])
        column = int(self.weights[row].argmax())
        exps = np.exp(self.scores[row].astype(np.float64))
        total, n_open = float(exps[self.mask[row]].sum()), int(self.mask[row].sum())
        summed, beside = LABELS("formula.sum", n_open=n_open, row=row), ""
        if self.sinks is not None:
            sink = float(self.sinks[self.layer, self.head])
            total, beside = total + float(np.exp(sink)), rf" + e^{{{sink:.3f}}}"
        return (
            rf"w_{{{row},{column}}} = \frac{{e^{{{self.scores[row, column]:.3f}}}}}"
            rf"{{{summed}{beside}}}"
            rf" = \frac{{{exps[column]:.3f}}}{{{total:.3f}}} = {exps[column] / total:.4f}"
        )

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {"mask": self.mask, "scores": self.scores, "weights": self.weights}

    def table(self) -> Table:
        return cell_table(self.rows, self.columns, may_attend=self.mask, score=self.scores, weight=self.weights)


def _record_heads(
    mask: Bool[Tensor, "T S"],
    scores: Tensor,
    weights: Tensor,
    head: tuple[int, int],
    tokens: tuple[Sequence[str], Sequence[str]],
    sinks: FloatArray | None,
) -> MaskedHeads:
    """Record scores and weights (L, H, T, S) under a mask, with one (layer, head) selected.

    tokens: of the queries and of the keys.
    """
    open_, all_scores, all_weights = mask.numpy(), to_numpy(scores), to_numpy(weights)
    return MaskedHeads(
        mask=open_,
        n_open=int(open_.sum()),
        n_empty=int((~open_.any(-1)).sum()),
        all_scores=all_scores,
        all_weights=all_weights,
        layer=head[0],
        head=head[1],
        scores=all_scores[head],
        weights=all_weights[head],
        rows=tuple(tokens[0]),
        columns=tuple(tokens[1]),
        sinks=sinks,
    )


def combine_masks(
    kinds: Sequence[str], n_token: int, *, n_real: int, n_prefix: int, window: int, how: str = "and"
) -> Bool[Tensor, "T T"]:
    """Combine several masks into one, for one text.

    Args:
        kinds: any of full, causal, padding, prefix, window and band; none means full.
        n_token: number of positions, including padding.
        window: how many positions a row of the window sees (for "band": to each side, including itself).
        how: "and": a cell is open if every mask opens it; "or": if at least one does.

    Raises:
        ValueError: if a kind or `how` is unknown, or a size does not fit.
    """
    if how not in ("and", "or"):
        raise ValueError(f"how={how!r} is neither 'and' nor 'or'")
    make = {
        "full": lambda: masks.full(n_token),
        "causal": lambda: masks.causal(n_token),
        "padding": lambda: masks.padding(torch.tensor([n_real]), n_token)[0, 0].expand(n_token, n_token),
        "prefix": lambda: masks.prefix(n_token, n_prefix),
        "window": lambda: masks.sliding_window(n_token, window),
        "band": lambda: masks.sliding_window(n_token, window, causal=False),
    }
    for kind in kinds:
        if kind not in make:
            raise ValueError(f"there is no mask {kind!r}; choose from {', '.join(make)}")
    return reduce(and_ if how == "and" else or_, [make[kind]() for kind in kinds or ("full",)])


def run_with_mask(
    model: nn.Module, ids: Int[Tensor, "B T"], mask: Bool[Tensor, "..."], *, keeps_windows: bool = False
) -> Trace:
    """Run a model with this mask in every layer, instead of its own.

    The weights of each layer are replaced by the softmax of that layer's scores under the mask; everything after
    them is computed from that.

    Args:
        mask: True means "may attend", broadcastable to (B, H, T, T).
        keeps_windows: True: layers with a window still read no further than that.
    """
    mask = mask.to(ids.device)
    windows = torch.from_numpy(window_masks(model, ids.shape[1])).to(ids.device) if keeps_windows else None
    blocks = cast(Sequence[Block], model.blocks)

    def under(layer: int) -> Edit:
        open_ = mask if windows is None else mask & windows[layer]
        sink = blocks[layer].attn.sink_scores()
        return lambda _: masked_softmax(trace[f"blocks.{layer}.attn.scores"], open_, sink)

    n_layer = int(model.config.n_layer)  # type: ignore[union-attr, arg-type]
    trace = Trace(model, {f"blocks.{layer}.attn.weights": under(layer) for layer in range(n_layer)})
    with torch.no_grad(), trace:
        model(ids)
    return trace


def heads_with_mask(
    model: nn.Module, ids: Sequence[int], mask: Bool[Tensor, "T T"], layer: int, head: int, tokens: Sequence[str] = ()
) -> MaskedHeads:
    """Return the heads of a model that runs under this mask in every layer.

    Raises:
        ValueError: if the text does not fit the model, or the mask does not fit the text.
    """
    batch = as_batch(model, ids)
    n_token = batch.shape[1]
    if mask.shape != (n_token, n_token):
        raise ValueError(f"the mask is {tuple(mask.shape)}, the text has {n_token} tokens")
    trace = run_with_mask(model, batch, mask)
    scores, weights = (_all_layers(model, trace, name) for name in ("scores", "weights"))
    return _record_heads(mask, scores, weights, (layer, head), (tokens, tokens), learned_sink_scores(model))


def cross_attention_heads(
    model: nn.Module,
    ids: Sequence[int],
    memory: Sequence[int],
    n_real: int,
    layer: int,
    head: int,
    rows: Sequence[str] = (),
    columns: Sequence[str] = (),
) -> MaskedHeads:
    """Compute cross-attention with the heads of this model: the queries of one text, the keys of another.

    Each text goes through the model on its own; then the first queries the second. Positions of two texts have no order
    between them, so the mask is not causal: only the padding of the second text is hidden. The bias that a position
    scheme would add to the scores (ALiBi, relative) is left out for the same reason.

    Args:
        memory: (S,) the text that is read, including padding.

    Source: Vaswani et al. 2017, section 3.2.3, first point.
    """
    asks, reads = as_batch(model, ids), as_batch(model, memory)
    with torch.no_grad(), Trace(model) as first:
        model(asks)
    with torch.no_grad(), Trace(model) as second:
        model(reads)
    real = masks.padding(torch.tensor([n_real]), reads.shape[1])[0, 0]
    mask = masks.full(asks.shape[1], reads.shape[1]) & real
    q, k = _all_layers(model, first, "q"), _all_layers(model, second, "k")
    scores = attention_scores(q, k, scale=score_scale_of(model), softcap=softcap_of(model))  # (L, H, T, S)
    sinks = learned_sink_scores(model)  # (L, H)
    column = None if sinks is None else torch.from_numpy(sinks).to(scores.device)[..., None, None]
    weights = masked_softmax(scores, mask.to(scores.device), column)
    return _record_heads(mask, scores, weights, (layer, head), (rows, columns), sinks)


def _all_layers(model: nn.Module, trace: Trace, name: str) -> Tensor:
    """Stack a tensor of the attention over the layers, (L, H, ...)."""
    n_layer = int(model.config.n_layer)  # type: ignore[union-attr, arg-type]
    return torch.stack([trace[f"blocks.{layer}.attn.{name}"][0] for layer in range(n_layer)])


def cell_table(rows: Sequence[str], columns: Sequence[str], **matrices: NDArray[np.generic]) -> Table:
    """Turn (T, S) matrices into a table with one row per cell; their names are the keys of the headings."""
    headings, n_row, n_column = LABELS.options("column"), len(rows), len(columns)
    table: dict[str, Column] = {
        headings["query"]: [t for t in range(n_row) for _ in range(n_column)],
        headings["query_token"]: [token for token in rows for _ in range(n_column)],
        headings["key"]: list(range(n_column)) * n_row,
        headings["key_token"]: list(columns) * n_row,
    }
    return table | {headings[name]: matrix.ravel().tolist() for name, matrix in matrices.items()}
