"""Exhibits in a lesson and the things to do in them: the next one above the picture, the others below."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.data.localization.labels import module_labels
from core.lessons.format.lesson import ExhibitPart, ExhibitTask
from core.lessons.lesson_ui.conditions import StepBaseline, is_condition_met
from core.rooms import all_exhibits
from core.ui import state
from core.ui.controls import controls, drawn_controls
from core.ui.controls.controls import PresetRefused
from core.ui.frame import layout
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown
from core.ui.training import live_experiments

LABELS = module_labels(__name__)

REFRESH_SECONDS = 2.0  # while a run is training elsewhere


def show_exhibit(
    part: ExhibitPart, key: str, dos: Sequence[ExhibitTask], place: str, trains: frozenset[str] = frozenset()
) -> int:
    """Draw an exhibit and the things to do in it, and return how many of these are still open.

    Args:
        key: its controls are in the address as `key.name`.
        place: of the step, under which state is stored.
        trains: experiments that the reader has trained in this lesson so far; for all others the examples are shown.
    """
    entry = all_exhibits()[part.name]
    preset = controls.ControlOverrides(f"{key}.", part.values, frozenset(part.lock), frozenset(part.hide))
    try:
        with controls.apply_control_overrides(preset), live_experiments.use_shipped_runs(trains):
            args = entry.render_bar()
    except PresetRefused as refusal:
        _say(part, refusal)
        return 0
    if args is None:
        return 0  # nothing is shown, so there is nothing to do
    then = partial(_do_these, tuple(dos), f"{key}.", f"{place}.{key}") if dos else None
    within = partial(report_refused_presets, partial(_say, part), trains)
    # The exhibit's own tries are left out, because they could give later answers away.
    entry.show(*args, preset=preset, wrapper=within, has_try_chips=False, draw_below=then)
    return _n_open_task(dos, f"{place}.{key}")


def show_tasks_before_exhibits(dos: Sequence[ExhibitTask], place: str) -> int:
    """Draw the things to do before a step's first exhibit, such as runs elsewhere; return how many are open."""
    still = _n_open_task(dos, place)
    st.fragment(_do_these, run_every=REFRESH_SECONDS if still else None)(tuple(dos), "", place)
    return still


def _n_open_task(dos: Sequence[ExhibitTask], place: str) -> int:
    """Return how many of these things haven't been done yet."""
    return sum(not is_task_done(place, do) for do in dos)


def _do_these(dos: tuple[ExhibitTask, ...], prefix: str, place: str, above: DeltaGenerator | None = None) -> None:
    """Draw the things to do with the exhibit, and whether each is done. Once done, they stay done.

    The next thing to do is drawn in the box `above` the exhibit's picture; without that box all are drawn below it.
    """
    now = drawn_controls.page_controls_by_name()
    since = state.session_slot(f"lessons.{place}.since", StepBaseline)
    since.note_new(now)
    before = _n_open_task(dos, place)
    for do in dos:
        if is_condition_met(do.when, prefix, now, since):
            mark_task_done(place, do)
    first = next((do for do in dos if not is_task_done(place, do)), dos[-1])
    for do in dos:
        over = is_task_done(place, do)
        at = above if above is not None and do is first else nullcontext()
        with (
            at,
            st.container(key=page_element_key("do", f"{place.replace('.', '-')}-{do.line}{'-done' if over else ''}")),
        ):
            icon = ":material/check_circle:" if over else ":material/radio_button_unchecked:"
            layout.show_prose(f"{icon} {LABELS('done' if over else 'to_do', task=do.say)}")
    if _n_open_task(dos, place) != before:
        st.rerun()  # to update the buttons at the end of the step, which are outside the exhibit


def is_task_done(place: str, do: ExhibitTask) -> bool:
    """Return whether this has been done in this visit; `place` is the step's, or that of something in it."""
    return state.session_slot(_done(place, do), bool)


def mark_task_done(place: str, do: ExhibitTask) -> None:
    """Mark this as done in this visit."""
    state.set_session_slot(_done(place, do), True)


def _done(place: str, do: ExhibitTask) -> str:
    slug, number = place.split(".")[:2]
    return f"lessons.{slug}.{number}.done.{do.line}"


@contextmanager
def report_refused_presets(
    say: Callable[[PresetRefused], None], trains: frozenset[str] = frozenset()
) -> Iterator[None]:
    """Report a control that is set to an impossible value when an exhibit is drawn inside this context."""
    try:
        with live_experiments.use_shipped_runs(trains):
            yield
    except PresetRefused as refusal:
        say(refusal)


def _say(part: ExhibitPart, refusal: PresetRefused) -> None:
    st.warning(
        LABELS(
            "impossible_value", line=part.line, name=escape_markdown(part.name), refusal=escape_markdown(str(refusal))
        ),
        icon=":material/edit_note:",
    )
