"""Runs: their records, their states, and the requests that a person may make."""

import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

RUN_STATES = ("queued", "running", "paused", "stopped", "finished", "failed")
RUN_ACTIONS = ("pause", "resume", "stop")
NAME_LENGTH = 60


class RunNotFound(LookupError):
    """The run doesn't exist or belongs to somebody else; one message for both, so that ids reveal nothing."""

    def __init__(self) -> None:
        super().__init__(LABELS["run_not_found"])


class RequestRefused(ValueError):
    """The run's state doesn't allow the request; the message says why and is fit to be shown."""


# How a job ended: by itself, or on request.
JobOutcome = Literal["finished", "pause", "stop", "yield"]


@dataclass(frozen=True)
class JobSpec:
    """The specification of a job: plain data, so that it can be sent anywhere.

    `folder` holds the checkpoints; if there is one already, the run continues from it. `text` is the training text, for
    machines that may lack the corpus. `until` is for a run of a sweep, which pauses after this step and leaves one
    frame, at its end.
    """

    recipe: dict[str, Any]
    seed: int
    folder: Path
    device: str | None = None
    text: str | None = None
    until: int | None = None


@dataclass(frozen=True, kw_only=True)
class RunInfo:
    """One row of the store, as pages see it.

    `step` counts steps whose points are stored, `seconds` is the wall-clock time spent training (over all sessions),
    `tokens_per_second` the rate of the last few seconds. Times are Unix seconds, None if not reached yet. `request` is
    the pending request to a running run: "pause", "stop" or None. `sweep` is the id of the sweep that it belongs to,
    `until` the step at which it is compared with the others. `watch` lists the tensors that are stored with its frames,
    see `core.train.watch.watched_tensor_patterns`. `message` says why it failed, `has_diverged` whether that
    was because its loss became infinite or not a number.
    """

    id: str
    owner: str
    name: str
    recipe: dict[str, Any]
    seed: int
    state: str
    request: str | None
    step: int
    n_step: int
    n_parameter: int
    message: str
    sample: str
    created: float
    started: float | None
    ended: float | None
    seconds: float
    tokens_per_second: float | None
    n_byte: int
    sweep: str | None = None
    until: int | None = None
    watch: str = ""
    has_diverged: bool = False

    @property
    def active(self) -> bool:
        """True if the run's state can still change by itself, so that polling is worthwhile."""
        return self.state in ("queued", "running")

    @property
    def can_resume(self) -> bool:
        """True if `resume` would have an effect."""
        return self.state in ("paused", "stopped", "failed") and self.step < self.n_step and self.sweep is None


def next_run_state(state: str, request: str | None, action: str, *, complete: bool) -> tuple[str, str | None]:
    """Return a run's new state after a person's request, and the request that its worker still has to obey.

    Requesting the same thing twice is allowed: the second press of a button changes nothing.

    Args:
        request: the pending request to the worker of a running run.
        complete: True if every step has been trained.

    Raises RequestRefused: if the run's state doesn't allow the action.
    """
    if action not in RUN_ACTIONS:
        raise RequestRefused(f"A run can be asked to {', '.join(RUN_ACTIONS)}, not to {str(action)[:20]!r}.")
    if action == "resume":
        if state == "running":
            if request == "stop":
                raise RequestRefused(LABELS["being_stopped"])
            return "running", None  # a pause that was not obeyed yet is withdrawn
        if state == "queued":
            return "queued", None
        if complete or state == "finished":
            raise RequestRefused(LABELS["all_steps_done"])
        return "queued", None
    if state == "running":
        return "running", "stop" if request == "stop" else action
    if state == "queued":
        return ("paused" if action == "pause" else "stopped"), None
    if state == "paused" and action == "stop":
        return "stopped", None
    if state in ("paused", "stopped") or action == "stop":
        return state, None
    raise RequestRefused(LABELS["cant_pause_finished" if state == "finished" else "cant_pause_failed"])


def clean_display_name(text: str, fallback: str) -> str:
    """Return a name fit to be shown: one line, no control or direction-changing characters, at most 60 characters."""
    text = text if isinstance(text, str) else ""
    text = unicodedata.normalize("NFC", text[: 20 * NAME_LENGTH])
    # Categories C*: control, format (among them right-to-left overrides), surrogates, unassigned.
    text = "".join(" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(text.split())[:NAME_LENGTH].strip() or fallback


def is_experiment_spec(spec: dict[str, object]) -> bool:
    """Return whether a run's spec describes an experiment and not the training of one recipe."""
    return "experiment" in spec
