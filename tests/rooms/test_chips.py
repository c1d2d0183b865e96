"""Every chip of every room is clicked: one that acts sets what it names, one that asks isn't ticked before it is done.

What this catches: a chip whose value no control takes any more, or that sets what only another room has; one that is
lost because an older address undoes it; one that tells of a result that isn't there; a text that a reload forgets.
The second chip is clicked after the first, and so on, in one session, as a person does.
"""

import zlib
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.generate.settings import Settings
from core.inputs import SHOW
from core.rooms import rooms
from core.ui.exhibit.words import FOLDER
from core.ui.room import Entry, Room
from tests.pages.rooms import clean, linked
from tests.pages.test_app import ROOT

ROOMS = [room for room in rooms() if room.exhibits]
ALL = [(room, entry) for room in ROOMS for entry in room.exhibits if entry.exhibit().words.tries]
WAITS = "Your turn."


def today() -> list[tuple[Room, Entry]]:
    """One exhibit for the run at every change, another one with each change of the words."""
    words = b"".join(file.read_bytes() for file in sorted(FOLDER.glob("*/*.md")))
    return [ALL[zlib.crc32(words) % len(ALL)]]


def of(place: tuple[Room, Entry]) -> str:
    return f"{place[0].address}.{place[1].name}"


@pytest.mark.slow
@pytest.mark.parametrize("place", today(), ids=of)
def test_the_chips_of_an_exhibit_do_what_they_say(place: tuple[Room, Entry]) -> None:
    press_all(*place)


@pytest.mark.full
@pytest.mark.parametrize("place", ALL, ids=of)
def test_each_chip_does_what_it_says(place: tuple[Room, Entry]) -> None:
    press_all(*place)


def press_all(room: Room, entry: Entry) -> None:
    """Press one chip after the other; after each, the page says and shows what it should, and its address does."""
    test = opened(room, entry)
    for number, one in enumerate(entry.exhibit().words.tries, 1):
        chips = chips_of(test)
        if chips is None:  # a chip before it has emptied the text or chosen what can't be shown
            test = opened(room, entry)
            chips = chips_of(test)
        clean(chips.set_value(number).run())
        where = f"{entry.name}: “{one.do}”"
        if not chosen(
            test, entry
        ):  # what it sets does not fit what the chip before has chosen: in a fresh page it does
            test = opened(room, entry)
            clean(chips_of(test).set_value(number).run())
        assert chosen(test, entry) in ([str(number)], [str(number), "done"]), f"{where} is not in the address"
        for name, (wanted, *_) in one.sets.items():
            assert any(_is(wanted, found) for found in stands(test, name)), (where, name, wanted, stands(test, name))
        said = next(text.value for text in test.markdown if f"**{one.do}**" in text.value or WAITS in text.value)
        assert (WAITS in said) is not (one.acts or chosen(test, entry)[-1] == "done"), f"{where} says {said}"
        again = opened(room, entry, **{name: values for name, values in test.query_params.items() if name != "only"})
        if all(name in test.query_params or _is_default(test, name) for name in one.sets):
            assert said.split("*(")[0] in " ".join(text.value for text in again.markdown), f"{where} is gone in a copy"


def opened(room: Room, entry: Entry, **address: Any) -> AppTest:
    """The exhibit alone, with its guess revealed."""
    test = linked(str(ROOT / "app.py")).run()
    if room.section != "home":
        test.switch_page(room.page)
    for name, value in (address | {"only": entry.name}).items():
        test.query_params[name] = value
    clean(test.run())
    guess = next((one for one in test.button_group if str(one.key).endswith("_guess")), None)
    if chips_of(test) is None and guess is not None:
        clean(guess.set_value(SHOW).run())
    assert chips_of(test) is not None, f"{entry.name} offers nothing to try"
    return test


def chips_of(test: AppTest) -> Any:
    return next((one for one in test.button_group if "try-" in str(one.key) and str(one.key).endswith("-chips")), None)


def chosen(test: AppTest, entry: Entry) -> list[str]:
    """The number of the chosen chip in the address, and “done” where it is."""
    said = test.query_params.get("try", "")
    name, _, rest = ("".join(said) if isinstance(said, list) else said).partition(".")
    return rest.split(".") if name == entry.name else []


def stands(test: AppTest, name: str) -> list[Any]:
    """Where a control stands, as the address would say it and as it is; what a picture keeps is only in the address."""
    asked = test.session_state["_state.asked"].get(name)
    if asked is not None:
        return [*asked.written, asked.value]
    said = test.query_params.get(name)
    return [*([said] if isinstance(said, str) else said or []), *([getattr(Settings(), name)] if said is None else [])]


def _is_default(test: AppTest, name: str) -> bool:
    asked = test.session_state["_state.asked"].get(name)
    return asked is not None and not asked.is_moved


def _is(wanted: str, stands: Any) -> bool:
    try:
        return float(wanted) == float(stands)
    except (ValueError, TypeError):
        return wanted.lower() in (str(stands).lower(), "")
