"""Every room opens for somebody new: no fault, plain words, links to the exhibits below.

What this catches, beside a page that does not open: a symbol, a formula or a name from the code among the plain words
and the names of controls; a link at the top that leads nowhere; a chip that sets what is not there. (What a term means
the page itself says, under the pointer and in a list: `tests/browser/test_walk.py`.)
"""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms import rooms
from core.ui.exhibit.completion_conditions import condition_problem, names_in_condition
from core.ui.exhibit.try_chips import _checked_value
from core.ui.frame.depth import DEPTHS
from core.ui.room import Room
from tests.counts import in_turn
from tests.pages.rooms import clean, linked
from tests.pages.test_app import ROOT
from tests.pages.test_story import SYMBOL

LINKS = re.compile(r"^- \[.*\]\(#([a-z0-9-]+)\)$", re.MULTILINE)  # the row of links to the exhibits
WITHOUT_LINKS = {"home", "studio", "sweeps", "model_map"}
LIGHT = ("then_and_now", "experts", "long_texts", "fewer_bits", "adapters", "draft_and_verify")  # at the depth Story
ROOMS = [room for room in rooms() if room.address not in ("lessons", "glossary", "start_a_class", "homework")]


def labels(test: AppTest) -> Iterator[str]:
    """What the controls are called, with the help beside them, and all choices that are in sight."""
    for kind in ("slider", "selectbox", "text_input", "text_area", "number_input", "toggle", "button_group", "button"):
        for one in getattr(test, kind):
            yield one.label
            yield getattr(one, "help", None) or ""
            if kind == "button_group":
                yield from map(str, one.options)


def told(test: AppTest) -> Iterator[str]:
    """All that a page says, but for the choices of its controls, and Home's cards: they call models by their names."""
    cards = [room.card for room in rooms()]
    for one in (*test.title, *test.header, *test.subheader, *test.markdown, *test.caption, *test.info, *test.warning):
        if not LINKS.search(one.value) and one.value not in cards:
            yield one.value


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.address)
def test_a_room_opens_in_plain_words_with_links_to_its_exhibits(room: Room) -> None:
    test = opened(room, depth="story", open="all")
    texts = list(told(clean(test)))
    named = [label for label in labels(test) if SYMBOL.search(label)]
    assert not named, f"controls with a symbol in their names: {named}"
    assert sum(map(len, texts)) > 300, "the page is no longer drawn"
    fields = [one.label for one in test.text_area] + [
        "Your text" for one in test.text_input if one.label == "Your text"
    ]
    assert len({*fields}) == len(fields), f"boxes of one name: {fields}"
    symbols = [f"{found[0]!r} in {text[:90]!r}" for text in texts if (found := SYMBOL.search(text))]
    assert not symbols, symbols
    links = [line for line in (one.value for one in test.markdown) if LINKS.search(line)]
    assert len(links) == (room.address not in WITHOUT_LINKS)
    for line in links:
        assert LINKS.findall(line) == [heading.anchor for heading in test.subheader]


@pytest.mark.parametrize("room", in_turn((room for room in ROOMS if room.exhibits), 6), ids=lambda room: room.address)
def test_a_link_to_one_exhibit_shows_it_alone(room: Room) -> None:
    last = room.exhibits[-1]
    test = clean(opened(room, only=last.name))
    assert [heading.anchor for heading in test.subheader] == [last.name]
    assert not [one for one in test.markdown if LINKS.search(one.value)]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.address)
def test_what_a_chip_sets_is_there_to_be_set(room: Room) -> None:
    for entry in room.exhibits:
        exhibit = entry.exhibit()
        inputs = exhibit.module.Inputs
        declared = {control.name for _, control in inputs.controls()}
        has_own_ways = any(control.kind == "custom" for _, control in inputs.controls())
        for one in exhibit.text.try_chips:
            for name, values in one.settings.items():
                assert name in declared or has_own_ways, f"{entry.name}: “{one.action}” sets {name}"
                if name in declared:
                    _checked_value(name, values, inputs())


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.address)
def test_what_a_chip_waits_for_can_come(room: Room) -> None:
    """A condition that names what is not there, or at this depth is not in sight, would never tick its chip."""
    asked = [{one.name: one for _, one in entry.exhibit().module.Inputs.controls()} for entry in room.exhibits]
    has_picker = any("custom" in {control.kind for control in controls.values()} for controls in asked)
    for entry, declared in zip(room.exhibits, asked, strict=True):
        exhibit = entry.exhibit()
        has_own_ways = any(control.kind == "custom" for control in declared.values())
        for one in exhibit.text.try_chips:
            if not one.is_detectable:
                continue
            assert condition_problem(one.done_when, frozenset(entry.experiments)) is None, (
                f"{entry.name}: “{one.action}”"
            )
            for name in names_in_condition(one.done_when):
                assert name in declared or has_own_ways or (name == "model" and has_picker), (
                    f"{entry.name}: “{one.action}” waits for {name}"
                )
                if name in declared and name not in one.settings:
                    depths = declared[name].depth, one.depth
                    assert DEPTHS.index(depths[0]) <= DEPTHS.index(depths[1]), f"{entry.name}: {name} is not in sight"


@pytest.mark.parametrize("room", [room for room in ROOMS if room.address in LIGHT], ids=lambda room: room.address)
def test_somebody_new_finds_two_controls_at_most(room: Room) -> None:
    """Catches one more control that a newcomer has to read; a guess counts as one."""
    for entry in room.exhibits:
        inputs = entry.exhibit().module.Inputs
        shared = dict(inputs.shared_inputs().controls()) if inputs.shared_inputs() else {}
        own = [control for field, control in inputs.controls() if field not in shared and control.kind != "picked"]
        asked = [one.label for one in own if one.depth == "story" and (one.view is None or one.view.is_drawn)]
        assert len(asked) <= 2, f"{entry.name}: {asked}"


def opened(room: Room, **address: str) -> AppTest:
    """The app with this room open at an address."""
    test = linked(str(ROOT / "app.py"), **address).run()
    if room.section != "home":
        test.switch_page(room.page)
        for name, value in address.items():
            test.query_params[name] = value
        test.run()
    return test
