"""From ids to vectors: a one-hot matrix times the table of embeddings is a look-up of rows."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Embedded:
    """The same vectors twice: multiplied, and looked up."""

    one_hot: NDArray[np.float32]  # (T, V) float32; row t holds a single 1, at the id of token t
    product: NDArray[np.float32]  # (T, D) one_hot times table
    rows: NDArray[np.float32]  # (T, D) the rows of the table at the ids

    @property
    def difference(self) -> float:
        """The largest distance between an entry of the two."""
        return float(np.abs(self.product - self.rows).max(initial=0))

    @property
    def multiply_adds(self) -> int:
        """What the product costs, T x V x D."""
        return self.one_hot.size * self.rows.shape[1]

    @property
    def copied(self) -> int:
        """What the look-up costs instead: so many numbers are copied, T x D, and none is multiplied."""
        return self.rows.size


@dataclass(frozen=True)
class Repeat:
    """A token that stands at several places."""

    id: int  # its number
    places: tuple[int, ...]  # where it stands
    difference: float  # the largest distance between entries of its rows; 0 where they are the same


def one_hot(ids: Int[Tensor, " T"], vocab_size: int) -> Float[Tensor, "T V"]:
    """A row of zeros for each token, with a single 1 at its id.

    Raises:
        RuntimeError: if an id is not below vocab_size.
    """
    return functional.one_hot(ids, vocab_size).float()


def embed(table: Float[Tensor, "V D"], ids: Int[Tensor, " T"]) -> Embedded:
    """Multiply the one-hot matrix by the table, and look the rows up; compare the two.

    Rows are tokens here. Written with columns, as lecture notes often do, the same product is the transpose: (D, V)
    times (V, T).

    Raises:
        RuntimeError: if an id is not in the table.

    Source: Prince 2023, "Understanding Deep Learning", chapter 12, figure 12.9 (with columns).
    """
    table = table.detach().float()
    chosen = one_hot(ids, len(table))  # (T, V)
    return Embedded(chosen.numpy(), (chosen @ table).numpy(), table[ids].numpy())  # (T, V) x (V, D) -> (T, D)


def repeats(ids: NDArray[np.integer], rows: NDArray[np.floating]) -> tuple[Repeat, ...]:
    """The tokens that occur more than once, the most frequent first.

    Args:
        ids: (T,)
        rows: (T, D) a vector for each.
    """
    found = []
    for one in dict.fromkeys(ids.tolist()):
        places = np.flatnonzero(ids == one)
        if len(places) > 1:
            apart = float(np.abs(rows[places] - rows[places[0]]).max())
            found.append(Repeat(one, tuple(places.tolist()), apart))
    return tuple(sorted(found, key=lambda repeat: -len(repeat.places)))
