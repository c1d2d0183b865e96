"""Which head to open first: the one that reads the word that the model is about to say."""

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

if TYPE_CHECKING:
    from core.inspect.trace import AttentionRecord


def telling_head(record: "AttentionRecord") -> tuple[int, int]:
    """The head that reads, for the last token, most from the word that the model then expects: (layer, head).

    Where that word is not in the text, or the model expects none, the head that reads most strongly from an earlier
    one.
    """
    if not record.probabilities.shape[-1]:
        return far_reader(record.weights)
    expected = record.ids == record.probabilities[-1].argmax()
    if not expected.any():
        return far_reader(record.weights)
    weight = record.weights[:, :, -1, expected].sum(-1)  # (L, H)
    layer, head = np.unravel_index(int(weight.argmax()), weight.shape)
    return int(layer), int(head)


def far_reader(weights: Float[NDArray[np.floating], "L H T S"]) -> tuple[int, int]:
    """The head whose last query gives the largest weight to a token at least three positions back: (layer, head)."""
    rows = weights[:, :, -1]  # (L, H, S)
    reach = rows[..., 1:-3] if rows.shape[-1] > 4 else rows
    layer, head = np.unravel_index(int(reach.max(-1).argmax()), reach.shape[:2])
    return int(layer), int(head)
