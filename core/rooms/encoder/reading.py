"""A review of the learner's own, and the judges of the fine-tuning, for the exhibits that look at them."""

from types import MappingProxyType

import streamlit as st

from core.cache import memoize
from core.data.synthetic import reviews
from core.data.synthetic.reviews import WORDS
from core.models.bert import BERT
from core.rooms.encoder.experiments import finetune as task
from core.ui.controls import controls
from core.ui.models.own_words import tell_words
from core.ui.text import escape_markdown
from core.ui.training.trained_models import Trained

LABELS_OF = MappingProxyType({n: f"{n:,}" for n in task.SIZES})
OWN = "your own"
EXAMPLES = (
    "soup good.",
    "soup not good.",
    "waiter never disappointing.",
    "music dull but wine superb.",
    "soup not awful. waiter never rude. music hardly dull.",
    "soup not good but waiter great.",
)
MOST_CHARS = 200
MAX_JUDGES = 128  # of a hundred kilobytes: seven trainings' worth


@memoize(MAX_JUDGES)
def judge(models: Trained, way: str, n_label: int) -> BERT:
    """One of the models of a record."""
    return task.judge(models.record, way, n_label)


def ask_review(prefix: str, default: str) -> list[str]:
    """One of some reviews, or the learner's own: its words as a model reads them; empty, after plain words, if there
    are none."""
    chosen = controls.select(f"{prefix}_review", "Review", [*EXAMPLES, OWN], default)
    text = chosen
    if chosen == OWN:
        text = controls.text_input(
            f"{prefix}_text", "Your review", "The soup was not good, but the waiter was great!", max_chars=MOST_CHARS
        )
    words = reviews.read(text)
    if not any(word.isalnum() for word in words):
        st.info("Type a review: things like soup, waiter or music, and what they were like.")
        return []
    unknown = [word for word in words if word not in WORDS.words[: WORDS.n_plain]]
    if chosen == OWN:
        st.caption(f"The models read: {escape_markdown(' '.join(words))}")
    then = "They read <unknown> instead, a token that was never trained, so don't trust the answer."
    known = WORDS.words[: WORDS.n_plain]
    tell_words(unknown, f"{prefix}_text" if chosen == OWN else "", text, known, then, who="These models don't")
    return words
