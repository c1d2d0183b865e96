"""Interventions: ablate heads, or set one row of attention by hand, and recompute everything after it."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.exhibit import Result
from core.inspect.attention_record import (
    AttentionRecord,
    FloatArray,
    as_batch,
    attention,
    masks_of,
    stack_layers,
    to_numpy,
)
from core.inspect.loss import TokenLoss, losses_from_logits
from core.inspect.patch import ablation_edits, check_head, loss_rise_per_head
from core.nn.tap import Edit, Trace


class Intervention(Result):
    """One text through one model twice: unchanged, and with an edit. `[-1]` is the prediction after the whole text."""

    ids: NDArray[np.int64]  # (T,) the text
    probabilities_before: FloatArray  # (T, V) for the next token at every position
    probabilities_after: FloatArray  # (T, V)
    kl: NDArray[np.float64]  # (T,) Kullback-Leibler divergence of after from before, nats; 0 if nothing changed
    loss_before: TokenLoss  # of the text's own tokens
    loss_after: TokenLoss
    loss_change: float  # rise of the mean loss, nats per token
    weights_before: FloatArray  # (L, H, T, S) attention of all layers
    weights_after: FloatArray  # (L, H, T, S) recomputed after the edit
    expected: int  # the most probable next token without the edit
    now: int  # the most probable next token with the edit
    left: float  # probability of the expected token after the edit


def knock_out(
    model: nn.Module,
    ids: Sequence[int] | Tensor,
    heads: Iterable[tuple[int, int]],
    mode: str = "zero",
    record: AttentionRecord | None = None,
) -> Intervention:
    """Ablate heads and compare the model's predictions.

    Args:
        heads, mode: as in `core.inspect.patch.ablation_edits`.
        record: as in `intervene`.

    Raises:
        ValueError: if a head or the mode does not exist, or the text does not fit the model.
    """
    return intervene(model, ids, ablation_edits(model, heads, mode), record)


def text_loss_rises(model: nn.Module, ids: Sequence[int] | Tensor, mode: str = "zero") -> NDArray[np.float64]:
    """Return the rise of a text's mean loss when each head alone is off: (L, H), nats per token; see `knock_out`."""
    batch = as_batch(model, ids)

    def loss(logits: Tensor) -> Tensor:
        return nn.functional.cross_entropy(logits[0, :-1].double(), batch[0, 1:])

    return loss_rise_per_head(model, batch, loss, mode)


def set_attention_row(
    model: nn.Module,
    ids: Sequence[int] | Tensor,
    layer: int,
    head: int,
    query: int,
    weights: Sequence[float],
    record: AttentionRecord | None = None,
) -> Intervention:
    """Set the attention weights of one query in one head by hand.

    Args:
        weights: (T,) the new row: non-negative, with sum 1, and 0 for keys that the query may not see in this layer.
        record: as in `intervene`.

    Raises:
        ValueError: if the head or query does not exist, the weights are invalid, or the text does not fit the model.
    """
    check_head(model, layer, head)
    n_token = as_batch(model, ids).shape[1]
    if not 0 <= query < n_token:
        raise ValueError(f"query={query} is not within 0..{n_token - 1}")
    row = torch.as_tensor(weights, dtype=torch.float64, device="cpu")
    if row.shape != (n_token,):
        raise ValueError(f"the row has {row.numel()} weights, the text has {n_token} tokens")
    if not bool((row >= 0).all()) or not abs(float(row.sum()) - 1) <= 1e-3:  # nan fails both
        raise ValueError(f"weights must be non-negative and sum to 1; these sum to {float(row.sum()):.4g}")
    seen = np.flatnonzero(masks_of(model, n_token)[layer, query])
    if bool((np.delete(row.numpy(), seen) > 0).any()):
        raise ValueError(
            f"token {query} may look at the tokens {seen[0]} to {seen[-1]} in layer {layer}: all others must have 0"
        )

    def set_row(x: Tensor) -> Tensor:
        x = x.clone()
        x[:, head, query] = row.to(x.dtype).to(x.device)
        return x

    return intervene(model, ids, {f"blocks.{layer}.attn.weights": set_row}, record)


def intervene(
    model: nn.Module, ids: Sequence[int] | Tensor, edits: Mapping[str, Edit], record: AttentionRecord | None = None
) -> Intervention:
    """Run the text without and with edits of tapped tensors, and compare. Without edits the model is not run again.

    Args:
        record: of the unedited text, if it is available.
    """
    before = attention(model, ids) if record is None else record
    batch = as_batch(model, ids)
    logits = torch.tensor(before.logits)  # a copy, because the cached record is read-only
    kl, loss_before = np.zeros(len(logits)), losses_from_logits(logits, batch[0])
    probabilities, weights, loss_after = before.probabilities, before.weights, loss_before
    if edits:
        with torch.no_grad(), Trace(model, edits) as after:
            model(batch)
        changed = after["logits"][0].cpu()
        log_before, log_after = (one.double().log_softmax(-1) for one in (logits, changed))
        kl = (log_before.exp() * (log_before - log_after)).sum(-1).clamp(min=0).numpy()
        probabilities, weights = to_numpy(changed.float().softmax(-1)), stack_layers(after, "attn.weights")
        loss_after = losses_from_logits(changed, batch[0])
    expected = int(before.probabilities[-1].argmax())
    return Intervention(
        ids=before.ids,
        probabilities_before=before.probabilities,
        probabilities_after=probabilities,
        kl=kl,
        loss_before=loss_before,
        loss_after=loss_after,
        loss_change=loss_after.mean - loss_before.mean,
        weights_before=before.weights,
        weights_after=weights,
        expected=expected,
        now=int(probabilities[-1].argmax()),
        left=float(probabilities[-1, expected]),
    )
