"""A sentence read from both ends by one cell: which state knows which word, and what padding does to the two."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.inspect.trace import as_batch, to_numpy
from core.nn.recurrent import unroll

Array = NDArray[np.floating]


@dataclass(frozen=True)
class Dependence:
    """How much each state changes when one word is replaced.

    Args:
        ahead: (T, T) row t: the forward state after token t; column s: token s is replaced; the largest change of
            any of the state's numbers. 0 means no bit of it changed.
    """

    ahead: Array
    back: Array  # (T, T) the same for the backward state at token t
    states_ahead: Array  # states_ahead, states_back: (T, D) the states of the sentence as it is
    states_back: Array
    unchanged: NDArray[np.bool_]  # (T,) True where the token is already the one put in, so that nothing changes
    tokens: tuple[str, ...]  # (T,)
    new: str  # the token put in

    @property
    def new_word(self) -> str:
        """The token put in, to be said."""
        return self.new.strip() or "space"

    @property
    def n_replaced(self) -> int:
        """Words that were really replaced."""
        return int((~self.unchanged).sum())

    def table(self) -> dict[str, list[Any]]:
        """One line for each state and each replaced word."""
        n, tokens = len(self.tokens), self.tokens
        return {
            "state": [t for t in range(n) for _ in range(n)],
            "state after": [token for token in tokens for _ in range(n)],
            "replaced": list(range(n)) * n,
            "replaced word": list(tokens) * n,
            "change forward": self.ahead.ravel().tolist(),
            "change backward": self.back.ravel().tolist(),
        }


@torch.no_grad()
def both_ways(
    model: nn.Module, ids: Int[Tensor, "B T"], mask: Bool[Tensor, "B T"] | None = None
) -> tuple[Float[Tensor, "B T D"], Float[Tensor, "B T D"]]:
    """Read texts with the cell of the lowest layer, from the first token on and from the last one back.

    A bidirectional net has a second cell, with weights of its own, for the way back. Here the same cell goes both
    ways: which state can know which word does not depend on the weights.

    Returns:
        a, the state after each token on the way forward, and b, the one on the way back; both in the text's order.
    """
    parts: Any = model
    x = parts.tok_emb(ids)
    return unroll(parts.blocks[0], x, mask=mask)[0], unroll(parts.blocks[0], x, mask=mask, reverse=True)[0]


def dependence(
    model: nn.Module, ids: Sequence[int], replacement: int, new: str = "", tokens: Sequence[str] = ()
) -> Dependence:
    """Replace each word in turn, and see which states change.

    Args:
        replacement: the token put in; new: what it is called.

    Raises:
        ValueError: if there are no tokens, or some that the model does not know.
    """
    text = as_batch(model, ids)  # (1, T)
    put_in = as_batch(model, [replacement])
    n_token = text.shape[1]
    swapped = torch.where(torch.eye(n_token, dtype=torch.bool, device=text.device), put_in, text)  # (T, T)
    # One by one and not as a batch: a sum is rounded by its place in a batch, and 0 shall mean that no bit changed.
    own = torch.cat(both_ways(model, text))  # (2, T, D)
    changed = [torch.cat(both_ways(model, one[None])) for one in swapped]
    changes = torch.stack([(states - own).abs().amax(-1) for states in changed], -1)  # (2, T states, T replaced)
    ahead, back, states_ahead, states_back = (to_numpy(x) for x in (*changes, *own))
    return Dependence(ahead, back, states_ahead, states_back, (text == put_in)[0].cpu().numpy(), tuple(tokens), new)


@dataclass(frozen=True)
class Padded:
    """What `n_pad` tokens of padding behind a text change, against the text alone: largest change of any number."""

    ahead: Array  # ahead, back: (T,) of the forward and the backward state at each token, without a mask
    back: Array
    ahead_masked: Array  # ahead_masked, back_masked: (T,) with a mask that keeps the state as it is at padding
    back_masked: Array
    end: float  # end, end_masked: of the forward state in the last column, against the one at the text's own last token
    end_masked: float
    tokens: tuple[str, ...]

    @property
    def rows(self) -> dict[str, Array]:
        """The four rows by name."""
        return {
            "forward": self.ahead,
            "backward": self.back,
            "masked_forward": self.ahead_masked,
            "masked_backward": self.back_masked,
        }

    def table(self) -> dict[str, list[Any]]:
        """One line for each token of the text."""
        return {"token": list(self.tokens), **{name: row.tolist() for name, row in self.rows.items()}}


def padded(model: nn.Module, ids: Sequence[int], n_pad: int, pad_id: int, tokens: Sequence[str] = ()) -> Padded:
    """Put padding behind a text, and compare the states at its tokens with those of the text alone.

    Raises:
        ValueError: if there are no tokens, or some that the model does not know.
    """
    text = as_batch(model, ids)
    n_token = text.shape[1]
    longer = torch.cat([text, text.new_full((1, n_pad), pad_id)], 1)
    mask = torch.arange(n_token + n_pad, device=text.device)[None] < n_token
    alone = both_ways(model, text)
    found: list[Array] = []
    ends = []
    for hidden_padding in (None, mask):
        ahead, back = both_ways(model, longer, hidden_padding)
        for states, own in zip((ahead, back), alone, strict=True):
            found.append(to_numpy((states[0, :n_token] - own[0]).abs().amax(-1)))
        ends.append(float((ahead[0, -1] - alone[0][0, -1]).abs().max()))
    return Padded(found[0], found[1], found[2], found[3], ends[0], ends[1], tuple(tokens))
