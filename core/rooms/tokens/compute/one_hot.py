"""From ids to vectors: a one-hot matrix times the table of embeddings is a look-up of rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Embedded:
    """The same vectors twice: multiplied, and looked up.

    Attributes:
        one_hot: (T, V) float32; row t holds a single 1, at the id of token t.
        product: (T, D) one_hot times table.
        rows: (T, D) the rows of the table at the ids.
        difference: the largest distance between an entry of the two.
        multiply_adds: what the product costs, T x V x D.
        copied: what the look-up costs instead: so many numbers are copied, T x D, and none is multiplied.
    """

    one_hot: NDArray[np.float32]
    product: NDArray[np.float32]
    rows: NDArray[np.float32]
    difference: float
    multiply_adds: int
    copied: int

    def table(self, tokens: Sequence[str], ids: Sequence[int]) -> dict[str, Any]:
        """One line for each token: its vector."""
        told: dict[str, Any] = {"position": list(range(len(ids))), "token": list(tokens), "id": list(ids)}
        return told | {f"x{i}": self.product[:, i] for i in range(self.product.shape[1])}


@dataclass(frozen=True)
class Repeat:
    """A token that stands at several places.

    Attributes:
        id: its number.
        places: where it stands.
        difference: the largest distance between entries of its rows; 0 where they are the same.
    """

    id: int
    places: tuple[int, ...]
    difference: float


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
    product = chosen @ table  # (T, V) x (V, D) -> (T, D)
    rows = table[ids]  # (T, D)
    (n_token, vocab_size), d_model = chosen.shape, table.shape[1]
    return Embedded(
        chosen.numpy(),
        product.numpy(),
        rows.numpy(),
        float((product - rows).abs().max()) if n_token else 0.0,
        n_token * vocab_size * d_model,
        n_token * d_model,
    )


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
