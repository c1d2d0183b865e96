"""The bar at the top of the room: a text, and the kind of tokens."""

import streamlit as st

from core import exhibit
from core.data import corpora
from core.rooms.ngrams.inputs import BPE_SIZE, TOKEN_UNITS, CountedText
from core.ui.controls import controls, own_text
from core.ui.exhibit.pane_and_rail import current_exhibit_containers
from core.ui.text_formatting import escape_markdown
from core.ui.training.text_facts import corpus_metadata


def pick_text() -> CountedText | None:
    """Render the choice of text and tokens. Returns None, after a message, if there is nothing to count."""
    is_bar = current_exhibit_containers() is None
    with st.container(key="looking" if is_bar else "gram-choice", horizontal=True, vertical_alignment="center"):
        corpus = controls.render_control(
            exhibit.select("Text to count in", own_text.text_choices(), "stories", name="corpus")
        )
        about = st.popover(":material/info:", type="tertiary", help="What is counted", key="about-corpus")
        own_text.own_text_button()
        unit = controls.render_control(
            exhibit.segmented_control(
                "Cut into",
                list(TOKEN_UNITS),
                "word",
                labels=TOKEN_UNITS,
                help="What counts as one token. In the pictures, · is a space and ⏎ the end of a line. Word pieces "
                f"come from byte-pair encoding (BPE) with {BPE_SIZE:,} tokens.",
                name="gram_cut",
            )
        )
    text = CountedText(corpus, unit)
    try:
        with st.spinner("Cutting the text and counting …"):
            n_different = text.counts.vocab_size
    except (corpora.CorpusRefused, ValueError) as problem:
        said = escape_markdown(f"Nothing can be counted here: {problem}".rstrip("."))
        st.warning(f"{said}. Choose another text, or cut it differently.", icon=":material/block:")
        return None
    used, whole = text.n_character
    limit = f"Only the first {used:,} of {whole:,} characters are used. " if used < whole else ""
    facts = corpus_metadata(corpus)
    from_where = f" From {facts.source}. License: {facts.licence}." if not facts.problem else ""
    about.markdown(
        f"{limit}The first {len(text.train):,} tokens are counted (the **training text**); the last {len(text.val):,} "
        f"are kept to test the model on (the **validation text**). {n_different:,} different "
        f"tokens{'' if unit == 'bpe' else ', with &lt;unknown&gt; for everything else'}.{escape_markdown(from_where)}"
    )
    return text
