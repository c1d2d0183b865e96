"""No pane is empty: every exhibit with its defaults, every step of every lesson with its guesses revealed.

"Let it write", the reward of two lessons, was drawn and hidden by a style sheet, and nobody noticed.
"""

from collections.abc import Callable
from typing import Any

import pytest

from core.lessons.format import catalog
from core.rooms import rooms
from tests.browser.panes import empty_in_lesson, empty_panes
from tests.counts import in_turn

LESSONS = catalog.catalog_lessons()
ROOMS = {room.address: room for room in rooms() if room.exhibits}
PARTS = 16


@pytest.mark.parametrize("address", in_turn(ROOMS, PARTS))
def test_every_exhibit_of_a_room_shows_something(url: str, open_page: Callable[..., Any], address: str) -> None:
    names, empty = empty_panes(
        open_page(f"{url}/{'' if address == 'home' else address}?open=all&depth=story", width=1440)
    )
    assert not empty
    assert set(names) == {entry.name for entry in ROOMS[address].exhibits}


@pytest.mark.parametrize("slug", in_turn(LESSONS, PARTS))
def test_every_step_of_a_lesson_shows_something(url: str, open_page: Callable[..., Any], slug: str) -> None:
    page = open_page(f"{url}/lessons?lesson={slug}&depth=story", width=1440)
    assert not empty_in_lesson(page, LESSONS[slug])
