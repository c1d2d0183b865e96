"""A click in a picture moves a control; the control stays the one owner of its value.

A browser widget keeps its last click for as long as its key lives. The click is news only once: after that the person
may have moved the control away again, and the old click must not pull it back. So a script asks for the news before it
draws the control, and draws the picture under the key that it is given:

    pick = picks.news("heads.grid", text_key)
    if pick:
        controls.put("layer", pick["layer"])  # says so where a lesson or a link has locked it
    layer = …                             # asked for as `core.exhibit` declares it
    widgets.head_grid(…, key=picks.key("heads.grid", text_key, {"layer": layer}))

Values that have no control of their own (an edited row, the settings inside a widget) live in the address alone.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from core.ui import state
from core.ui.controls import visits
from core.ui.controls.references import name_of


def news(name: str, content: str, part: str = "pick") -> Any | None:
    """What was chosen in the picture since the last look, or None.

    Args:
        name: the picture's, unique on the page.
        content: tells what it shows, such as a digest; a choice belongs to what was shown.
        part: what the widget commits: "pick", "edit" or "settings".
    """
    if not has_news(name, content, part):
        return None
    chosen = _chosen(_key(name, content), part)
    state.put(_seen(name, part), (_key(name, content), chosen))
    return chosen


def has_news(name: str, content: str, part: str = "pick") -> bool:
    """Whether `news` would tell something. For a fragment whose click concerns the whole page: it asks for a rerun."""
    chosen = _chosen(_key(name, content), part)
    return chosen is not None and (_key(name, content), chosen) != state.slot(_seen(name, part), tuple)


def was_cleared(name: str, content: str, part: str = "pick") -> bool:
    """Whether the person took the last choice back; told once."""
    seen: tuple[object, ...] = state.slot(_seen(name, part), tuple)
    if not seen or seen[0] != _key(name, content) or _chosen(_key(name, content), part) is not None:
        return False
    state.forget(_seen(name, part))
    return True


def last(name: str) -> Any | None:
    """What was chosen last in a picture, as `news` has told it, in all its parts; None before that."""
    told = (str(key).removeprefix(f"{state.PREFIX}picks.seen.") for key in list(st.session_state))
    parts = sorted(part for part, _, whose in (one.partition(".") for one in told) if whose == name)
    seen: list[tuple[object, ...]] = [state.slot(_seen(name, part), tuple) for part in parts]
    return tuple(one for one in seen if one) or None


def key(name: str, content: str, current: object = None, part: str = "pick") -> str:
    """The key to draw the picture with.

    Streamlit hears of a choice only when it differs from the widget's last one. When the control has moved elsewhere
    since the last click, the widget starts afresh under another key, so that the same click counts again.

    Args:
        current: where the control stands now, in the form of the widget's choice; None: there is no such control.
    """
    chosen = _chosen(_key(name, content), part)
    if current is not None and chosen is not None and chosen != current and not has_news(name, content, part):
        state.put(_turn(name), state.slot(_turn(name), int) + 1)
    return _key(name, content)


def has_changed(name: str, content: str) -> bool:
    """Whether the page shows something else than at the last look; False where a link, or Back, says what it shows."""
    before = state.slot(f"picks.shown.{name}", lambda: content)
    state.put(f"picks.shown.{name}", content)
    return before != content and not visits.address_speaks()


def place(name: str, content: str, parameter: str, *sizes: int) -> tuple[int, ...] | None:
    """The token (one number) or cell (row and column) that was chosen last in a picture, which the address holds.

    None: none was, in what is shown now.

    Args:
        parameter: of the address.
        sizes: how many tokens, or how many rows and columns, there are.
    """
    if has_changed(f"{name}.{parameter}", content):
        remember(parameter, None)
    pick = news(name, content)
    if pick is not None:
        numbers = (pick.get("row"), pick.get("column")) if isinstance(pick, Mapping) else (pick,)
        if all(type(number) is int for number in numbers):  # else a forged message
            remember(parameter, ".".join(map(str, numbers)))
    parts = (remembered(parameter) or "").split(".")
    if len(parts) != len(sizes) or not all(part.isdecimal() and len(part) < 9 for part in parts):
        return None
    found = tuple(map(int, parts))
    return found if all(number < size for number, size in zip(found, sizes, strict=True)) else None


def remember(choice: object, value: str | None) -> None:
    """Keep a value in the address that no control holds; None takes it out."""
    name = name_of(choice)
    visits.wrote(name, value)
    if value is None:
        if name in st.query_params:
            del st.query_params[name]
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def remembered(name: str) -> str | None:
    """What `remember` kept, or what a link says; it may be anything, so check it."""
    return st.query_params.get(name)


def _key(name: str, content: str) -> str:
    return f"{name}:{content}.{state.slot(_turn(name), int)}"


def _turn(name: str) -> str:
    return f"picks.turn.{name}"


def _seen(name: str, part: str) -> str:
    return f"picks.seen.{part}.{name}"


def _chosen(widget_key: str, part: str) -> object:
    held = st.session_state.get(widget_key)
    return held.get(part) if isinstance(held, Mapping) else None
