"""What the exhibits of this room look at: the two models trained in it, and a text of the learner's own."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.data.synthetic import gap_stories
from core.data.synthetic.gap_stories import Words
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.experiments.masked import Pair
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.models.own_words import READS_UNKNOWN, tell_words
from core.ui.training import live
from core.ui.training.trained_models import Trained, latest, trained

NAME = "masked"
MAX_MODELS = 16  # pairs of half a megabyte
MOST_CHARS = 400


@dataclass(frozen=True)
class Text:
    """A text as both models read it.

    Attributes:
        ids: (T,) with `<class>` first.
        labels: (T,) as a person reads them.
        written: as it was typed, words in the case that the stories have.
    """

    ids: tuple[int, ...]
    labels: tuple[str, ...]
    written: str


@memoize(MAX_MODELS)
def pair(models: Trained) -> Pair:
    """Both models with the weights of a record."""
    return task.rebuilt(models.record)


def current() -> Trained | None:
    """The models that the training above shows now; None, after plain words, if there are none."""
    shown = latest(NAME)
    if shown is None:
        return None
    return trained(shown)


def models_in_script() -> scripts.Code:
    """How a script gets both models and their words: `models = masked.rebuilt(record_of(...))`."""
    shown = live.current(NAME)
    assert shown is not None  # its models are open
    return scripts.Code(f"models = masked.rebuilt({scripts.record(NAME, shown)})")


def ids_in_script(text: Text) -> scripts.Code:
    """How a script gets the ids of a text, `<class>` first; `[-31:]` where the models read no more."""
    cut = f"[-{task.LENGTH - 1}:]" if len(text.ids) == task.LENGTH else ""
    return scripts.Code(f"[words.class_id, *words.encode({scripts.literal(text.written)}){cut}]")


def ask_text(name: str, words: Words, default: str, least: int = 2) -> Text | None:
    """A text of the learner's own; None, after plain words, if it is too short.

    Args:
        name: of the control.
        least: how many words are needed.
    """
    text = controls.text_input(name, "Your text, in the words of the little stories", default, max_chars=MOST_CHARS)
    read = words.read(text)
    ids = words.encode(read.text)
    tell_words(read.unknown, name, text, words.vocabulary()[: words.n_plain], READS_UNKNOWN, changed=read.changed)
    if len(ids) < least:
        st.info(f"Type at least {least} words.")
        return None
    most = task.LENGTH - 1
    if len(ids) > most:
        st.caption(f"Of the {len(ids)} words and signs, the model reads at most {most}: the last ones.")
        ids = ids[-most:]
    row = (words.class_id, *ids)
    return Text(row, tuple(words.labels(row)), read.text)


def top_words(words: Words, probabilities: NDArray[np.floating[Any]], n: int) -> list[tuple[str, float]]:
    """The n most probable words with their probabilities."""
    order = np.argsort(-probabilities[: words.n_plain], kind="stable")[:n]
    return [(words.labels([i])[0], float(probabilities[i])) for i in order]


def held_stories() -> tuple[str, ...]:
    """The stories that no model of this room was trained on."""
    return gap_stories.texts()[1]
