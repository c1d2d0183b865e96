"""The homework of the current page, and storing its answers.

Answers are only stored under a link that this server signed. Without one, a lesson is practice.
"""

from contextlib import suppress
from typing import Any

import streamlit as st

from core.data.localization.labels import module_labels
from core.lessons.homework import answer_store
from core.lessons.homework.assignment import HOMEWORK_PARAMETER, Assignment, verified_assignment
from core.ui import state
from core.ui.server.identity.anonymous_owner import owner_id
from core.ui.server.identity.visitor import visitor_address_digest

LABELS = module_labels(__name__)

_PROBLEM = "homework.not_kept"


def current_assignment() -> Assignment | None:
    """Return the homework that the address names, if this server signed it and it is for the current lesson."""
    with suppress(OSError):  # `current_homework_problem` reports it
        return _linked()
    return None


def current_homework_problem() -> str:
    """Return a message if there is no homework or the last answer wasn't stored, or "" if all is well."""
    if HOMEWORK_PARAMETER not in st.query_params:
        return ""
    try:
        if _linked() is None:
            return LABELS["changed_link"]
    except OSError as error:
        return LABELS("no_key", error=error)
    return state.session_slot(_PROBLEM, str)


def store_homework_answer(place: str, answer: Any) -> None:
    """Store an answer; `place` is in the form of the questions, "masks.2.1". For callbacks."""
    if (one := current_assignment()) is None or not place.startswith(f"{one.lesson}."):
        return
    plain = [float(value) for value in answer] if hasattr(answer, "__len__") and type(answer) is not str else answer
    try:
        answer_store.store_answer(
            owner_id(), one, place.removeprefix(f"{one.lesson}."), plain, visitor_address_digest()
        )
        state.set_session_slot(_PROBLEM, "")
    except (answer_store.AnswerNotStored, OSError) as error:
        state.set_session_slot(_PROBLEM, str(error))


def _linked() -> Assignment | None:
    found = verified_assignment(st.query_params.get(HOMEWORK_PARAMETER, ""))
    return found if found is not None and found.lesson == st.query_params.get("lesson") else None
