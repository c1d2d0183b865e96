"""Every chip of every room is clicked: what it names is set, nothing breaks, and what to expect is said.

What this catches: a chip whose value no control takes any more, or that sets what only another room has.
"""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.generate.settings import Settings
from core.inputs import SHOW
from core.rooms import rooms
from core.ui.room import Room
from tests.pages.rooms import clean, linked
from tests.pages.test_app import ROOT

pytestmark = pytest.mark.full
ROOMS = [room for room in rooms() if room.exhibits]


def group(test: AppTest, key: str) -> Any:
    return next((one for one in test.button_group if one.key == key), None)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.address)
def test_each_chip_sets_what_it_names(room: Room) -> None:
    for entry in room.exhibits:
        tries = [one for one in entry.exhibit().words.tries if one.depth == "story"]
        for at, one in enumerate(tries):
            test = linked(str(ROOT / "app.py")).run()
            if room.section != "home":
                test.switch_page(room.page)
            test.query_params["only"] = entry.name
            chips = group(clean(test.run()), f"gf-try-{entry.name}-chips")
            if chips is None:  # it waits for a guess
                clean(group(test, f"{entry.name}_guess").set_value(SHOW).run())
                chips = group(test, f"gf-try-{entry.name}-chips")
            assert chips is not None, f"{entry.name} offers nothing to try"
            clean(chips.set_value(at).run())
            for name, (wanted, *_) in one.sets.items():
                assert any(_is(wanted, found) for found in stands(test, name)), (
                    one.do,
                    name,
                    wanted,
                    stands(test, name),
                )


def stands(test: AppTest, name: str) -> list[Any]:
    """Where a control stands, as the address would say it and as it is; what a picture keeps is only in the address."""
    asked = test.session_state["_state.asked"].get(name)
    if asked is not None:
        return [*asked.written, asked.value]
    return [test.query_params[name] if name in test.query_params else getattr(Settings(), name)]


def _is(wanted: str, stands: Any) -> bool:
    try:
        return float(wanted) == float(stands)
    except (ValueError, TypeError):
        return wanted.lower() in (str(stands).lower(), "")
