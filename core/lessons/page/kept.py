"""Which homework is done on this page, and keeping what is answered in it."""

from typing import Any

import streamlit as st

from core.lessons.homework import answers
from core.lessons.homework.assignment import PARAMETER, Assignment, read
from core.ui.server.identity.owner import owner_id


def given() -> Assignment | None:
    """The homework that the address names, if it is of the lesson that is shown."""
    found = read(st.query_params.get(PARAMETER, ""))
    return found if found is not None and found.lesson == st.query_params.get("lesson") else None


def note(place: str, answer: Any) -> None:
    """Keep what was answered; `place` as the questions have it, "masks.2.1". For callbacks."""
    if (one := given()) is not None and place.startswith(f"{one.lesson}."):
        plain = [float(value) for value in answer] if hasattr(answer, "__len__") and type(answer) is not str else answer
        answers.note(owner_id(), one, place.removeprefix(f"{one.lesson}."), plain)
