"""From ids to vectors: multiplying a one-hot matrix by the embedding table looks up its rows."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from core.exhibit import Result


class EmbeddingRecord(Result):
    """The same vectors computed twice: by multiplication and by look-up."""

    one_hot: NDArray[np.float32]  # (T, V) float32; row t contains a single 1, at the id of token t
    product: NDArray[np.float32]  # (T, D) one_hot times table
    rows: NDArray[np.float32]  # (T, D) the rows of the table at the ids
    difference: float  # the largest difference between an entry of the two
    multiply_adds: int  # of the product, T x V x D
    copied: int  # numbers that the look-up copies instead, T x D; none is multiplied


class RepeatedToken(NamedTuple):
    """A token that occurs at several places."""

    id: int  # of the token
    places: tuple[int, ...]  # its positions
    difference: float  # the largest difference between entries of its rows; 0 if they are the same


def one_hot_matrix(ids: Int[Tensor, " T"], vocab_size: int) -> Float[Tensor, "T V"]:
    """Return a row of zeros for each token, with a single 1 at its id.

    Raises:
        RuntimeError: if an id is not below vocab_size.
    """
    return functional.one_hot(ids, vocab_size).float()


def embed_both_ways(table: Float[Tensor, "V D"], ids: Int[Tensor, " T"]) -> EmbeddingRecord:
    """Multiply the one-hot matrix by the table, look the rows up, and compare the two.

    Rows are tokens here. With tokens as columns, as lecture notes often have them, the same product is the transpose:
    (D, V) times (V, T).

    Raises:
        RuntimeError: if an id is not in the table.

    Source: Prince 2023, "Understanding Deep Learning", chapter 12, figure 12.9 (with columns).
    """
    table = table.detach().float()
    chosen = one_hot_matrix(ids, len(table))  # (T, V)
    product, rows = (chosen @ table).numpy(), table[ids].numpy()  # (T, V) x (V, D) -> (T, D)
    return EmbeddingRecord(
        one_hot=chosen.numpy(),
        product=product,
        rows=rows,
        difference=float(np.abs(product - rows).max(initial=0)),
        multiply_adds=chosen.numel() * rows.shape[1],
        copied=rows.size,
    )


def find_repeated_tokens(ids: NDArray[np.integer], rows: NDArray[np.floating]) -> tuple[RepeatedToken, ...]:
    """Return the tokens that occur more than once, the most frequent first.

    Args:
        ids: (T,)
        rows: (T, D) one vector per token.
    """
    found = []
    for one in dict.fromkeys(ids.tolist()):
        places = np.flatnonzero(ids == one)
        if len(places) > 1:
            apart = float(np.abs(rows[places] - rows[places[0]]).max())
            found.append(RepeatedToken(one, tuple(places.tolist()), apart))
    return tuple(sorted(found, key=lambda repeat: -len(repeat.places)))
