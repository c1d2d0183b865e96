"""Facts about texts, recipes and runs for the studio, cached by short keys of plain values.

Nothing is computed twice for a class that looks at one run. torch is imported inside the functions, so that the
page's first words need not wait for it.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.data import corpora
from core.jobs.runs import RunInfo
from core.rooms.studio import recorded_example as example
from core.train.curve_point import CurvePoint
from core.ui.frame.errors import log_fault
from core.ui.training.choices_to_recipe import n_special_token
from core.ui.training.cost import tokenized_corpus_size
from core.ui.training.run_storage import data_folder, run_store
from core.ui.training.task_choices import is_task, task_of_recipe, task_vocabulary


@st.cache_data(max_entries=100, show_spinner=False)
def counting_loss(corpus: str, tokenizer: str, vocab: int | None, context_length: int) -> float | None:
    """Return the validation loss of a 3-gram on the same text with the same tokenizer and split, nats per token."""
    import numpy as np
    import torch

    from core.data import tokenizers
    from core.train.objectives import ngram_losses, split_ids

    try:
        text = corpora.load(corpus).text
        cutter = tokenizers.train_tokenizer(tokenizer, text, vocab)
        train, validation = split_ids(torch.from_numpy(np.array(cutter.encode(text))), context_length)
        loss = ngram_losses(train, validation, cutter.vocab_size, orders=(3,))[3]
    except (ValueError, corpora.CorpusRefused):
        return None
    return loss if math.isfinite(loss) else None


@dataclass(frozen=True)
class TaskFacts:
    """Baselines for the answers to a task, computed on the held-out questions."""

    n_held: int  # number of held-out questions
    same: float | None  # accuracy of always giving the most frequent answer; None for a text to continue
    exact: float  # loss of the true probabilities (entropy), nats per token; 0 if each question has one answer


def task_facts(recipe: Mapping[str, object]) -> TaskFacts | None:
    """Return the facts about a run's task; None for a text, or if the task no longer exists."""
    if not is_task(str(recipe.get("corpus"))):
        return None
    return _task_facts(str(recipe["corpus"]), json.dumps(recipe.get("task", {}), sort_keys=True))


@st.cache_data(max_entries=100, show_spinner=False)
def _task_facts(corpus: str, options: str) -> TaskFacts | None:
    from core.train.tasks.answer_objective import MAX_HELD_OUT, constant_answer_accuracy

    try:
        posed = task_of_recipe({"corpus": corpus, "task": json.loads(options)})
    except ValueError:
        return None
    assert posed is not None
    held = posed.held(MAX_HELD_OUT)
    same = None if posed.task.writes_on else constant_answer_accuracy(held)
    return TaskFacts(len(held), same, posed.exact_loss(held))


def vocabulary_size(recipe: Mapping[str, Any]) -> int | None:
    """Return the vocabulary size of a recipe's model; None if the recipe's text is gone."""
    if is_task(str(recipe.get("corpus"))):
        tokens = task_vocabulary(recipe)
        return None if tokens is None else len(tokens)
    cut = str(recipe.get("corpus")), str(recipe.get("tokenizer")), recipe.get("tokenizer_vocab")
    try:
        return tokenized_corpus_size(*cut, n_special_token(recipe))[0]
    except Exception as error:  # the run can still be shown
        log_fault(error)
        return None


# Step and state identify the version of a run; the folder identifies the machine.
_VERSION: dict[str | type[object], Callable[[Any], object]] = {
    RunInfo: lambda run: (data_folder(), run.id, run.step, run.state)
}


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=_VERSION)
def points_of(run: RunInfo) -> list[CurvePoint]:
    """Return the run's points so far, in order of steps."""
    return list(example.example_points()) if run.id == example.EXAMPLE_ID else run_store().points(run.id)


@st.cache_data(max_entries=1000, show_spinner=False, hash_funcs=_VERSION)
def last_losses(run: RunInfo) -> tuple[float | None, float | None]:
    """Return the latest training and validation loss of a run, None before the first."""
    points = run_store().points(run.id)
    measured = [point.val_loss for point in points if point.val_loss is not None]
    return (points[-1].loss if points else None), (measured[-1] if measured else None)


def frames_of(run: RunInfo) -> list[dict[str, Any]]:
    """Return all frames of a run in the form that the scrubber takes, in order of steps."""
    if run.id == example.EXAMPLE_ID:
        return _frames("", run.id, 0, "")
    n_frame = run_store().n_frame(run.id)
    return _frames(data_folder(), run.id, n_frame, run.state) if n_frame else []


@st.cache_data(max_entries=16, show_spinner=False)
def _frames(folder: str, run_id: str, n_frame: int, state: str) -> list[dict[str, object]]:
    found = example.example_frames() if run_id == example.EXAMPLE_ID else run_store().frames(run_id)
    return [frame for data in found if (frame := _as_dict(data)) is not None]


def latest_frame(run: RunInfo) -> dict[str, Any] | None:
    """Return the frame of the latest step, or None."""
    if run.id == example.EXAMPLE_ID:
        frames = frames_of(run)
        return frames[-1] if frames else None
    data = run_store().latest_frame(run.id)
    return None if data is None else _as_dict(data)


def _as_dict(data: bytes) -> dict[str, object] | None:
    from core.train.watch.behavior_snapshots import RunFrame

    try:
        frame: RunFrame = RunFrame.from_bytes(data)
    except ValueError:
        return None
    names = ("step", "tokens", "attention", "sample", "loss", "val_loss")
    return {name: getattr(frame, name) for name in names}
