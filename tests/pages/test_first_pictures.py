"""The first picture of a room is light: a phone on a slow line sees it within ten seconds of arriving."""

import pytest

from core.browser.message_capture import MessageToWidget
from core.rooms import rooms
from tests.drawn import drawn

FIRST = [f"{room.name}.{room.exhibits[0].name}" for room in rooms() if room.exhibits]
MOST_BYTES = 60_000


@pytest.mark.parametrize("name", FIRST)
def test_the_first_picture_needs_little_data(name: str) -> None:
    shown = drawn(name, depth="story")  # as a new visitor gets it
    assert shown.drawing is not None and shown.drawing.messages
    sizes = {sent.widget: len(sent.message) for sent in shown.drawing.messages if isinstance(sent, MessageToWidget)}
    assert sum(sizes.values()) <= MOST_BYTES, sizes
