"""The declaration of a room, read before heavy imports: its page, its card and its exhibits in order."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.ui.frame.element_keys import frame_key
from core.ui.room_files import TEXTS, is_installed, package_folder, text_folder

if TYPE_CHECKING:
    from core.ui.exhibit.exhibit import Exhibit


@dataclass(frozen=True)
class Entry:
    """The registration of an exhibit: where it is defined, and what it needs to be shown in a lesson or a test."""

    place: str  # module of the room and the exhibit's name: "kinds:kinds_of_masks"
    live: tuple[str, ...] = ()  # the experiments whose runs it follows
    is_listed: bool = True  # whether it is in the page's row of links
    is_folded: bool = False  # whether its page shows only its heading until somebody opens it, for advanced exhibits
    package: str = ""  # of its room, which sets it

    @property
    def module(self) -> str:
        """The module that defines it: "core.rooms.masks.kinds"."""
        return f"{self.package}.{self.place.partition(':')[0]}"

    @property
    def name(self) -> str:
        """Its name on its page, for anchors and file names: "draw-your-own"."""
        return self.place.partition(":")[2].replace("_", "-")

    def exhibit(self) -> "Exhibit":
        """Return the exhibit itself, a `core.ui.exhibit.exhibit.Exhibit`; this imports its module."""
        from core.ui.exhibit.exhibit import Exhibit

        return Exhibit.of(importlib.import_module(self.module), self.name)

    def ask(self) -> tuple[object, ...] | None:
        """Draw the bar and return the exhibit's shared inputs, or None after a message."""
        from core.ui.exhibit.ask import ask

        bar = importlib.import_module(self.module).Inputs.bar()
        if bar is None:
            return ()
        values = ask(bar, key="bar")
        return None if values is None else (values,)

    def show(self, *given: Any, **how: Any) -> None:
        """Show it here, see `core.ui.exhibit.exhibit.show`; it is redrawn regularly while one of its runs is active."""
        from core.ui.exhibit.exhibit import show
        from core.ui.training import experiments

        show(self.exhibit(), *given, every=experiments.poll_interval(*self.live), **how)


@dataclass(frozen=True, kw_only=True)
class Room:
    """A page and the exhibits that it shows."""

    package: str  # of its folder, `__package__`
    page: str  # its file, whose name is its address; in another package relative to that package's folder
    order: int  # its position in its section
    title: str  # title, icon: in the navigation
    icon: str
    card: str = ""  # what to do there, shown on Home and at the end of the previous room
    name: str = ""  # the prefix of its exhibits' names, "encoder-decoder"; by default its address
    exhibits: tuple[Entry, ...] = ()  # in the order of the page
    # scripts of `assets/widgets` at the start of its page, which are fetched with the page itself
    first_widgets: tuple[str, ...] = ()
    one_file: str = ""  # a module with its model in one file, the first tab of Code
    nearest: tuple[str, ...] = ()  # lessons to suggest if no lesson shows an exhibit of the room

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.address.replace("_", "-"))
        object.__setattr__(self, "exhibits", tuple(replace(one, package=self.package) for one in self.exhibits))
        if self.is_installed:
            object.__setattr__(self, "page", str(package_folder(self.package) / self.page))

    @property
    def is_installed(self) -> bool:
        """True if the room comes from another package than the app."""
        return is_installed(self.package)

    @cached_property
    def address(self) -> str:
        """Its path in the browser."""
        return Path(self.page).stem

    @cached_property
    def section(self) -> str:
        """The folder of its page."""
        return Path(self.page).parent.name

    def named(self) -> Mapping[str, Entry]:
        """Return its exhibits by their names in lessons: "masks.draw-your-own"."""
        return {f"{self.name}.{one.name}": one for one in self.exhibits}

    def __getitem__(self, name: str) -> Entry:
        """Return an exhibit by its name on the page, "draw-your-own"."""
        return self.named()[f"{self.name}.{name}"]

    def picture(self, mode: str) -> Path | None:
        """Return its pictogram for a light or dark page, or None."""
        folder = text_folder(self.package) if self.is_installed else TEXTS
        path = folder / f"{self.title.lower().replace(',', '').replace(' ', '-')}-{mode}.svg"
        return path if path.exists() else None

    @property
    def alone(self) -> str:
        """The single exhibit that the address asks for; "" for all."""
        from core.ui.exhibit import alone

        return alone.wanted({one.name for one in self.exhibits})

    def header(self) -> None:
        """Draw the page's title and sentence from `page.md`, or the title and card if there is no such file."""
        from core.ui.exhibit import alone
        from core.ui.frame import layout

        if self.alone:
            return alone.way_out()
        layout.page_header(*self.words)

    @property
    def words(self) -> tuple[str, str]:
        """The page's title, and one sentence on what there is to see, in Markdown."""
        said = self._words
        return (said.title, said.look_for) if said else (self.title, self.card)

    def contents(self) -> None:
        """Draw the table of contents: a row of links to the exhibits, which stays visible."""
        import streamlit as st

        from core.ui.frame import layout
        from core.ui.text import escape_markdown

        if self.alone:
            return
        layout.style("room")
        listed = [(entry.exhibit().title, entry.name) for entry in self.exhibits if entry.is_listed]
        with st.container(key=frame_key("contents")):
            st.markdown("\n".join(f"- [{escape_markdown(title)}](#{name})" for title, name in listed))

    def say(self, name: str) -> None:
        """Show a section of `page.md`, "## name"; a name that begins with a capital letter is shown as a heading."""
        import streamlit as st

        from core.ui.exhibit.words import fill
        from core.ui.frame import depth, layout

        section = self._words.sections[name]
        if self.alone:
            return
        if depth.at_least(section.depth):
            draw = {"caption": st.caption}.get(section.look, layout.prose)
            if name[0].isupper():
                st.header(name)
            draw(fill(section.text, dict[str, object]().__getitem__))

    def show(self, name: str, *given: object, **how: object) -> None:
        """Show an exhibit here by its name on the page, folded if it is advanced; see `Entry.show`."""
        alone = self.alone
        if alone in ("", name):
            self[name].show(*given, is_folded=self[name].is_folded and not alone, **how)

    @property
    def _words(self) -> Any:
        """The text of the page itself, in the format of an exhibit's: `assets/rooms/<room>/page.md`."""
        from core.ui.exhibit.words import load_words

        path = text_folder(self.package) / "page.md"
        return load_words(path) if path.exists() else None
