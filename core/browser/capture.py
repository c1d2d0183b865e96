"""The messages that were sent to the browser while an exhibit was drawn: its web page is made of them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from core.browser.message import pack


@dataclass(frozen=True)
class Sent:
    """One message to a widget."""

    widget: str  # its script
    message: bytes  # see `core.browser.message`
    own_style: bool  # whether it stands apart from the page's style sheets


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite chart."""

    spec: Mapping[str, object]
    alt: str  # what it shows, in words
    mode: str  # "light" or "dark", for which its colors are made


_NOW: ContextVar[tuple[list[object], bool] | None] = ContextVar("capture", default=None)


@contextmanager
def capture(into: list[Any], *, is_drawn: bool = True) -> Iterator[None]:
    """Note every message that is sent inside.

    Args:
        is_drawn: whether it is drawn by Streamlit too; in a notebook there is none.
    """
    token = _NOW.set((into, is_drawn))
    try:
        yield
    finally:
        _NOW.reset(token)


def note(widget: str, message: bytes, own_style: bool) -> bool:
    """A message is sent. Gives whether Streamlit is to draw it."""
    into, is_drawn = _NOW.get() or ([], True)
    into.append(Sent(widget, message, own_style))
    return is_drawn


def choice(name: str, label: str, value: object, *, is_drawn: bool = True, **limits: object) -> Sent:
    """A choice of a page that no server has asked for.

    Args:
        is_drawn: whether it has a control, or only clicks move it.
        limits: `low`, `high` and `step` of a number, or `most` letters of a text.
    """
    told = {"name": name, "label": label, "help": None, "range": "", "value": value, "default": value, "begins": ""}
    told |= {"of": None, "fixed": None, "hidden": not is_drawn, "digits": 0, **limits}
    return Sent("choice", pack({"choice": told}, {}), own_style=False)
