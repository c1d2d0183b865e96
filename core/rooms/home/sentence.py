"""The first thing a visitor sees: one sentence on its way through a small transformer, all of it live."""

import streamlit as st

from core import inputs
from core.cache import content_key
from core.inspect import trace
from core.inspect.opening_head import telling_head
from core.inspect.reading.model_and_text import ModelAndText
from core.models.gpt import GPT
from core.rooms import SECTIONS, rooms
from core.ui.controls import controls, picks
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.text import escape_markdown, visible
from core.ui.widgets import badges, widgets

# Two toys could be meant: the model reads both, is not sure, and the sliders have something to move.
SENTENCE = "Sam had his kite and Anna had her hat. The wind took the"
# Only one could be meant here.
CERTAIN = "Ben had his new blue kite with him. The wind was strong. It took the"
# So many tokens still make a map that can be read beside the bars.
MOST_TOKENS = 24


@exhibit(
    title="Type, and watch it think",
    look_for="which earlier **tokens** (words, or pieces of them) the model reads, the strong cells in a row, and what "
    "it expects next, the bars.",
    try_this=[
        (
            "Pull the temperature down, then up.",
            "The bars move under your finger: same model, more careful or more daring. It has read about two toys and "
            "isn't sure which one the wind took.",
        ),
        (
            f"Write “{CERTAIN}”. Then change “kite” to “hat”.",
            "Now the model is nearly certain, and the bars follow the word: it looks back and finds what Ben had. "
            "Counting the last few words could never tell it that.",
        ),
        ("Click a word.", "Its row in the map lights up: these are the words it reads."),
    ],
    code=(GPT.forward, trace.attention),
)
def sentence_through() -> Shown | None:
    """Tokens, one attention map and the next token of the visitor's sentence."""
    try:
        key = models.shipped_key()
        text = controls.text_input(
            "text",
            "Your sentence",
            SENTENCE,
            max_chars=inputs.PROMPT_CHARS,
            keep_end=True,
            live=True,
            label_visibility="collapsed",
        )
        encoded = models.encode(key, text, MOST_TOKENS)
    except models.ModelUnreadable as refused:
        st.info(f"{escape_markdown(refused)} You can train your own in the training studio.")
        return None
    models.show_notes(encoded, key, "text", text)
    if not encoded.ids:
        st.info("Type a word or two for the model to read.")
        return None
    record = models.attention(key, encoded.packed)
    vocabulary = models.vocabulary(key)
    content = content_key(key, encoded.packed)[:12]
    layer, head = telling_head(record)
    (asks,) = picks.place("home.tokens", content, "asks", len(encoded.ids)) or (len(encoded.ids) - 1,)
    widgets.token_row(
        encoded.tokens, key=picks.key("home.tokens", content, asks), selected=asks, title="1 · The text becomes tokens"
    )
    left, right = layout.pair("home")
    with left:
        strongest = int(record.weights[layer, head, asks].argmax())
        widgets.matrix(
            record.weights[layer, head],
            rows=encoded.tokens,
            columns=encoded.tokens,
            key=picks.key("home.map", content),
            mask=record.mask,
            selected=(asks, strongest),
            height=300,
            label=f"2 · Tokens read earlier ones (head {layer}.{head})",
            badge=badges.of_attention(key, encoded.packed, "weights", layer, head),
        )
    with right:
        widgets.distribution(
            record.logits[-1],
            tokens=vocabulary,
            key=picks.key("home.next", content),
            n_shown=8,
            label="3 · The next token",
        )
    likeliest = int(record.probabilities[-1].argmax())
    st.caption(
        f"The model expects **“{escape_markdown(visible(vocabulary[likeliest]))}”** with "
        f"{record.probabilities[-1, likeliest]:.0%}. {models.about(key).told} Of its attention heads, the map shows "
        f"the one that, at the end of this sentence, reads most from "
        f"{'that word' if likeliest in encoded.ids else 'an earlier word'}."
    )
    return Shown(
        numbers=lambda: record.next_table(vocabulary),
        arrays={"ids": record.ids, "weights": record.weights, "logits": record.logits},
        script=lambda: _script(ModelAndText(key, encoded)),
    )


def _script(looked: ModelAndText) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import trace
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # One pass over the sentence; the last token's numbers say what comes next.
        record = trace.attention(model, ids)
        print_table(record.next_table(found.vocabulary))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
    )


def cards() -> None:
    """A card for each room, in the sections of the navigation."""
    for section, title in list(SECTIONS.items())[1:]:
        st.subheader(title)
        with st.container(key=f"rooms-{section}"):
            for room in rooms():
                if room.section == section:
                    layout.room_card(room.page, room.title, room.card, room.picture(color_mode()))
