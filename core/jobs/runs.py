"""What a run is: its record, its states, and what a person may ask of it."""

import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

STATES = ("queued", "running", "paused", "stopped", "finished", "failed")
ACTIONS = ("pause", "resume", "stop")
NAME_LENGTH = 60


class RunNotFound(LookupError):
    """There is no such run, or it belongs to somebody else: one answer for both, so that ids tell nothing."""

    def __init__(self) -> None:
        super().__init__("This run doesn't exist, or it isn't yours.")


class RequestRefused(ValueError):
    """The run is in no state for what was asked; the message says why in plain words."""


# How a job ended: by itself, or because it was asked to.
Outcome = Literal["finished", "pause", "stop", "yield"]


@dataclass(frozen=True)
class JobSpec:
    """All that a job needs: plain data, so that it can be sent anywhere.

    `folder` is where checkpoints go; when there is one already, the run goes on from it. `text` is what it trains on
    where the machine need not have its corpus. `until`: of a run of a sweep, which pauses after this step, and leaves
    one frame, at its end.
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

    `step` counts steps whose points are stored, `seconds` is wall-clock spent training (over all sittings),
    `tokens_per_second` the rate of the last few seconds. Times are Unix seconds, None where not reached yet.
    `request` is what was asked of a running run and not yet obeyed: "pause", "stop" or None. `sweep` is the id of the
    sweep that it belongs to, `until` the step at which it is compared with the others. `watch`: tensors that are
    kept with its frames, see `core.train.watch.query`.
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

    @property
    def active(self) -> bool:
        """Whether something is still going to happen without anybody asking: worth polling."""
        return self.state in ("queued", "running")

    @property
    def can_resume(self) -> bool:
        """Whether `resume` would lead anywhere."""
        return self.state in ("paused", "stopped", "failed") and self.step < self.n_step and self.sweep is None


def decide(state: str, request: str | None, action: str, *, complete: bool) -> tuple[str, str | None]:
    """What a person's request does to a run: the new state and what remains to be asked of the worker.

    Asking twice is no mistake: the second press of a button changes nothing. `request` is what the worker of a running
    run has been asked already; `complete`, whether every step has been trained.

    Raises RequestRefused where it makes no sense, in plain words.
    """
    if action not in ACTIONS:
        raise RequestRefused(f"A run can be asked to {', '.join(ACTIONS)}, not to {str(action)[:20]!r}.")
    if action == "resume":
        if state == "running":
            if request == "stop":
                raise RequestRefused("This run is being stopped right now; you can resume it in a moment.")
            return "running", None  # a pause that was not obeyed yet is taken back
        if state == "queued":
            return "queued", None
        if complete or state == "finished":
            raise RequestRefused("This run has done all its steps; there's nothing left to resume.")
        return "queued", None
    if state == "running":
        return "running", "stop" if request == "stop" else action
    if state == "queued":
        return ("paused" if action == "pause" else "stopped"), None
    if state == "paused" and action == "stop":
        return "stopped", None
    if state in ("paused", "stopped") or action == "stop":
        return state, None
    raise RequestRefused(f"This run has {'finished' if state == 'finished' else 'failed'}: it can't be paused.")


def clean_name(text: str, fallback: str) -> str:
    """A name fit to be shown: one line, no control or direction-changing characters, at most 60 characters."""
    text = text if isinstance(text, str) else ""
    text = unicodedata.normalize("NFC", text[: 20 * NAME_LENGTH])
    # Categories C*: control, format (among them right-to-left overrides), surrogates, unassigned.
    text = "".join(" " if c.isspace() else c for c in text if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join(text.split())[:NAME_LENGTH].strip() or fallback


def is_experiment(spec: dict[str, object]) -> bool:
    """Whether the spec of a run asks for an experiment and not for the training of one recipe."""
    return "experiment" in spec
