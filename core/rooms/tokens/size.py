"""Vocabulary size: what it buys, fewer tokens per text, and what it costs, a larger table of embeddings."""

import streamlit as st

from core.cache import MAX_MODELS, memoize
from core.rooms.tokens.choice import SIZES, Chosen, cut_by, learning_text, source_code, source_import
from core.rooms.tokens.compute import vocabulary_size
from core.rooms.tokens.compute.vocabulary_size import Comparison
from core.rooms.tokens.vocabulary_chart import VocabularyPoint, trade_off
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.text import escape_markdown

# Between the sizes to choose from, the ones in the middle, so that the curve shows its bend.
MEASURED = sorted({*SIZES, 288, 320, 384, 640, 768, 1536, 3072, 6144})
WIDTHS = (16, 1024)  # d_model from our smallest models to GPT-2 medium's


def warm_up() -> None:
    """Measure the default corpus once: a second on a busy machine."""
    compared("python-topics")


@memoize(MAX_MODELS)
def compared(source: str) -> Comparison:
    """All sizes on one text."""
    return vocabulary_size.compare(learning_text(source), MEASURED)


@exhibit(
    title="How large should the vocabulary be?",
    look_for="the two curves. Each doubling of the vocabulary doubles the table of **embeddings**, which has a row "
    "of numbers for each token (dashed and hollow, right axis), but saves fewer and fewer tokens (solid and full, "
    "left axis).",
    try_this=[
        (
            "Read the solid curve for “Python's documentation” from 256 to 512, then from 4,096 to 8,192.",
            "The first doubling removes more than half of the tokens, the last one a twentieth. The table of "
            "embeddings doubles each time.",
        ),
        (
            "Look at the words (triangles) of “Python's documentation”.",
            "They need a table of more than 4,000 rows, and still more tokens than BPE with 512: in indented text "
            "each further space is its own token. And a few tokens in a hundred stand for something unknown. BPE "
            "loses nothing.",
        ),
        (
            "Choose “Little stories” above.",
            "The curve ends early: after a few hundred merges every word of that small language is one token, and "
            "nothing is left to merge.",
        ),
    ],
    code=(vocabulary_size.compare, vocabulary_size.first_merges, vocabulary_size.Cost.n_embedding),
    formula=r"\text{embedding numbers} = V \times D",
)
def how_large(chosen: Chosen) -> Shown:
    """The trade-off on one chart, and what it means for the visitor's text."""
    d_model = int(
        controls.slider(
            "vocab_width",
            "Width",
            *WIDTHS,
            64,
            step=16,
            help="How many numbers the model has for each token: the length of its row in the table.",
        )
    )
    with st.spinner(f"Learning a vocabulary and cutting the text at {len(MEASURED)} sizes …"):
        found = compared(chosen.source)
        own = cut_by("bpe", chosen.source, chosen.vocab_size, chosen.text)
    vocab_size = own.vocab_size
    points = [
        VocabularyPoint("BPE", one.vocab_size, one.tokens_per_thousand, one.n_embedding(d_model)) for one in found.bpe
    ]
    points += [
        VocabularyPoint(name, one.vocab_size, one.tokens_per_thousand, one.n_embedding(d_model))
        for name, one in (("characters", found.char), ("words", found.word))
    ]
    st.markdown(_where_measured(found, chosen))
    spec = trade_off(points, marked=vocab_size, embedding_range=_range(found), mode=color_mode())
    first, last = found.bpe[0], found.bpe[-1]
    st.vega_lite_chart(
        spec,
        key="vocab-size",
        alt=f"Tokens per 1,000 characters fall from {first.tokens_per_thousand:.0f} with {first.vocab_size} tokens in "
        f"the vocabulary to {last.tokens_per_thousand:.0f} with {last.vocab_size}; the table of embeddings grows from "
        f"{first.n_embedding(d_model)} to {last.n_embedding(d_model)} numbers.",
    )
    with st.container(horizontal=True):
        st.metric("Your text", f"{own.n_token:,} tokens", help=f"With a vocabulary of {vocab_size:,} tokens.")
        st.metric(
            "Its attention map",
            f"{own.n_token**2:,} cells",
            help="Every token may look at every token: the number of tokens squared.",
        )
        st.metric(
            "The embedding table", f"{vocab_size * d_model:,} numbers", help="Size of the vocabulary times width."
        )
    if vocab_size < chosen.vocab_size:
        st.caption(
            f":material/info: You asked for {chosen.vocab_size:,} tokens; this text yields {vocab_size:,}, then "
            "nothing is left to merge."
        )
    return Shown(
        numbers=lambda: found.table(d_model),
        figure=spec,
        script=lambda: scripts.script(
            """
            $imports
            from core.data.csv_table import print_table
            from core.rooms.tokens.compute import vocabulary_size

            $learned
            # Learned from the first nine tenths, counted on the last one. Takes about a second.
            found = vocabulary_size.compare(learned, $sizes)
            print_table(found.table(d_model=$d_model))
            """,
            imports=source_import(chosen.source),
            learned=source_code(chosen.source),
            sizes=MEASURED,
            d_model=d_model,
        ),
        formula=rf"{vocab_size} \times {d_model} = {vocab_size * d_model:,}".replace(",", "{,}"),
    )


def _where_measured(found: Comparison, chosen: Chosen) -> str:
    title, word = escape_markdown(chosen.source_title), found.word
    unknown = (
        f" Of its {word.n_token:,} words and signs, **{word.n_unknown:,}** ({word.n_unknown / word.n_token:.1%}) had "
        "never been seen before."
        if word.n_unknown
        else " The list of words holds every word there."
    )
    if not found.is_held_out:
        return (
            f"Learned from {title} and measured on the same {word.n_character:,} characters: the text is too short "
            "to hold a part back, so every word is known and the numbers flatter."
        )
    return (
        f"Learned from the first nine tenths of {title}, measured on {word.n_character:,} characters of the last "
        f"tenth, which no vocabulary has read.{unknown}"
    )


def _range(found: Comparison) -> tuple[float, float]:
    """The right axis holds every table at every width, so that the slider moves the curve and not the axis."""
    sizes = [one.vocab_size for one in (*found.bpe, found.char, found.word)]
    return min(sizes) * WIDTHS[0], max(sizes) * WIDTHS[1]
