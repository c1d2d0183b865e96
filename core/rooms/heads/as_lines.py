"""Any set of heads as lines between two columns of the same text."""

import streamlit as st

from core.inspect.model_and_text import ModelAndText
from core.nn.attention import MultiHeadAttention, masked_softmax
from core.rooms.heads.lines_widget import MOST_TOKENS, lines
from core.ui.controls import picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models

# The picture keeps its heads and its threshold when the text changes, so its key does not hold the text.
LINES = ("heads.lines", "")
LEAST = 0.1  # thinner lines are noise at first sight; the slider brings them back


@exhibit(
    title="Heads as lines",
    look_for="fans and bundles. Each line runs from a token (left) to one it reads (right). Thickness is weight; color "
    "and dash tell the heads apart.",
    try_this=[
        (
            "Above, rank the heads by “Previous token”. Switch on only the best one and slowly raise “hide below”.",
            "The last lines to go climb by one row: each token reads the one right before it. It's the stripe beside "
            "the diagonal, drawn as lines.",
        ),
        (
            "Switch on one layer's heads and point at the last token on the left.",
            "You see what each head reads for it. Point at a token on the right, and you see every token that reads "
            "it.",
        ),
        (
            "Keep all heads of the layer on and move “hide below” from 0.10 to 0.50.",
            "Most lines disappear. Every picture of attention hides something; here you decide how much.",
        ),
    ],
    code=(masked_softmax, MultiHeadAttention.forward),
)
def as_lines(looked: ModelAndText, layer: int, head: int) -> Shown:
    """All heads are sent once; which of them are drawn is decided in the browser."""
    record = models.attention(looked.key, looked.encoded.packed)
    if picks.has_news(*LINES):
        st.rerun()  # the row of the large head above follows the click
    if len(looked.encoded.tokens) > MOST_TOKENS:
        st.caption(f"Only the first {MOST_TOKENS} tokens: you couldn't tell more lines apart.")
    lines(
        record.weights[:, :, :MOST_TOKENS, :MOST_TOKENS],
        tokens=looked.encoded.tokens[:MOST_TOKENS],
        key=picks.key(*LINES),
        open_head=(layer, head),
        threshold=LEAST,
        label="Who reads whom",
    )
    return Shown(
        numbers=lambda: record.strong_table(looked.encoded.tokens, LEAST),
        arrays={"weights": record.weights},
        script=lambda: _script(looked),
    )


def _script(looked: ModelAndText) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import trace
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # Every weight that is drawn at the threshold set at first, in all heads.
        record = trace.attention(model, ids)
        print_table(record.strong_table(tokenizer.tokens(ids), least=$least))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        least=LEAST,
    )
