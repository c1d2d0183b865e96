"""Capture of the messages that are sent to the browser while an exhibit is drawn, to build its web page from them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from core.browser.message_packing import pack_message


@dataclass(frozen=True)
class MessageToWidget:
    """A message to a widget."""

    widget: str  # the widget's script
    message: bytes  # see `core.browser.message_packing`
    own_style: bool  # whether it is isolated from the page's style sheets


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite chart."""

    spec: Mapping[str, object]
    alt: str  # its content in words
    mode: str  # "light" or "dark", the theme of its colors


_NOW: ContextVar[tuple[list[object], bool] | None] = ContextVar("capture", default=None)


@contextmanager
def capture_widget_messages(into: list[Any], *, is_drawn: bool = True) -> Iterator[None]:
    """Record every message that is sent in the `with` block.

    Args:
        is_drawn: whether Streamlit also draws the widgets; False in a notebook.
    """
    token = _NOW.set((into, is_drawn))
    try:
        yield
    finally:
        _NOW.reset(token)


def record_sent_message(widget: str, message: bytes, own_style: bool) -> bool:
    """Record a message that is sent. Returns whether Streamlit should draw it."""
    into, is_drawn = _NOW.get() or ([], True)
    into.append(MessageToWidget(widget, message, own_style))
    return is_drawn


def choice_control_message(
    name: str, label: str, value: object, *, is_drawn: bool = True, **limits: object
) -> MessageToWidget:
    """Return the message of a choice on a page without a server.

    Args:
        is_drawn: whether it has a control; False if only clicks change it.
        limits: `low`, `high` and `step` of a number, or `most` letters of a text.
    """
    told = {"name": name, "label": label, "help": None, "range": "", "value": value, "default": value, "begins": ""}
    told |= {"of": None, "fixed": None, "hidden": not is_drawn, "digits": 0, **limits}
    return MessageToWidget("choice", pack_message({"choice": told}, {}), own_style=False)
