"""What a room says about itself, read before anything heavy: its page, its card, its exhibits in their order."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.ui.frame.element_keys import frame_key

if TYPE_CHECKING:
    from core.ui.exhibit.exhibit import Exhibit

PICTURES = Path(__file__).resolve().parents[2] / "assets" / "rooms"


@dataclass(frozen=True)
class Entry:
    """Where an exhibit stands, and what it needs to stand alone: in a lesson, or in a test of all."""

    place: str  # module of the room, and the name in it: "kinds:kinds_of_masks"
    live: tuple[str, ...] = ()  # the experiments whose training it follows
    is_listed: bool = True  # whether the page's row of links names it
    is_folded: bool = False  # whether its page shows only its head until somebody opens it: what goes deeper
    package: str = ""  # of its room; the room puts it in

    @property
    def module(self) -> str:
        """The module that it stands in: "core.rooms.masks.kinds"."""
        return f"{self.package}.{self.place.partition(':')[0]}"

    @property
    def name(self) -> str:
        """On its page, for anchors and file names: "draw-your-own"."""
        return self.place.partition(":")[2].replace("_", "-")

    def exhibit(self) -> "Exhibit":
        """The exhibit itself, a `core.ui.exhibit.exhibit.Exhibit`; its module is read at the first look."""
        from core.ui.exhibit.exhibit import Exhibit

        return Exhibit.of(importlib.import_module(self.module), self.name)

    def ask(self) -> tuple[object, ...] | None:
        """Draw the bar; what the exhibit is drawn with, or None after plain words."""
        from core.ui.exhibit.ask import ask

        bar = importlib.import_module(self.module).Inputs.bar()
        if bar is None:
            return ()
        values = ask(bar, key="bar")
        return None if values is None else (values,)

    def show(self, *given: Any, **how: Any) -> None:
        """Show it here, see `core.ui.exhibit.exhibit.show`; while one of its trainings goes on, it looks again."""
        from core.ui.exhibit.exhibit import show
        from core.ui.training import experiments

        show(self.exhibit(), *given, every=experiments.poll_interval(*self.live), **how)


@dataclass(frozen=True, kw_only=True)
class Room:
    """A page, and the exhibits that it shows."""

    package: str  # of its folder, `__package__`
    page: str  # its file, whose name is its address
    order: int  # its place in its section
    title: str  # title, icon: in the navigation
    icon: str
    card: str = ""  # what one does there, on Home and at the end of the room before it
    name: str = ""  # before the names of its exhibits, "encoder-decoder"; its address unless it says otherwise
    exhibits: tuple[Entry, ...] = ()  # in the order of the page
    # scripts of `assets/widgets` that its page begins with: they are fetched with the page itself
    first_widgets: tuple[str, ...] = ()
    one_file: str = ""  # a module that shows its model in one file, the first tab of Code
    nearest: tuple[str, ...] = ()  # lessons to go to from a room of which no lesson shows an exhibit

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.address.replace("_", "-"))
        object.__setattr__(self, "exhibits", tuple(replace(one, package=self.package) for one in self.exhibits))

    @cached_property
    def address(self) -> str:
        """Its path in the browser."""
        return Path(self.page).stem

    @cached_property
    def section(self) -> str:
        """The folder of its page."""
        return Path(self.page).parent.name

    def named(self) -> Mapping[str, Entry]:
        """Its exhibits by their names in lessons: "masks.draw-your-own"."""
        return {f"{self.name}.{one.name}": one for one in self.exhibits}

    def __getitem__(self, name: str) -> Entry:
        """An exhibit by its name on the page, "draw-your-own"."""
        return self.named()[f"{self.name}.{name}"]

    def picture(self, mode: str) -> Path | None:
        """Its pictogram for a light or dark page."""
        path = PICTURES / f"{self.title.lower().replace(',', '').replace(' ', '-')}-{mode}.svg"
        return path if path.exists() else None

    @property
    def alone(self) -> str:
        """The one exhibit that the address asks for; "" for all."""
        from core.ui.exhibit import alone

        return alone.wanted({one.name for one in self.exhibits})

    def header(self) -> None:
        """The page's title and its sentence: of `page.md`; without one, title and card."""
        from core.ui.exhibit import alone
        from core.ui.frame import layout

        if self.alone:
            return alone.way_out()
        layout.page_header(*self.words)

    @property
    def words(self) -> tuple[str, str]:
        """The page's title, and one sentence of what there is to see, in Markdown."""
        said = self._words
        return (said.title, said.look_for) if said else (self.title, self.card)

    def contents(self) -> None:
        """What the page shows, in its order: a row of links to the exhibits, which stays in sight."""
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
        """A paragraph of `page.md`, "## name"; one whose name begins with a capital letter has it as its heading."""
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
        """Show an exhibit here, by its name on the page, see `Entry.show`; folded if it goes deeper."""
        alone = self.alone
        if alone in ("", name):
            self[name].show(*given, is_folded=self[name].is_folded and not alone, **how)

    @property
    def _folder(self) -> str:
        return self.package.rpartition(".")[2]

    @property
    def _words(self) -> Any:
        """What the page itself says, written as the words of an exhibit: `assets/rooms/<room>/page.md`."""
        from core.ui.exhibit.words import words_of

        return words_of(self._folder, "page") if (PICTURES / self._folder / "page.md").exists() else None
