"""What was sent to the browser while an exhibit was drawn: the messages that its web page is made of."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Sent:
    """One message to a widget.

    Attributes:
        widget: its script.
        message: see `core.ui.widgets.message`.
        own_style: whether it stands apart from the page's style sheets.
    """

    widget: str
    message: bytes
    own_style: bool


_NOW: ContextVar[list[Sent] | None] = ContextVar("recording", default=None)


@contextmanager
def recording(into: list[Sent]) -> Iterator[None]:
    """Note every message that is sent inside."""
    token = _NOW.set(into)
    try:
        yield
    finally:
        _NOW.reset(token)


def note(widget: str, message: bytes, own_style: bool) -> None:
    """A message is sent."""
    if (into := _NOW.get()) is not None:
        into.append(Sent(widget, message, own_style))
