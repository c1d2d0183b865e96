"""A text and a model come along from room to room, and the address of the room they come to names them.

What this catches: a room that shows what was typed in the room before while its address, copied, shows something else.
"""

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms import rooms
from core.ui.room import Room
from tests.pages.rooms import clean, linked
from tests.pages.test_app import ROOT

pytestmark = pytest.mark.full
TEXT, MODEL = "Tom and Mia", "stories-alibi"
COME_ALONG = ("text", "model")
ROOMS = [room for room in rooms() if room.exhibits]


def arrived(room: Room) -> AppTest:
    """A room at its first visit, with a text and a model from the heads' room."""
    test = linked(str(ROOT / "app.py")).run()
    test.switch_page(next(one for one in ROOMS if one.address == "heads").page)
    test.query_params["text"], test.query_params["model"] = TEXT, MODEL
    clean(test.run())
    return clean(test.switch_page(room.page).run())


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.address)
def test_what_comes_along_stands_in_the_address_of_each_room(room: Room) -> None:
    test = arrived(room)
    asked = test.session_state["_state.asked"]
    carried = {
        name: list(one.address_values)
        for name, one in asked.items()
        if name.split(".")[0] in COME_ALONG and one.is_moved
    }
    said = {name: as_list(values) for name, values in test.query_params.items() if name.split(".")[0] in COME_ALONG}
    assert said == carried, f"{room.address}: its address doesn't say what it shows"
    copy = linked(str(ROOT / "app.py")).run()
    copy.switch_page(room.page)
    for name, values in test.query_params.items():
        copy.query_params[name] = values
    shown = clean(copy.run()).session_state["_state.asked"]
    assert {name: one.value for name, one in shown.items()} == {name: one.value for name, one in asked.items()}


def as_list(values: str | list[str]) -> list[str]:
    return [values] if isinstance(values, str) else values
