"""Minus infinity before the softmax, zero before, zero after, zero after and renormalized: two are right."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.exhibit import Column, Result, Table
from core.inspect.model_inputs.model_and_text import load_model_and_text

LABELS = module_labels(__name__)


def minus_infinity_before(scores: Float[Tensor, "T S"], mask: Bool[Tensor, "T S"]) -> Float[Tensor, "T S"]:
    """Right: a blocked score is minus infinity, and e to the power of minus infinity is 0.

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    return scores.masked_fill(~mask, -torch.inf).softmax(-1)


def zero_before(scores: Float[Tensor, "T S"], mask: Bool[Tensor, "T S"]) -> Float[Tensor, "T S"]:
    """Wrong: a score of 0 doesn't mean "nothing", because e to the power of 0 is 1. Blocked keys keep some weight."""
    return scores.masked_fill(~mask, 0).softmax(-1)


def zero_after(scores: Float[Tensor, "T S"], mask: Bool[Tensor, "T S"]) -> Float[Tensor, "T S"]:
    """Wrong: the rows no longer sum to 1, and the missing weight depends on the blocked keys."""
    return scores.softmax(-1).masked_fill(~mask, 0)


def zero_after_renormalized(scores: Float[Tensor, "T S"], mask: Bool[Tensor, "T S"]) -> Float[Tensor, "T S"]:
    """Right again: dividing each row by its sum removes the blocked keys from the denominator."""
    weights = zero_after(scores, mask)
    return weights / weights.sum(-1, keepdim=True)


MASKING_WAYS = (minus_infinity_before, zero_before, zero_after, zero_after_renormalized)


class MaskingComparison(Result):
    """The same scores and mask, masked in four ways: −∞ before, 0 before, 0 after, 0 after and renormalized."""

    scores: NDArray[np.floating]  # scores, mask: (T, S) of the head
    mask: NDArray[np.bool_]
    hides_future: bool  # True if only the future is closed; a window closes earlier tokens, too
    tokens: tuple[str, ...]  # (T,)
    weights: NDArray[np.float32]  # (4, T, S)
    row_sums: NDArray[np.float32]  # (4, T) the sum of each row
    leaks: NDArray[np.float32]  # (4, T) weight of each row on blocked keys
    # (4,) largest change of a weight on an open key when the blocked scores change their sign: 0 if a row is really
    # independent of the keys it may not read
    swayed: NDArray[np.float32]
    difference: float  # largest difference between the first way and the last
    difference_64: float  # the same, computed with 64-bit numbers

    @property
    def formula(self) -> str:
        """The formula of row 0, which may only read itself, with zero before the softmax."""
        own, n_key, row = float(self.scores[0, 0]), self.scores.shape[1], LABELS["formula.row"]
        leak = LABELS("formula.leak", leak=float(self.leaks[1, 0]))
        return (
            rf"\text{{{row} A}}\;\frac{{e^{{{own:.2f}}}}}{{e^{{{own:.2f}}} + {n_key - 1}\,e^{{-\infty}}}}"
            rf" = {self.weights[0, 0, 0]:.3f}\qquad \text{{B}}\;"
            rf"\frac{{e^{{{own:.2f}}}}}{{e^{{{own:.2f}}} + {n_key - 1}\,e^{{0}}}} = {self.weights[1, 0, 0]:.3f},"
            rf"\ {leak}"
        )

    def table(self) -> Table:
        """Return one row per query: its sum and its weight on blocked keys, for each way (A to D)."""
        table: dict[str, Column] = {LABELS["query"]: list(range(len(self.tokens))), LABELS["token"]: list(self.tokens)}
        on_closed = "on_future" if self.hides_future else "on_closed"
        for letter, sums, leaks in zip("ABCD", self.row_sums, self.leaks, strict=True):
            table |= {LABELS("row_sum", way=letter): sums.tolist(), LABELS(on_closed, way=letter): leaks.tolist()}
        return table


def compare_maskings(
    scores: NDArray[np.floating], mask: NDArray[np.bool_], tokens: Sequence[str] = ()
) -> MaskingComparison:
    """Mask the scores of one head in four ways.

    Args:
        scores: (T, S) before the mask.
        mask: (T, S) True where query t may attend to key s; at least one key for each query.

    Raises:
        ValueError: if the shapes differ, or a row may attend to nothing (three of the four ways divide by 0 there).
    """
    if scores.shape != mask.shape:
        raise ValueError(f"scores {scores.shape} do not match the mask {mask.shape}")
    if not mask.any(-1).all():
        raise ValueError("a row that may not attend to any key has no weights")
    s, m = torch.from_numpy(scores.astype(np.float32)), torch.from_numpy(mask.copy())
    weights = torch.stack([way(s, m) for way in MASKING_WAYS])  # (4, T, S)
    turned = torch.where(m, s, -s)
    swayed = torch.stack([(way(s, m) - way(turned, m)).masked_fill(~m, 0).abs().max() for way in MASKING_WAYS])  # (4,)
    exact = [way(s.double(), m) for way in (MASKING_WAYS[0], MASKING_WAYS[3])]
    return MaskingComparison(
        scores=scores,
        mask=mask,
        hides_future=np.array_equal(mask, np.tril(np.ones_like(mask))),
        tokens=tuple(tokens),
        weights=weights.numpy(),
        row_sums=weights.sum(-1).numpy(),
        leaks=weights.masked_fill(m, 0).sum(-1).numpy(),
        swayed=swayed.numpy(),
        difference=float((weights[0] - weights[3]).abs().max()),
        difference_64=float((exact[0] - exact[1]).abs().max()),
    )


def leaks_of_all_heads(text: str) -> NDArray[np.float32]:
    """Return the weight (heads,) on later tokens in row 0 of each head of the stories model, with zero before."""
    record = load_model_and_text("stories", text).attention
    layers = zip(record.scores, record.masks, strict=True)
    return np.array([compare_maskings(scores, mask).leaks[1, 0] for layer, mask in layers for scores in layer])
