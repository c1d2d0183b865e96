"""Experiments that a visitor trains live: the button, the progress and the newest record.

A page shows such an exhibit with `poll_interval=live_experiments.poll_interval("induction")` (`render_exhibit`); the
exhibit draws its controls and then

    shown = live_experiments.train_experiment_on_click("induction", {"n_layer": 2}, seed)
    if shown is not None:
        draw(shown.record)

Until the visitor's own run has its first numbers, the shipped record is shown: the same experiment with its default
options and seed 0. A text that states findings is about that record, so inside `use_shipped_runs()` only this record is
used.
"""

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.data.localization.labels import module_labels
from core.data.progress import estimated_seconds_left
from core.exhibit import memoize
from core.jobs.runs import RequestRefused, RunInfo, RunNotFound
from core.train.experiments.experiment_run_state import ExperimentRun
from core.ui import state
from core.ui.controls import controls, sharing
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.text_formatting import escape_markdown, format_duration
from core.ui.training.run_storage import is_training_off, run_store

if TYPE_CHECKING:
    from core.train.experiment import Record

LABELS = module_labels(__name__)

FOLLOW_SECONDS = 0.4
IN_LINE_SECONDS = 2.0  # for queued runs: each poll costs a rerun, and forty learners of a class may be queued
MAX_RECORDS = 32  # of less than a megabyte each


@dataclass(frozen=True)
class _Pin:
    """The runs that a text refers to."""

    trains: frozenset[str] = frozenset()  # experiments that the text lets its reader train: their own runs are shown
    examples: set[str] = field(default_factory=set)  # those whose shipped record was used


_PIN: ContextVar[_Pin | None] = ContextVar("pin", default=None)


@contextmanager
def use_shipped_runs(trains: frozenset[str] = frozenset()) -> Iterator[_Pin]:
    """Use the shipped examples inside, whatever this visitor has trained.

    Args:
        trains: experiments whose own run is shown if it has the options that `train_experiment_on_click` asks for here.
    """
    token = _PIN.set(given := _Pin(trains))
    try:
        yield given
    finally:
        _PIN.reset(token)


def poll_interval(*names: str) -> float | None:
    """Return the seconds between two polls while one of the visitor's runs is active. For `show(..., every=)`."""
    paces = {name: _pace(_mine(name)) for name in names}
    for name, seconds in paces.items():
        state.set_session_slot(_slot(name, "pace"), seconds)
    return min(filter(None, paces.values()), default=None)


def _pace(run: RunInfo | None) -> float | None:
    if run is None or not run.active:
        return None
    is_in_line = run.state == "queued" and time.time() - run.created > IN_LINE_SECONDS  # or its slot is being made
    return IN_LINE_SECONDS if is_in_line else FOLLOW_SECONDS


def train_experiment_on_click(
    name: str, options: Mapping[str, object], seed: int, *, label: str = LABELS["train"], about: str = ""
) -> ExperimentRun | None:
    """Draw the button and the progress; return the newest state of the run, or None while there is nothing yet.

    Args:
        name: a key of `core.train.experiment.EXPERIMENTS`.
        options: the current values of the controls; missing ones have their defaults.
        seed: the value of its control.
        label: of the button.
        about: shown next to it, such as the approximate duration.
    """
    if state.session_slot(_slot(name, "gone"), bool):
        state.clear_session_slot(_slot(name, "gone"))
        st.rerun()  # other exhibits of the page may show the same run
    run = _mine(name)
    if _pace(run) != state.session_slot(_slot(name, "pace"), lambda: None):
        st.rerun()  # the page decides whether the exhibit is redrawn regularly
    is_meant = run is not None and _is_requested(name, run, options, seed)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if controls.is_hidden(sharing.TRAIN):
            pass
        elif run is not None and run.active:
            st.button(LABELS["stop"], icon=":material/stop:", key=_slot(name, "stop"), on_click=_stop, args=(run.id,))
        else:
            st.button(
                label,
                icon=":material/play_arrow:",
                type="secondary" if is_training_off() else "primary",  # a disabled primary button is unreadable
                key=_slot(name, "start"),
                on_click=_start,
                args=(name, dict(options), seed),
                disabled=is_training_off(),
                help=LABELS["training_off"] if is_training_off() else None,
            )
            if is_meant and run is not None:
                st.button(LABELS["back"], key=_slot(name, "back"), on_click=_back, args=(name, run.id))
        _progress(run, "" if controls.is_hidden(sharing.TRAIN) else about)
    if problem := state.session_slot(_slot(name, "problem"), str):
        state.clear_session_slot(_slot(name, "problem"))
        st.warning(escape_markdown(problem), icon=":material/info:")
    shown = _shown(name, run if is_meant else None)
    if shown is None:
        return None
    _describe_run(shown, options, seed, is_awaited=is_meant and run is not None and run.active)
    if run is not None and not is_meant:
        st.caption(LABELS["other_settings"])
    return shown


def shown_run(name: str) -> ExperimentRun | None:
    """Return the run that `train_experiment_on_click` shows now, for a second exhibit of the same run."""
    pin, run = _PIN.get(), _mine(name)
    if (
        pin is not None
        and run is not None
        and not (name in pin.trains and _has_options(name, run, _requested_options(name) or {}))
    ):
        run = None
    return _shown(name, run)


def shown_run_with_note(name: str) -> ExperimentRun | None:
    """Return the run that `train_experiment_on_click` shows, and show a note if it is missing or unfinished."""
    shown = shown_run(name)
    if shown is None:
        st.info(LABELS["no_model"])
    elif not shown.is_done:
        st.caption(LABELS("unfinished", step=shown.step, n_step=shown.n_step))
    return shown


