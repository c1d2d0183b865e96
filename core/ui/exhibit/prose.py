"""What a page itself says: `assets/rooms/<room>/page.md`, written as the words of an exhibit."""

from core.ui.exhibit.words import words_of
from core.ui.frame import layout
from core.ui.frame.room import Room


def header(room: Room) -> None:
    """The page's title, and one sentence of what there is to see."""
    words = words_of(room.package.rpartition(".")[2], "page")
    layout.page_header(words.title, words.look_for)


def prose(room: Room, name: str) -> None:
    """A paragraph of the page, "## name"; one whose name begins with a capital letter has it as its heading."""
    text = words_of(room.package.rpartition(".")[2], "page").sections[name].text
    if name[0].isupper():
        layout.section(name, text)
    else:
        layout.prose(text)
