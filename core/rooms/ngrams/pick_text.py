"""The bar at the top of the room: a text, and the kind of tokens."""

import streamlit as st

from core import exhibit
from core.data import corpora
from core.data.localization.labels import module_labels
from core.rooms.ngrams.inputs import BPE_SIZE, TOKEN_UNITS, CountedText
from core.ui.controls import controls, own_text
from core.ui.exhibit.pane_and_rail import current_exhibit_containers
from core.ui.text_formatting import escape_markdown
from core.ui.training.text_facts import corpus_metadata

LABELS = module_labels(__name__)


def pick_text() -> CountedText | None:
    """Render the choice of text and tokens. Returns None, after a message, if there is nothing to count."""
    is_bar = current_exhibit_containers() is None
    with st.container(key="looking" if is_bar else "gram-choice", horizontal=True, vertical_alignment="center"):
        corpus = controls.render_control(
            exhibit.select(own_text.text_choices(), "stories", name="corpus", label=LABELS["corpus"])
        )
        about = st.popover(":material/info:", type="tertiary", help=LABELS["about"], key="about-corpus")
        own_text.own_text_button()
        unit = controls.render_control(
            exhibit.segmented_control(
                list(TOKEN_UNITS),
                "word",
                labels=TOKEN_UNITS,
                help=LABELS("unit.help", n_token=BPE_SIZE),
                name="gram_cut",
                label=LABELS["unit"],
            )
        )
    text = CountedText(corpus, unit)
    try:
        with st.spinner(LABELS["counting"]):
            n_different = text.counts.vocab_size
    except (corpora.CorpusRefused, ValueError) as problem:
        told = LABELS("nothing_to_count", problem=escape_markdown(str(problem).rstrip(".")))
        st.warning(told, icon=":material/block:")
        return None
    used, whole = text.n_character
    facts = corpus_metadata(corpus)
    sentences = [
        LABELS("limit", used=used, whole=whole) if used < whole else "",
        LABELS("parts", n_train=len(text.train), n_val=len(text.val)),
        LABELS("different" if unit == "bpe" else "different_unknown", n=n_different),
        escape_markdown(LABELS("source", source=facts.source, licence=facts.licence)) if not facts.problem else "",
    ]
    about.markdown(" ".join(filter(None, sentences)))
    return text
