"""Repetitions of the runs in receipts, to check whether they give the same numbers."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.data.localization.labels import module_labels
from core.jobs.admission import MAX_WAITING
from core.jobs.runs import RunNotFound
from core.lessons.homework.marking import compare_rerun_numbers, curve_endpoints, loss_curve_endpoints
from core.lessons.homework.receipt import TrainedRun
from core.ui import state
from core.ui.frame.element_keys import page_element_key
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.training.run_storage import is_training_off, run_store

LABELS = module_labels(__name__)

KEPT_SECONDS = 86400.0  # for which a run that was started here is stored, if nobody comes back to read it
_OWNER = "homework-"  # prefix of the owners of such runs; no browser's owner has it
_RUNS = "receipts.runs"  # a run's key -> its repetition's numbers, the id of that run, or why it can't be repeated


@dataclass(frozen=True)
class _Rerun:
    """A run that was repeated here: its numbers, its steps, and the usual steps of its experiment."""

    numbers: dict[str, float]
    n_step: int
    usual: int = 0  # 0: it has no usual number of steps

    @property
    def length(self) -> str:
        """The length in words, which is shown because a run of one step easily gives the same numbers."""
        if self.n_step < self.usual:
            return LABELS("n_step.of_usual", done=self.n_step, n=self.usual)
        return LABELS("n_step", n=self.n_step)


def rerun_verdict(run: TrainedRun) -> str:
    """Describe whether repeating a run gives the same numbers, as far as that is known."""
    if run.step < run.n_step:
        return LABELS["not_finished"]
    known = _known().get(_key(run))
    if known is None:
        return LABELS["not_verified"]
    if isinstance(known, str):
        return LABELS["training"] if known.startswith(_owner()) else known
    return LABELS(compare_rerun_numbers(run.numbers, known.numbers), length=known.length)


def show_rerun_button(runs: Sequence[TrainedRun]) -> None:
    """Draw the button that repeats the runs that aren't verified yet, as many at a time as may be queued."""
    left = {_key(run): run for run in runs if run.step >= run.n_step and _key(run) not in _known()}
    if not left or is_training_off():
        return
    now = list(left.values())[: _n_room()]
    st.button(
        LABELS("train_again.some" if len(now) < len(left) else "train_again", n=len(left), some=len(now)),
        icon=":material/replay:",
        key=page_element_key("receipts", "again"),
        disabled=not now,
        on_click=_start_reruns,
        args=(now,),
    )


def _start_reruns(runs: Sequence[TrainedRun]) -> None:
    """Queue runs, as many as the limit allows; only these are checked, which takes time. For callbacks."""
    _forget_old()
    for run in runs[: _n_room()]:
        try:
            run_id = run_store().create(_owner(), dict(run.spec), run.seed)
        except ValueError as refusal:
            _known()[_key(run)] = LABELS("cant_train", refusal=refusal)
        else:
            _known()[_key(run)] = f"{_owner()} {run_id}"


def is_training_rerun_active() -> bool:
    """Return whether a run that was started here is still going."""
    return any(isinstance(one, str) and one.startswith(_owner()) for one in _known().values())


def store_finished_reruns() -> None:
    """Store the numbers of repetitions that have ended, and delete their runs."""
    for key, known in list(_known().items()):
        if not (isinstance(known, str) and known.startswith(_owner())):
            continue
        run_id = known.partition(" ")[2]
        try:
            run = run_store().get(run_id)
            if run.active:
                continue
            _known()[key] = _retrained(run_id) if run.state == "finished" else LABELS("cant_train", refusal=run.message)
            run_store().delete(run_id, _owner())
        except RunNotFound:
            del _known()[key]


def _retrained(run_id: str) -> _Rerun:
    from core.train.experiment import parse_experiment_options, unpack_record

    run = run_store().get(run_id)
    if "experiment" not in run.recipe:
        return _Rerun(loss_curve_endpoints(run_store().val_losses(run_id)), run.n_step)
    numbers = curve_endpoints(unpack_record(run_store().record_path(run_id).read_bytes())[0])
    return _Rerun(numbers, run.n_step, parse_experiment_options(run.recipe["experiment"], {}).n_step)


def _n_room() -> int:
    """Return how many more runs may be queued."""
    return max(0, MAX_WAITING - sum(run.state == "queued" for run in run_store().of_group(_owner())))


def _forget_old() -> None:
    for run in run_store().of_group(_OWNER):
        if run.created < time.time() - KEPT_SECONDS:
            run_store().delete(run.id, run.owner)


def _key(run: TrainedRun) -> str:
    return json.dumps([run.spec, run.seed], sort_keys=True)


def _known() -> dict[str, _Rerun | str]:
    found: dict[str, _Rerun | str] = state.session_slot(_RUNS, dict)
    return found


def _owner() -> str:
    """Return the owner of the repetitions, which no browser has, so that no room lists them as somebody's own."""
    return f"{_OWNER}{owner_id()}"
