"""What exhibits share: the models trained in the room, and texts of the learner's own as these read them."""

from typing import Any

from core import ui
from core.data.synthetic import reviews
from core.data.synthetic.gap_stories import words
from core.exhibit import Inputs, NothingToShow, memoize
from core.models.bert import BERT
from core.rooms.encoder.experiments import finetune, masked
from core.rooms.encoder.experiments.masked import LENGTH, Pair
from core.train.experiments.live import Live

MAX_MODELS, MAX_JUDGES = 16, 128  # pairs of half a megabyte; of a hundred kilobytes: seven trainings' worth
STORY = "Your text, in the words of the little stories"
REVIEWS = (
    "soup good.",
    "soup not good.",
    "waiter never disappointing.",
    "music dull but wine superb.",
    "soup not awful. waiter never rude. music hardly dull.",
    "soup not good but waiter great.",
)
OWN = "your own"
OWN_REVIEW = "The soup was not good, but the waiter was great!"


@memoize(MAX_MODELS)
def pair(run: Live) -> Pair:
    """The encoder and the decoder of a training with gaps."""
    return masked.rebuilt(run.record)


@memoize(MAX_JUDGES)
def judge(run: Live, way: str, n_label: int) -> BERT:
    """One of the models of a fine-tuning."""
    return finetune.judge(run.record, way, n_label)


def ids_of(text: str) -> tuple[int, ...]:
    """A text as both models of a pair read it, `<class>` first; of a long one the last words."""
    return (words().class_id, *words().encode(words().normalize(text).text)[1 - LENGTH :])


def last(inputs: Any) -> int:
    """The last place of the text that can be a gap; at least 2."""
    return max(2, len(ids_of(inputs.text)) - 1)


def read(text: str) -> tuple[int, ...]:
    """The ids of a text of two words or more. Raises NothingToShow."""
    if len(ids := ids_of(text)) < 3:
        raise NothingToShow("Type at least 2 words.")
    return ids


def tell_words(name: str, typed: str, _: object) -> None:
    """Say which words the stories don't have."""
    found = words().normalize(typed)
    ui.tell_words(found.unknown, name, typed, words().vocabulary()[: words().n_plain], changed=found.changed)


def tell_story(name: str, typed: str, given: Inputs) -> None:
    """The same, and what is cut."""
    tell_words(name, typed, given)
    if (n := len(words().encode(words().normalize(typed).text))) >= LENGTH:
        ui.st.caption(f"Of the {n} words and signs, the model reads at most {LENGTH - 1}: the last ones.")


def tell_review(name: str, typed: str, _: object) -> None:
    """What the judges read of a review, and which words they don't know."""
    read, known = reviews.tokenize(typed), reviews.WORDS.words[: reviews.WORDS.n_plain]
    if any(word.isalnum() for word in read):
        ui.st.caption(f"The models read: {ui.escape_markdown(' '.join(read))}")
        unknown = [word for word in read if word not in known]
        then = "They read <unknown> instead, a token that was never trained, so don't trust the answer."
        ui.tell_words(unknown, name, typed, known, then, who="These models don't")


def words_of(review: str, text: str) -> tuple[str, ...]:
    """The chosen review, or the learner's own, as the judges read it; empty if it has no word."""
    read = tuple(reviews.tokenize(text if review == OWN else review))
    return read if any(word.isalnum() for word in read) else ()
