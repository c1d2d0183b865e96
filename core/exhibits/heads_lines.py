"""Any set of heads as lines between two columns of the same text."""

from typing import Any

import numpy as np
import streamlit as st

from core.nn.attention import MultiHeadAttention, masked_softmax
from core.ui import models, picks
from core.ui.frame import Shown, exhibit
from core.ui.lines import MOST_TOKENS, lines
from core.ui.looking import Looked

# The picture keeps its heads and its threshold when the text changes, so its key does not hold the text.
LINES = ("heads.lines", "")
LEAST = 0.1  # thinner lines are noise at first sight; the slider brings them back


@exhibit(
    title="Heads as lines",
    look_for="fans and bundles. Each line runs from a token that reads (left) to the one it reads from (right); "
    "thickness is weight, color is the head.",
    try_this=[
        (
            "On the stories model with its own text, switch on 1.0 alone and push “hide below” to 0.50.",
            "27 lines are left, and 20 of them climb by exactly one row: a previous-token head. It is the stripe "
            "beside the diagonal of the matrix, drawn as lines.",
        ),
        (
            "Switch on 1.2 and 1.3 and point at the last “No” on the left.",
            "Both heads read the three “Mia”s with most of their weight. Now point at the first “Mia” on the right: "
            "you see the other direction, every token that reads it.",
        ),
        (
            "Press “layer 1”, so that all its heads are on, and move “hide below” from 0.10 to 0.50.",
            "55 of the 281 lines are left. Every picture of attention hides something; here you set how much.",
        ),
    ],
    code=(masked_softmax, MultiHeadAttention.forward),
)
def as_lines(looked: Looked, layer: int, head: int) -> Shown:
    """All heads are sent once; which of them are drawn is decided in the browser."""
    record = models.attention(looked.key, looked.encoded.packed)
    if picks.has_news(*LINES):
        st.rerun()  # the row of the large head above follows the click
    if len(looked.encoded.tokens) > MOST_TOKENS:
        st.caption(f"The first {MOST_TOKENS} tokens: more lines could not be told apart.")
    lines(
        record.weights[:, :, :MOST_TOKENS, :MOST_TOKENS],
        tokens=looked.encoded.tokens[:MOST_TOKENS],
        key=picks.key(*LINES),
        open_head=(layer, head),
        threshold=LEAST,
        label="Who reads whom",
    )
    return Shown(numbers=lambda: _table(record.weights, looked.encoded.tokens), arrays={"weights": record.weights})


def _table(weights: Any, tokens: tuple[str, ...]) -> dict[str, Any]:
    """Every weight that is drawn at the threshold set at first, in all heads."""
    layer, head, query, key = np.nonzero(weights >= LEAST)
    names = np.array(tokens, dtype=object)
    return {
        "layer": layer,
        "head": head,
        "query": query,
        "query token": names[query],
        "key": key,
        "key token": names[key],
        "weight": weights[layer, head, query, key],
    }
