"""Facts about a training text (including the user's own), cached by its key."""

import re
from dataclasses import dataclass

import streamlit as st

from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.synthetic import tasks
from core.ui.training.run_storage import data_folder

LABELS = module_labels(__name__)

OWN_KEY = re.compile(r"own-[0-9a-f]{12}")


@dataclass(frozen=True)
class TextFacts:
    """The facts about a text; `problem` says why it cannot be used."""

    title: str
    n_character: int = 0
    source: str = ""
    licence: str = ""
    problem: str = ""


def corpus_metadata(corpus: str) -> TextFacts:
    """Return title, size, source and license of a text, or title and source of a task; never raises."""
    if (task := tasks.TASKS.get(corpus.removeprefix(tasks.TASK_PREFIX))) is not None and corpus.startswith(
        tasks.TASK_PREFIX
    ):
        return TextFacts(task.title, source=task.source)
    if OWN_KEY.fullmatch(corpus) is None and corpus not in corpora.names():
        return TextFacts(title=corpus[:40], problem=LABELS["no_text"])
    return _text_facts(corpus, data_folder())


@st.cache_data(max_entries=200, ttl=600, show_spinner=False)
def _text_facts(corpus: str, folder: str) -> TextFacts:
    try:
        text = corpora.load(corpus)
        return TextFacts(text.title, len(text.text), text.source, text.licence)
    except corpora.CorpusRefused as refusal:
        return TextFacts(title=corpus[:40], problem=str(refusal))


def corpus_or_task_title(corpus: str) -> str:
    """Return the title of a text or a task, even of one that no longer exists."""
    try:
        if (task := tasks.find_task(corpus)) is not None:
            return task.title
        return corpora.corpus_title(corpus)
    except (corpora.CorpusRefused, ValueError):
        return corpus[:40]
