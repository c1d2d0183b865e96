"""What if: a head is switched off, or one row of attention is set by hand, and everything after it is computed anew."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.inspect.loss import TokenLoss, losses_from_logits
from core.inspect.patch import ablation, check_head, loss_rise_per_head
from core.inspect.trace import Array, AttentionRecord, as_batch, attention, masks_of, stacked, to_numpy
from core.nn.tap import Edit, Trace


@dataclass(frozen=True)
class Intervention:
    """One text through one model twice: untouched, and with an edit. `[-1]` is the prediction after the whole text.

    Args:
        kl: (T,) Kullback-Leibler divergence of after from before, sum of before log(before / after), in nats: 0
            where the edit changed nothing.
    """

    ids: NDArray[np.int64]  # (T,) the text
    probabilities_before: Array  # probabilities_before, probabilities_after: (T, V) of the next token at every position
    probabilities_after: Array
    kl: NDArray[np.float64]
    loss_before: TokenLoss  # loss_before, loss_after: the losses of the text's own tokens
    loss_after: TokenLoss
    # weights_before, weights_after: (L, H, T, S) attention of all layers; those after the edit were recomputed
    weights_before: Array
    weights_after: Array

    @property
    def expected(self) -> int:
        """The token that the untouched model finds likeliest next."""
        return int(self.probabilities_before[-1].argmax())

    @property
    def now(self) -> int:
        """The token that it finds likeliest after the edit."""
        return int(self.probabilities_after[-1].argmax())

    @property
    def left(self) -> float:
        """What the edit leaves of the probability of the expected token."""
        return float(self.probabilities_after[-1, self.expected])

    @property
    def loss_change(self) -> float:
        """By how much the mean loss of the text rose, in nats per token."""
        return self.loss_after.mean - self.loss_before.mean


def knock_out(
    model: nn.Module,
    ids: Sequence[int] | Tensor,
    heads: Iterable[tuple[int, int]],
    mode: str = "zero",
    record: AttentionRecord | None = None,
) -> Intervention:
    """Switch heads off and see what the model loses.

    Args:
        heads, mode: as of `core.inspect.patch.ablation`.
        record: as of `intervene`.

    Raises:
        ValueError: if there is no such head or mode, or the text does not fit the model.
    """
    return intervene(model, ids, ablation(model, heads, mode), record)


def loss_without_each(model: nn.Module, ids: Sequence[int] | Tensor, mode: str = "zero") -> NDArray[np.float64]:
    """By how much the mean loss of a text rises when one head alone is off: (L, H), nats per token; as `knock_out`."""
    batch = as_batch(model, ids)

    def loss(logits: Tensor) -> Tensor:
        return nn.functional.cross_entropy(logits[0, :-1].double(), batch[0, 1:])

    return loss_rise_per_head(model, batch, loss, mode)


def edit_row(
    model: nn.Module,
    ids: Sequence[int] | Tensor,
    layer: int,
    head: int,
    query: int,
    weights: Sequence[float],
    record: AttentionRecord | None = None,
) -> Intervention:
    """Set by hand where one query of one head looks.

    Args:
        weights: (T,) the new row, from 0 up, of sum 1, and 0 on keys that the query may not see in this layer.
        record: as of `intervene`.

    Raises:
        ValueError: if there is no such head or query, the weights are no such row, or the text does not fit the model.
    """
    check_head(model, layer, head)
    n_token = as_batch(model, ids).shape[1]
    if not 0 <= query < n_token:
        raise ValueError(f"query={query} is not within 0..{n_token - 1}")
    row = torch.as_tensor(weights, dtype=torch.float64, device="cpu")
    if row.shape != (n_token,):
        raise ValueError(f"the row has {row.numel()} weights, the text has {n_token} tokens")
    if not bool((row >= 0).all()) or not abs(float(row.sum()) - 1) <= 1e-3:  # nan fails both
        raise ValueError(f"weights must be from 0 up and sum to 1; these sum to {float(row.sum()):.4g}")
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
    """Run the text without and with any edits of tapped tensors, and compare. Without edits nothing is run again.

    Args:
        record: of the untouched text, where it is at hand.
    """
    before = attention(model, ids) if record is None else record
    batch = as_batch(model, ids)
    logits = torch.tensor(before.logits)  # a copy: what is kept is read-only
    kl, loss_before = np.zeros(len(logits)), losses_from_logits(logits, batch[0])
    probabilities, weights, loss_after = before.probabilities, before.weights, loss_before
    if edits:
        with torch.no_grad(), Trace(model, edits) as after:
            model(batch)
        changed = after["logits"][0].cpu()
        log_before, log_after = (one.double().log_softmax(-1) for one in (logits, changed))
        kl = (log_before.exp() * (log_before - log_after)).sum(-1).clamp(min=0).numpy()
        probabilities, weights = to_numpy(changed.float().softmax(-1)), stacked(after, "attn.weights")
        loss_after = losses_from_logits(changed, batch[0])
    return Intervention(
        ids=before.ids,
        probabilities_before=before.probabilities,
        probabilities_after=probabilities,
        kl=kl,
        loss_before=loss_before,
        loss_after=loss_after,
        weights_before=before.weights,
        weights_after=weights,
    )
