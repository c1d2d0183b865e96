"""BPE is born: merge after merge, with what was counted."""

import streamlit as st

from core.cache import MAX_TRACES, content_key, memoize
from core.rooms.tokens.choice import Chosen, learning_text, source_code, source_import
from core.rooms.tokens.compute import bpe_steps, merge_film
from core.rooms.tokens.compute.merge_film import MergeFilm
from core.rooms.tokens.merges_widget import merges
from core.ui import state
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit

# The words of the paper that brought BPE to language, as often as they stand there.
CLASSIC = " ".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)
MOST_BYTES = 2_000  # each byte is a chip of its own before the first merge: more fill several screens
MOST_MERGES = 200
WRITTEN = "tokens.written"  # the visitor's text that merges were learned from last, for whoever goes on with it
FROM = {"classic": "Four classic words", "text": "The text above", "corpus": "The beginning of the corpus"}


@memoize(MAX_TRACES)
def film_of(text: str, n_merge: int) -> MergeFilm:
    """All merges of a text, and what each does to it."""
    return merge_film.film(text, n_merge)


def text_of(source: str, chosen: Chosen) -> str:
    """The text to learn from: at most 2,000 bytes, cut between two characters."""
    if source == "classic":
        return CLASSIC
    text = chosen.text if source == "text" else learning_text(chosen.source)[:MOST_BYTES]
    return text.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore")


@exhibit(
    title="BPE is born",
    look_for="the pair at the top of the list: it's glued next, everywhere in the text. Then the counts of the "
    "pairs around it change.",
    try_this=[
        (
            "Keep the four classic words and step on with ›. Count the first pair yourself.",
            "“e” and “s” are side by side 9 times: six in “newest”, three in “widest”. Next come “es” and “t”, "
            "again 9 times: frequent endings become tokens first.",
        ),
        (
            "Go to the end.",
            "After 15 merges each word is one token, 16 in all. “low” is there twice: the first word has no space "
            "before it, the others do. To a model these are two different tokens.",
        ),
        (
            "Take the beginning of the corpus and press play.",
            "The curve falls steeply, then ever more slowly: the first merges glue the most frequent pairs, and "
            "later ones save fewer tokens.",
        ),
    ],
    code=(bpe_steps.learn, bpe_steps.merge, merge_film.film),
    formula=r"\text{next} = \underset{(a,\, b)}{\operatorname{arg\,max}}\; "
    r"\#\{\text{places with } a \text{ right before } b\}",
)
def bpe_is_born(chosen: Chosen) -> Shown:
    """The scrubber over the merges."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        source = controls.segmented("born_from", "Learn from", list(FROM), "classic", labels=FROM)
    with right:
        n_merge = int(
            controls.slider(
                "born_merges",
                "Merges at most",
                10,
                MOST_MERGES,
                60,
                step=10,
                help=f"At most {MOST_MERGES}: every one is counted, drawn and sent to your browser at once.",
            )
        )
    text = text_of(source, chosen)
    if source == "text":
        state.put(WRITTEN, chosen.text)
    film = film_of(text, n_merge)
    whole = chosen.text if source == "text" else learning_text(chosen.source) if source == "corpus" else text
    if len(text) < len(whole):
        st.caption(
            f":material/content_cut: Only the first {len(text.encode()):,} bytes are used: before the first merge "
            "each byte is a token, and more of them would fill several screens."
        )
    if not film.steps:
        st.info("No two bytes are side by side within a word here, so there's nothing to merge. Type a word.")
    merges(film, key=f"born-{content_key(text)[:12]}", label=_label(source, chosen))
    st.caption("Pairs are counted within words, never across; the space before a word belongs to it.")
    depth.note(
        "Of two equally frequent pairs the one with the lower numbers wins, printable bytes before all others. The "
        "library that trains this room's vocabularies learns the same merges in the same order."
    )
    return Shown(
        numbers=film.table,
        arrays={"gone": film.gone, "n_token": film.n_token},
        formula=_last(film),
        script=lambda: _script(text if source != "corpus" else None, chosen, n_merge),
    )


def _label(source: str, chosen: Chosen) -> str:
    names = {"classic": "low × 5, lower × 2, newest × 6, widest × 3", "text": "Your text"}
    return names.get(source) or f"The beginning of {chosen.source_title}"


def _script(text: str | None, chosen: Chosen, n_merge: int) -> str:
    if text is None:
        imports = source_import(chosen.source)
        cut = f'text = learned.encode()[:{MOST_BYTES}].decode(errors="ignore")'
        given = scripts.Code(f"{source_code(chosen.source)}\n{cut}")
    else:
        imports = scripts.Code("# The text stands here as it is.")
        given = scripts.Code(f"text = {scripts.literal(text)}")
    return scripts.script(
        """
        $imports
        from core.data.csv_table import print_table
        from core.rooms.tokens.compute import merge_film

        $text

        # Count all pairs, glue the most frequent one, count again.
        print_table(merge_film.film(text, n_merge=$n_merge).table())
        """,
        imports=imports,
        text=given,
        n_merge=n_merge,
    )


def _last(film: MergeFilm) -> str:
    """How far the whole film shortens the text."""
    before, after = int(film.n_token[0]), int(film.n_token[-1])
    arrow = rf"\xrightarrow{{\;{len(film.steps)}\ \text{{merges}}\;}}"
    return rf"{before}\ \text{{bytes}} \;{arrow}\; {after}\ \text{{tokens}}"
