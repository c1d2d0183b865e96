"""The training studio's pieces, as its page puts them together."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import streamlit as st

from core.rooms.studio import recorded_example as example
from core.rooms.studio.chosen_run import Phase, chosen_run, phase_of
from core.rooms.studio.film import film
from core.rooms.studio.live import live
from core.rooms.studio.runs import runs
from core.rooms.studio.setup import panel
from core.ui.server.owner import owner_id
from core.ui.training.runs import store

__all__ = ["Look", "film", "live", "look", "nothing_yet", "panel", "runs"]

# Seconds between two looks. The film is sent anew as a whole, and a place in line changes slowly.
LIVE: Mapping[Phase, float | None] = MappingProxyType({"running": 0.3, "next": 0.3, "waiting": 1.0, "over": None})
FILM: Mapping[Phase, float | None] = MappingProxyType({"running": 3.0, "next": 3.0, "waiting": None, "over": None})
TABLE_SECONDS = 2.0


@dataclass(frozen=True)
class Look:
    """What the page looks at, and how often each piece looks again.

    Attributes:
        run_id: the run, or None if there is neither a run nor an example.
        is_named: whether the address names it: then it comes first, and the settings of the next one after it.
        phase: whether it goes on by itself.
        live_every, film_every, runs_every: seconds; None where nothing will change by itself.
    """

    run_id: str | None
    is_named: bool
    phase: Phase
    live_every: float | None
    film_every: float | None
    runs_every: float | None


def look() -> Look:
    """The run of the address; else this browser's newest; else the example that ships."""
    run = chosen_run()
    phase: Phase = "over" if run is None else phase_of(run)
    run_id = run.id if run is not None else example.ID if example.info() is not None else None
    any_active = any(one.active for one in store().list(owner_id()))
    is_named = run is not None and st.query_params.get("run") == run.id
    return Look(run_id, is_named, phase, LIVE[phase], FILM[phase], TABLE_SECONDS if any_active else None)


def nothing_yet() -> None:
    """What stands in the place of a run before there is one."""
    with st.container(border=True, key="studio-empty"):
        st.subheader("What will happen here")
        st.markdown(
            "1. The model starts from **random numbers**, so it guesses blindly: with 100 different letters, each gets "
            "a chance of 1 in 100. The **loss** (how much the real next letter surprises it) is then 4.6.\n"
            "2. In each **step** it reads a few pieces of the text, sees how wrong its guesses were, and nudges every "
            "number in it in the direction that would have been less wrong (**gradient descent**).\n"
            "3. Within seconds it knows which letters are frequent, then which follow one another, then words. The "
            "curve falls, its writing gets better, and its **attention heads** find something to do."
        )
