"""Repetitions of the runs in receipts, to check whether they give the same numbers."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.jobs.admission import MAX_WAITING
from core.jobs.runs import RunNotFound
from core.lessons.homework.marking import compared, numbers_of, of_curve
from core.lessons.homework.receipt import Trained
from core.ui import state
from core.ui.frame.element_keys import frame_key
from core.ui.server.identity.owner import owner_id
from core.ui.text import plural
from core.ui.training.runs import store, training_is_off

KEPT_SECONDS = 86400.0  # for which a run that was started here is stored, if nobody comes back to read it
_OWNER = "homework-"  # prefix of the owners of such runs; no browser's owner has it
_RUNS = "receipts.runs"  # a run's key -> its repetition's numbers, the id of that run, or why it can't be repeated


@dataclass(frozen=True)
class Retrained:
    """A run that was repeated here: its numbers, its steps, and the usual steps of its experiment."""

    numbers: dict[str, float]
    n_step: int
    usual: int = 0  # 0: it has no usual number of steps

    @property
    def length(self) -> str:
        """The length in words, which is shown because a run of one step easily gives the same numbers."""
        if self.n_step < self.usual:
            return f"only {self.n_step:,} of the usual {plural(self.usual, 'step')}"
        return plural(self.n_step, "step")


def state_of(run: Trained) -> str:
    """Describe whether repeating a run gives the same numbers, as far as that is known."""
    if run.step < run.n_step:
        return "not finished"
    known = _known().get(_key(run))
    if known is None:
        return "not verified yet"
    if isinstance(known, str):
        return "is trained again" if known.startswith(_owner()) else known
    words = {"the same": "verified", "nearly the same": "nearly the same", "other": "came out differently"}
    return f"{words[compared(run.numbers, known.numbers)]} ({known.length})"


def again(runs: Sequence[Trained]) -> None:
    """Draw the button that repeats the runs that aren't verified yet, as many at a time as may be queued."""
    left = {_key(run): run for run in runs if run.step >= run.n_step and _key(run) not in _known()}
    if not left or training_is_off():
        return
    now = list(left.values())[: _n_room()]
    n = f"{len(now)} of {len(left)}" if len(now) < len(left) else f"{len(left)}"
    st.button(
        f"Train {n} {'run' if len(left) == 1 else 'runs'} again",
        icon=":material/replay:",
        key=frame_key("receipts", "again"),
        disabled=not now,
        on_click=begin,
        args=(now,),
    )


def begin(runs: Sequence[Trained]) -> None:
    """Queue runs, as many as the limit allows; only these are checked, which takes time. For callbacks."""
    _forget_old()
    for run in runs[: _n_room()]:
        try:
            run_id = store().create(_owner(), dict(run.spec), run.seed)
        except ValueError as refusal:
            _known()[_key(run)] = f"can't be trained here: {refusal}"
        else:
            _known()[_key(run)] = f"{_owner()} {run_id}"


def is_training() -> bool:
    """Return whether a run that was started here is still going."""
    return any(isinstance(one, str) and one.startswith(_owner()) for one in _known().values())


def collect() -> None:
    """Store the numbers of repetitions that have ended, and delete their runs."""
    for key, known in list(_known().items()):
        if not (isinstance(known, str) and known.startswith(_owner())):
            continue
        run_id = known.partition(" ")[2]
        try:
            run = store().get(run_id)
            if run.active:
                continue
            _known()[key] = _retrained(run_id) if run.state == "finished" else f"can't be trained here: {run.message}"
            store().delete(run_id, _owner())
        except RunNotFound:
            del _known()[key]


def _retrained(run_id: str) -> Retrained:
    from core.train.experiment import options_of, unpack

    run = store().get(run_id)
    if "experiment" not in run.recipe:
        return Retrained(of_curve(store().val_losses(run_id)), run.n_step)
    numbers = numbers_of(unpack(store().record_path(run_id).read_bytes())[0])
    return Retrained(numbers, run.n_step, options_of(run.recipe["experiment"], {}).n_step)


def _n_room() -> int:
    """Return how many more runs may be queued."""
    return max(0, MAX_WAITING - sum(run.state == "queued" for run in store().of_group(_owner())))


def _forget_old() -> None:
    for run in store().of_group(_OWNER):
        if run.created < time.time() - KEPT_SECONDS:
            store().delete(run.id, run.owner)


def _key(run: Trained) -> str:
    return json.dumps([run.spec, run.seed], sort_keys=True)


def _known() -> dict[str, Retrained | str]:
    found: dict[str, Retrained | str] = state.slot(_RUNS, dict)
    return found


def _owner() -> str:
    """Return the owner of the repetitions, which no browser has, so that no room lists them as somebody's own."""
    return f"{_OWNER}{owner_id()}"
