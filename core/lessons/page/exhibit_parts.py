"""Exhibits in a lesson and the things to do in them: the next one above the picture, the others below."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.lessons.format.lesson import Do, ExhibitPart
from core.lessons.page.conditions import Since, is_done
from core.rooms import exhibits
from core.ui import state
from core.ui.controls import control_log, controls
from core.ui.controls.controls import PresetRefused
from core.ui.frame import layout
from core.ui.frame.element_keys import frame_key
from core.ui.text import escape_markdown
from core.ui.training import experiments

LOOK_AGAIN_SECONDS = 2.0  # while a run is training elsewhere


def show_exhibit(
    part: ExhibitPart, key: str, dos: Sequence[Do], place: str, trains: frozenset[str] = frozenset()
) -> int:
    """Draw an exhibit and the things to do in it, and return how many of these are still open.

    Args:
        key: its controls are in the address as `key.name`.
        place: of the step, under which state is stored.
        trains: experiments that the reader has trained in this lesson so far; for all others the examples are shown.
    """
    entry = exhibits()[part.name]
    preset = controls.Presets(f"{key}.", part.values, frozenset(part.lock), frozenset(part.hide))
    try:
        with controls.presets(preset), experiments.pinned(trains):
            args = entry.ask()
    except PresetRefused as refusal:
        _say(part, refusal)
        return 0
    if args is None:
        return 0  # nothing is shown, so there is nothing to do
    then = partial(_do_these, tuple(dos), f"{key}.", f"{place}.{key}") if dos else None
    within = partial(guarded, partial(_say, part), trains)
    # The exhibit's own tries are left out, because they could give later answers away.
    entry.show(*args, preset=preset, within=within, has_tries=False, then=then)
    return n_open(dos, f"{place}.{key}")


def show_loose(dos: Sequence[Do], place: str) -> int:
    """Draw the things to do before a step's first exhibit, such as runs elsewhere; return how many are open."""
    still = n_open(dos, place)
    st.fragment(_do_these, run_every=LOOK_AGAIN_SECONDS if still else None)(tuple(dos), "", place)
    return still


def n_open(dos: Sequence[Do], place: str) -> int:
    """Return how many of these things haven't been done yet."""
    return sum(not is_done_here(place, do) for do in dos)


def _do_these(dos: tuple[Do, ...], prefix: str, place: str, above: DeltaGenerator | None = None) -> None:
    """Draw the things to do with the exhibit, and whether each is done. Once done, they stay done.

    The next thing to do is drawn in the box `above` the exhibit's picture; without that box all are drawn below it.
    """
    now = control_log.here()
    since = state.slot(f"lessons.{place}.since", Since)
    since.look(now)
    before = n_open(dos, place)
    for do in dos:
        if is_done(do.when, prefix, now, since):
            mark_done(place, do)
    first = next((do for do in dos if not is_done_here(place, do)), dos[-1])
    for do in dos:
        over = is_done_here(place, do)
        at = above if above is not None and do is first else nullcontext()
        with at, st.container(key=frame_key("do", f"{place.replace('.', '-')}-{do.line}{'-done' if over else ''}")):
            icon = ":material/check_circle:" if over else ":material/radio_button_unchecked:"
            layout.prose(f"{icon} **{'Done.' if over else 'Do this.'}** {do.say}")
    if n_open(dos, place) != before:
        st.rerun()  # to update the buttons at the end of the step, which are outside the exhibit


def is_done_here(place: str, do: Do) -> bool:
    """Return whether this has been done in this visit; `place` is the step's, or that of something in it."""
    return state.slot(_done(place, do), bool)


def mark_done(place: str, do: Do) -> None:
    """Mark this as done in this visit."""
    state.put(_done(place, do), True)


def _done(place: str, do: Do) -> str:
    slug, number = place.split(".")[:2]
    return f"lessons.{slug}.{number}.done.{do.line}"


@contextmanager
def guarded(say: Callable[[PresetRefused], None], trains: frozenset[str] = frozenset()) -> Iterator[None]:
    """Report a control that is set to an impossible value when an exhibit is drawn inside this context."""
    try:
        with experiments.pinned(trains):
            yield
    except PresetRefused as refusal:
        say(refusal)


def _say(part: ExhibitPart, refusal: PresetRefused) -> None:
    st.warning(
        f"Line {part.line} of this lesson sets a control of {escape_markdown(part.name)} to a value it can't have. "
        f"{escape_markdown(str(refusal))}",
        icon=":material/edit_note:",
    )