def own_experiment_run(name: str, options: Mapping[str, object] | None = None) -> ExperimentRun | None:
    """Return the current state of this visitor's own run with these options (defaults for the others), or None.

    Args:
        options: None: those that `train_experiment_on_click` last asked for if a text lets its reader train, otherwise
            any.
    """
    run, wanted = _mine(name), _requested_options(name) if options is None else options
    return None if run is None or not (wanted is None or _has_options(name, run, wanted)) else _of_run(run)


def _is_requested(name: str, run: RunInfo, options: Mapping[str, object], seed: int) -> bool:
    """Return whether a run is shown for these settings; outside `use_shipped_runs`, any run is."""
    pin = _PIN.get()
    if pin is None:
        return True
    if name in pin.trains:
        state.set_session_slot(_slot(name, "asked"), dict(options))
    return _has_options(name, run, options) and (name in pin.trains or run.seed == seed)


def _requested_options(name: str) -> Mapping[str, object] | None:
    found: Mapping[str, object] | None = state.session_slot(_slot(name, "asked"), lambda: None)
    return found


def _has_options(name: str, run: RunInfo, options: Mapping[str, object]) -> bool:
    """Return whether a run was started with these options; missing ones have the example's defaults."""
    found = _shipped(name)
    default = {} if found is None else dict(found.options)
    given, wanted = (json.dumps({**default, **one}, sort_keys=True) for one in (run.recipe["options"], dict(options)))
    return given == wanted


def _shown(name: str, run: RunInfo | None) -> ExperimentRun | None:
    return (None if run is None else _of_run(run)) or example_run(name)  # until the first numbers exist


def _mine(name: str) -> RunInfo | None:
    """Return this visitor's newest run of the experiment, or None."""
    runs = run_store().list(owner_id(), experiment=name)
    return runs[0] if runs else None


def _progress(run: RunInfo | None, about: str) -> None:
    if run is None or run.state == "finished":
        if about:
            st.caption(about, width="content")
    elif run.state == "queued":
        place = run_store().queue_position(run.id) or 1
        st.progress(0.0, LABELS("in_line", place=place))
    elif run.state == "running":
        done = run.step / run.n_step
        left = estimated_seconds_left(done, run.seconds)
        steps = {"step": run.step, "n_step": run.n_step}
        st.progress(
            done, LABELS("step", **steps) if left is None else LABELS("step.left", **steps, time=format_duration(left))
        )
    elif run.state == "failed":
        st.error(escape_markdown(run.message or LABELS["failed"]), icon=":material/error:")
    else:
        st.caption(LABELS("stopped", step=run.step, n_step=run.n_step), width="content")


def _describe_run(shown: ExperimentRun, options: Mapping[str, object], seed: int, *, is_awaited: bool) -> None:
    """Show whether these numbers are the example's, and whether the controls have changed since."""
    if shown.is_example:
        st.caption(LABELS("example.awaited" if is_awaited else "example", seed=shown.seed))
    if not (shown.is_running or is_awaited) and (
        any(json.dumps(shown.options.get(n)) != json.dumps(v) for n, v in options.items()) or shown.seed != seed
    ):
        st.caption(f":material/info: {LABELS['settings_changed']}")


def _start(name: str, options: dict[str, object], seed: int) -> None:
    """Queue the experiment in place of the previous run. For callbacks."""
    run = _mine(name)
    if run is not None and run.active:
        return  # a double click counts as one
    try:
        run_store().create(owner_id(), {"experiment": name, "options": options}, seed)
    except ValueError as refusal:
        state.set_session_slot(_slot(name, "problem"), str(refusal))
        return
    if run is not None:
        _delete(run.id)


def _stop(run_id: str) -> None:
    with suppress(RequestRefused, RunNotFound):  # it has just ended
        run_store().request(run_id, owner_id(), "stop")


def _back(name: str, run_id: str) -> None:
    """Return to the example on the whole page. For callbacks."""
    _delete(run_id)
    state.set_session_slot(_slot(name, "gone"), True)


def _delete(run_id: str) -> None:
    with suppress(RunNotFound):
        run_store().delete(run_id, owner_id())


def _of_run(run: RunInfo) -> ExperimentRun | None:
    """Return the current state of a run; None before its first numbers."""
    found = _read(run_store().record_path(run.id))
    if found is None:
        return None
    record, about = found
    name = str(run.recipe["experiment"])
    return ExperimentRun(
        record, about["options"], run.seed, about["step"], about["n_step"], run.active, name=name, run_id=run.id
    )


def example_run(name: str) -> ExperimentRun | None:
    """Return the shipped record, whatever this visitor has trained; None if there is no readable one."""
    if (pin := _PIN.get()) is not None:
        pin.examples.add(name)
    return _shipped(name)


def _shipped(name: str) -> ExperimentRun | None:
    from core.train.experiment import EXAMPLE_FOLDER

    found = _read(EXAMPLE_FOLDER / f"{name}.safetensors")
    if found is None:
        return None
    record, about = found
    return ExperimentRun(
        record, about["options"], about["seed"], about["step"], about["n_step"], is_example=True, name=name
    )


def _read(path: Path) -> "tuple[Record, dict[str, Any]] | None":
    try:
        return _unpacked(path, path.stat().st_mtime_ns)
    except (OSError, ValueError):
        return None


@memoize(MAX_RECORDS)
def _unpacked(path: Path, version: int) -> "tuple[Record, dict[str, Any]]":
    """Read a record from its file; `version` is the file's time, so that a newer file is read again."""
    from core.train.experiment import unpack_record

    return unpack_record(path.read_bytes())


def _slot(name: str, part: str) -> str:
    return f"live.{name}.{part}"
