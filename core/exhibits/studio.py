"""The training studio's pieces, as its page puts them together."""

from dataclasses import dataclass

import streamlit as st

from core.exhibits import studio_example as example
from core.exhibits.studio_facts import store
from core.exhibits.studio_film import EVERY_SECONDS as FILM_SECONDS
from core.exhibits.studio_film import film
from core.exhibits.studio_live import EVERY_SECONDS as LIVE_SECONDS
from core.exhibits.studio_live import live
from core.exhibits.studio_run import chosen_run
from core.exhibits.studio_runs import EVERY_SECONDS as RUNS_SECONDS
from core.exhibits.studio_runs import runs
from core.exhibits.studio_setup import panel
from core.ui.owner import owner_id

__all__ = [
    "FILM_SECONDS",
    "LIVE_SECONDS",
    "RUNS_SECONDS",
    "Look",
    "film",
    "live",
    "look",
    "nothing_yet",
    "panel",
    "runs",
]


@dataclass(frozen=True)
class Look:
    """What the page looks at.

    Attributes:
        run_id: the run, or None if there is neither a run nor an example.
        active: whether it goes on by itself.
        any_active: whether any run of this browser does.
    """

    run_id: str | None
    active: bool
    any_active: bool


def look() -> Look:
    """The run of the address; else this browser's newest; else the example that ships."""
    run = chosen_run()
    any_active = any(one.active for one in store().list(owner_id()))
    if run is not None:
        return Look(run.id, run.active, any_active)
    return Look(example.ID if example.info() is not None else None, False, any_active)


def nothing_yet() -> None:
    """What stands in the place of a run before there is one."""
    with st.container(border=True, key="studio-empty"):
        st.subheader("What will happen here")
        st.markdown(
            "1. The model begins with **random numbers**, so it guesses blindly: with 100 different letters, each gets "
            "a chance of 1 in 100, and the **loss** (its surprise at the real next letter) is ln 100 = 4.6.\n"
            "2. In each **step** it reads a few pieces of the text, sees how wrong its guesses were, and every number "
            "in it moves a little in the direction that would have been less wrong (**gradient descent**).\n"
            "3. After some seconds it knows which letters are frequent, then which follow one another, then words. "
            "The curve falls, the text it writes gets better, and its **attention heads** find something to do."
        )
