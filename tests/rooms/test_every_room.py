"""Every room opens for somebody new: no fault, plain words, each term explained, links to the exhibits below.

What this catches, beside a page that does not open: a symbol, a formula or a name from the code among the plain words
and the names of controls; a term that is not explained (in bold) where it stands; a link at the top that leads nowhere.
"""

import re
from collections.abc import Iterator

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms import rooms
from core.ui.room import Room
from tests.pages.rooms import clean, linked
from tests.pages.test_app import ROOT
from tests.pages.test_story import SYMBOL, bold, jargon

WITHOUT_LINKS = {"home", "studio", "next_token"}
ROOMS = [room for room in rooms() if room.address not in ("lessons", "glossary")]


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
        if "On this page:" not in one.value and one.value not in cards:
            yield one.value


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.address)
def test_a_room_opens_in_plain_words_with_links_to_its_exhibits(room: Room) -> None:
    test = linked(str(ROOT / "app.py"), depth="story").run()
    if room.address != "home":
        test.switch_page(room.page)
        test.query_params["depth"] = "story"
        test.run()
    texts = list(told(clean(test)))
    named = [label for label in labels(test) if SYMBOL.search(label)]
    assert not named, f"controls with a symbol in their names: {named}"
    assert sum(map(len, texts)) > 300, "the page is no longer drawn"
    symbols = [f"{found[0]!r} in {text[:90]!r}" for text in texts if (found := SYMBOL.search(text))]
    assert not symbols, symbols
    text = "\n".join(texts)
    explained = bold(text)
    unexplained = [name for name, words in jargon() if words.search(text) and not words.search(explained)]
    assert not unexplained, f"used on this page and nowhere explained (in bold): {unexplained}"
    links = [line for line in (one.value for one in test.markdown) if "On this page" in line]
    assert len(links) == (room.address not in WITHOUT_LINKS)
    for line in links:
        assert re.findall(r"\]\(#([a-z0-9-]+)\)", line) == [heading.anchor for heading in test.subheader]
