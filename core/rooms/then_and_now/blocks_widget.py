"""The browser widget of two blocks and the switches between them; see `assets/widgets/then_and_now/two_blocks.js`."""

from collections.abc import Mapping
from typing import Any

from core.browser.linked import Chosen
from core.browser.message import pack
from core.rooms.then_and_now.compute.switches import N_LAYER, SWITCHES
from core.ui.widgets.mount import mount

NAMES = ("2017", "today", "yours")


def two_blocks(
    on: Chosen, *, says: Mapping[str, str], found: Mapping[str, str], hint: str, key: str, label: str, takeaway: str
) -> None:
    """Draw the block of 2017, and below it a second one, which the switches change.

    Args:
        on: the choice of the page that says which states of the second block are not those of 2017.
        says: switch -> what it is about, in a sentence.
        found: state -> what it did, in a sentence; none of those that may not be told yet.
        hint: stands there until a switch is pointed at.
        key: names the instance.
    """
    switches = [
        {
            "name": name,
            "title": one.title,
            "today": one.today,
            "says": says[name],
            "states": [
                {"name": state, "title": told.title, "paper": told.paper, "found": found.get(state, "")}
                for state, told in one.states.items()
            ],
        }
        for name, one in SWITCHES.items()
    ]
    header: dict[str, Any] = {
        "widget": "two_blocks",
        "switches": switches,
        "on": on,
        "names": NAMES,
        "n_layer": N_LAYER,
        "hint": hint,
        "chooses": {"on": on.name},
        "label": label,
        "takeaway": takeaway,
    }
    mount("two_blocks", key, pack(header, {}), height=420)
