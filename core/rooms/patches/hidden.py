"""Which patches are hidden: in the address, changed by clicks and buttons, and taken back step by step."""

from collections.abc import Collection

import streamlit as st

from core.ui import state
from core.ui.controls import picks
from core.ui.text import escape_markdown

ADDRESS = "hide.gone"
_HISTORY = "patches.hide.history"
MOST_STEPS = 50  # that can be undone


def to_address(gone: Collection[int], n_patch: int) -> str:
    """Such as "16.5": of 16 patches the first and the third. The digits after the point are bits, as one hex number.

    Example:
        `to_address([0, 2], 16) == "16.5"`
    """
    return f"{n_patch}.{sum(1 << patch for patch in set(gone)):x}"


def from_address(text: str, n_patch: int) -> list[int]:
    """The hidden patches that an address tells, rising.

    Raises:
        ValueError: if it is none of these, in plain words.
    """
    count, point, bits = text.partition(".")
    is_hex = bool(bits) and len(bits) <= n_patch // 4 + 1 and all(one in "0123456789abcdef" for one in bits)
    if not point or not is_hex or not (count.isascii() and count.isdigit()):
        raise ValueError("The link's hidden patches cannot be read.")
    if count.lstrip("0") != str(n_patch):
        raise ValueError(f"The link hides patches of a picture with {count[:6]} patches; this one has {n_patch}.")
    number = int(bits, 16)
    if number >> n_patch:
        raise ValueError(f"The link hides a patch beyond the {n_patch} there are.")
    return [patch for patch in range(n_patch) if number >> patch & 1]


def gone(n_patch: int) -> list[int]:
    """The patches that are hidden now; none, after plain words, where the address makes no sense."""
    text = picks.remembered(ADDRESS)
    if text is None:
        return []
    try:
        return from_address(text, n_patch)
    except ValueError as refused:
        st.warning(f"{escape_markdown(refused)} No patch is hidden.")
        picks.remember(ADDRESS, None)
        return []


def _history() -> list[str | None]:
    return state.slot(_HISTORY, list)


def change(new: Collection[int], n_patch: int) -> None:
    """Hide exactly these; what was hidden before can be had back."""
    history = _history()
    history.append(picks.remembered(ADDRESS))
    del history[:-MOST_STEPS]
    picks.remember(ADDRESS, to_address(new, n_patch) if new else None)


def undo() -> None:
    """Take the last change back."""
    history = _history()
    if history:
        picks.remember(ADDRESS, history.pop())


def can_undo() -> bool:
    """Whether there is a change to take back."""
    return bool(_history())
