"""Who can learn of whom through several layers: a mask says it for one layer, its boolean powers for more."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Bool
from numpy.typing import NDArray
from torch import Tensor, nn

from core.exhibit import Result
from core.inspect.trace import as_batch, moved_by
from core.rooms.masks.compute.masks import MaskedHeads, cell_table, run_under

NEVER = -1


def reach(mask: NDArray[np.bool_], n_layer: int, residual: bool = True) -> NDArray[np.bool_]:
    """Which positions can have an influence on which after some layers: (M or I) to the power of L, in booleans.

    One layer brings to query t what the keys of its row hold. With a residual path a position also keeps its own.

    Args:
        mask: (T, T) True where query t may attend to key s, the same in each layer.
        n_layer: how many layers, from 0.

    Returns:
        (T, T) True where something of token s can arrive at position t.

    Raises:
        ValueError: if the mask is not square or n_layer is negative.
    """
    if mask.ndim != 2 or mask.shape[0] != mask.shape[1]:
        raise ValueError(f"the mask must be square, it is {mask.shape}")
    if n_layer < 0:
        raise ValueError(f"n_layer={n_layer} must be at least 0")
    identity = np.eye(len(mask), dtype=bool)
    one_layer = mask | identity if residual else mask
    reached = identity
    for _ in range(n_layer):
        reached = one_layer @ reached  # for booleans, @ is "or" of "and"s
    return reached


def layers_needed(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """How many layers with a residual path something of token s needs to arrive at position t.

    Args:
        mask: (T, T) True where query t may attend to key s.

    Returns:
        (T, T) 0 on the diagonal, `NEVER` where no number of layers is enough.
    """
    needed = np.where(np.eye(len(mask), dtype=bool), 0, NEVER)
    reached = reach(mask, 0)
    for n_layer in range(1, len(mask)):  # a path visits each position once at most
        wider = reached | (mask @ reached)
        if (wider == reached).all():
            break
        needed[wider & ~reached] = n_layer
        reached = wider
    return needed


def measured_reach(model: nn.Module, ids: Sequence[int], mask: Bool[Tensor, "T T"]) -> NDArray[np.float64]:
    """What really arrives: replace one token after the other, and see which outputs of the last layer move.

    Each text runs by itself. The same shapes then give the same sums in the same order, so that an output which the
    changed token cannot reach does not move by a single bit; with experts, see `core.inspect.trace`.

    Args:
        mask: True where query t may attend to key s.

    Returns:
        (T, T) largest change of the outputs at position t when token s becomes another one.
    """
    batch = as_batch(model, ids)
    n_token, vocab_size = batch.shape[1], int(model.config.vocab_size)  # type: ignore[union-attr, arg-type]
    before = run_under(model, batch, mask)["final"][0]
    changes = np.zeros((n_token, n_token))
    for s in range(n_token):
        changed = batch.clone()
        changed[0, s] = (changed[0, s] + 1 + (vocab_size - 1) // 2) % vocab_size  # surely another one
        after = run_under(model, changed, mask)["final"][0]
        changes[:, s] = moved_by(model, after, before).double().cpu().numpy()
    return changes


class DrawnRecord(Result):
    """A drawn mask, the rule of its reach, and what was measured."""

    head: MaskedHeads  # all heads under the mask
    n_layer_drawn: int  # through how many layers the editor shows the reach
    n_layer: int  # of the model
    needed: NDArray[np.int64]  # (T, T) of `layers_needed`
    expected: NDArray[np.bool_]  # (T, T) True where token s can have an effect at position t of the last layer
    changes: NDArray[np.float64] | None  # (T, T) of `measured_reach`; None: nothing was measured
    moved: NDArray[np.bool_]  # (T, T) where a change was measured
    n_agree: int  # pairs for which the rule and the measurement say the same

    @property
    def formula(self) -> str:
        """The power of the mask, counted."""
        mask, n_layer = self.head.mask, self.n_layer_drawn
        n_open = int((mask | np.eye(len(mask), dtype=bool)).sum())
        return (
            rf"M \lor I:\ {n_open} \text{{ cells}} \qquad "
            rf"(M \lor I)^{{{n_layer}}}:\ {int(reach(mask, n_layer).sum())} \text{{ of }} {mask.size}"
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        head = self.head
        found = {"mask": head.mask, "weights": head.weights, "scores": head.scores}
        return found | {"layers_needed": self.needed} | ({} if self.changes is None else {"changes": self.changes})

    def table(self) -> dict[str, list[Any]]:
        needed, tokens = self.needed, self.head.rows
        measured = {} if self.changes is None else {"measured_change_of_the_output": self.changes}
        takes = np.where(needed == NEVER, np.nan, needed)
        return cell_table(tokens, tokens, may_attend=self.head.mask, layers_needed=takes, **measured)
