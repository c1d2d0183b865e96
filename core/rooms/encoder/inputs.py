"""The inputs that exhibits share: the models trained in the room, and the user's own texts as token ids."""

from typing import Any

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import reviews
from core.data.synthetic.masked_stories import masked_story_vocabulary
from core.exhibit import Inputs, NothingToShow, memoize
from core.models.bert import BERT
from core.rooms.encoder.experiments import finetune, masked
from core.rooms.encoder.experiments.masked import LENGTH, EncoderAndTwin
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

MAX_MODELS, MAX_JUDGES = 16, 128  # pairs of half a megabyte; judges of a hundred kilobytes, enough for seven runs
STORY = LABELS["story"]
REVIEWS = (
    "soup good.",
    "soup not good.",
    "waiter never disappointing.",
    "music dull but wine superb.",
    "soup not awful. waiter never rude. music hardly dull.",
    "soup not good but waiter great.",
)
OWN_REVIEW_CHOICE = "own"
OWN_REVIEW = "The soup was not good, but the waiter was great!"


@memoize(MAX_MODELS)
def trained_pair(run: ExperimentRun) -> EncoderAndTwin:
    """Return the encoder and the decoder of a run with gaps."""
    return masked.recorded_models(run.record)


@memoize(MAX_JUDGES)
def trained_classifier(run: ExperimentRun, way: str, n_label: int) -> BERT:
    """Return one of the models of a fine-tuning run."""
    return finetune.recorded_classifier(run.record, way, n_label)


def text_ids(text: str) -> tuple[int, ...]:
    """Return a text's ids for both models of a pair, starting with `<class>`; of a long text, the last words."""
    return (
        masked_story_vocabulary().class_id,
        *masked_story_vocabulary().encode(masked_story_vocabulary().normalize(text).text)[1 - LENGTH :],
    )


def last_gap(inputs: Any) -> int:
    """Return the last position of the text that can be a gap; at least 2."""
    return max(2, len(text_ids(inputs.text)) - 1)


def story_ids(text: str) -> tuple[int, ...]:
    """Return the ids of a text of two words or more.

    Raises:
        NothingToShow: if the text is shorter.
    """
    if len(ids := text_ids(text)) < 3:
        raise NothingToShow(LABELS["too_short"])
    return ids


def note_story_words(name: str, typed: str, _: object) -> None:
    """Show which words the stories don't contain."""
    found = masked_story_vocabulary().normalize(typed)
    ui.warn_unknown_words(
        found.unknown,
        name,
        typed,
        masked_story_vocabulary().vocabulary()[: masked_story_vocabulary().n_plain],
        changed=found.changed,
    )


def note_story(name: str, typed: str, given: Inputs) -> None:
    """Show unknown words, and how many words are cut off."""
    note_story_words(name, typed, given)
    if (n := len(masked_story_vocabulary().encode(masked_story_vocabulary().normalize(typed).text))) >= LENGTH:
        ui.st.caption(LABELS("is_cut", n=n, length=LENGTH - 1))


def note_review(name: str, typed: str, _: object) -> None:
    """Show the words that the judges read in a review, and those that they don't know."""
    read, known = reviews.tokenize_review(typed), reviews.WORDS.words[: reviews.WORDS.n_plain]
    if any(word.isalnum() for word in read):
        ui.st.caption(LABELS("read", read=ui.escape_markdown(" ".join(read))))
        unknown = [word for word in read if word not in known]
        then = LABELS["unknown"]
        ui.warn_unknown_words(unknown, name, typed, known, then, readers="models")


def review_words(review: str, text: str) -> tuple[str, ...]:
    """Return the words of the chosen review or of the user's own; empty if it has no word."""
    read = tuple(reviews.tokenize_review(text if review == OWN_REVIEW_CHOICE else review))
    return read if any(word.isalnum() for word in read) else ()
