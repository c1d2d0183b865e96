"""The picture of two orders: each output row now against each output row before."""

import numpy as np

from core import ui
from core.rooms.positions.compute.word_order import Shuffled
from core.rooms.positions.formatting import tiny


def differences(shuffled: Shuffled, *, key: str) -> None:
    """Draw it; rings where a word stood before."""
    words, order = shuffled.words, list(shuffled.order)
    ui.matrix(
        shuffled.difference,
        rows=[words[i] for i in order],
        columns=list(words),
        key=key,
        kind="value",
        truth=np.eye(len(words), dtype=bool)[order],
        truth_title="the same word",
        limits=(0.0, float(max(shuffled.difference.max(), 1e-9))),
        row_title="word in the new order",
        column_title="word in the old order",
        value_title="largest difference between the two outputs",
        label="Which output is which? (ring: the same word)",
        takeaway=f"Differences between the outputs of {len(words)} words in the new and in the old order: at most "
        f"{tiny(shuffled.largest)} for the same word.",
        height=420,
    )
