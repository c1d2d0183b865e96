"""Every chip of every room is clicked: what it names is set, nothing breaks, and what to expect is said.

What this catches: a chip whose value no control takes any more, or that sets what only another room has.
"""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms import rooms
from core.ui.room import Room
from tests.pages.rooms import clean, linked
from tests.pages.test_app import ROOT

pytestmark = pytest.mark.full
ROOMS = [room for room in rooms() if room.exhibits]


def group(test: AppTest, name: str) -> Any:
    return next((one for one in test.button_group if one.key == f"try-{name}-chips"), None)


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.address)
def test_each_chip_sets_what_it_names(room: Room) -> None:
    for entry in room.exhibits:
        tries = [one for one in entry.exhibit().words.tries if one.depth == "story"]
        for at, one in enumerate(tries):
            test = linked(str(ROOT / "app.py")).run()
            if room.section != "home":
                test.switch_page(room.page)
            test.query_params["only"] = entry.name
            chips = group(clean(test.run()), entry.name)
            assert chips is not None, f"{entry.name} offers nothing to try"
            clean(chips.set_value(at).run())
            for name, (wanted, *_) in one.sets.items():
                # A control that stands at its default is not in the address.
                came = test.query_params[name] if name in test.query_params else test.session_state[name]
                stands = str(came[0] if isinstance(came, list) else came)
                assert wanted.lower() in (stands.lower(), "") or float(wanted) == float(stands), (entry.name, one.do)
