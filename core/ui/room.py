"""The declaration of a room, read before heavy imports: its page, its card and its exhibits in order."""

import importlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.data.localization.labels import module_labels
from core.ui.frame.element_keys import page_element_key
from core.ui.room_folders import TEXTS, is_third_party_package, package_folder, room_text_folder

if TYPE_CHECKING:
    from core.ui.exhibit.exhibit import Exhibit

MANY_EXHIBITS, N_IN_FULL = 6, 3  # a room with more than 6 shows 3 in full, and then a list of the others


@dataclass(frozen=True)
class ExhibitSpec:
    """The registration of an exhibit: where it is defined, and what it needs to be shown in a lesson or a test."""

    location: str  # module of the room and the exhibit's name: "kinds:kinds_of_masks"
    experiments: tuple[str, ...] = ()  # the experiments whose runs it follows
    is_listed: bool = True  # whether it is in the page's row of links
    # Whether its page shows only its heading until somebody opens it, for advanced exhibits. A room of many exhibits
    # folds all but its first ones; see `Room.is_folded`.
    is_folded: bool = False
    package: str = ""  # of its room, which sets it

    @property
    def module(self) -> str:
        """The module that defines it: "core.rooms.masks.kinds"."""
        return f"{self.package}.{self.location.partition(':')[0]}"

    @property
    def name(self) -> str:
        """Its name on its page, for anchors and file names: "draw-your-own"."""
        return self.location.partition(":")[2].replace("_", "-")

    def exhibit(self) -> "Exhibit":
        """Return the exhibit itself, a `core.ui.exhibit.exhibit.Exhibit`; this imports its module."""
        from core.ui.exhibit.exhibit import Exhibit

        return Exhibit.from_module(importlib.import_module(self.module), self.name)

    def render_bar(self) -> tuple[object, ...] | None:
        """Draw the bar and return the exhibit's shared inputs, or None after a message."""
        from core.ui.exhibit.exhibit_input_form import render_inputs

        bar = importlib.import_module(self.module).Inputs.shared_inputs()
        if bar is None:
            return ()
        values = render_inputs(bar, key="bar")
        return None if values is None else (values,)

    def show(self, *given: Any, **how: Any) -> None:
        """Show it here (see `core.ui.exhibit.exhibit.render_exhibit`), redrawn regularly while it has an active run."""
        from core.ui.exhibit.exhibit import render_exhibit
        from core.ui.training import live_experiments

        render_exhibit(self.exhibit(), *given, poll_interval=live_experiments.poll_interval(*self.experiments), **how)


@dataclass(frozen=True, kw_only=True)
class Room:
    """A page and the exhibits that it shows."""

    package: str  # of its folder, `__package__`
    page: str  # its file, whose name is its address; in another package relative to that package's folder
    order: int  # its position in its section
    icon: str  # in the navigation
    # In the navigation. By default the label `title` in the section "room" of its `labels.md`, or else its address in
    # words.
    title: str = ""
    name: str = ""  # the prefix of its exhibits' names, "encoder-decoder"; by default its address
    exhibits: tuple[ExhibitSpec, ...] = ()  # in the order of the page
    # scripts of `assets/widgets` at the start of its page, which are fetched with the page itself
    first_widgets: tuple[str, ...] = ()
    one_file: str = ""  # a module with its model in one file, the first tab of Code
    related_lessons: tuple[str, ...] = ()  # lessons to suggest if no lesson shows an exhibit of the room

    def __post_init__(self) -> None:
        labels = module_labels(self.package)
        title = self.title or labels.get("title") or self.address.replace("_", " ").capitalize()
        object.__setattr__(self, "title", title)
        object.__setattr__(self, "name", self.name or self.address.replace("_", "-"))
        object.__setattr__(self, "exhibits", tuple(replace(one, package=self.package) for one in self.exhibits))
        if self.is_installed:
            object.__setattr__(self, "page", str(package_folder(self.package) / self.page))

    @cached_property
    def card(self) -> str:
        """One sentence on what to do there, shown on Home and at the end of the previous room.

        The label `card` in the section "room" of its `labels.md`, or the sentence of its first exhibit. It is read when
        a page asks for it, because the library, which knows all rooms, may be installed without Streamlit.
        """
        folder, card = room_text_folder(self.package), module_labels(self.package).get("card", "")
        if card or not self.exhibits or (folder / "page.md").exists():  # Home has no card
            return card
        from core.ui.exhibit.exhibit_text import read_exhibit_markdown_file

        text = folder / f"{self.exhibits[0].location.partition(':')[0]}.md"
        return read_exhibit_markdown_file(text).look_for if text.exists() else ""

    @property
    def is_installed(self) -> bool:
        """True if the room comes from another package than the app."""
        return is_third_party_package(self.package)

    @cached_property
    def address(self) -> str:
        """Its path in the browser."""
        return Path(self.page).stem

    @cached_property
    def section(self) -> str:
        """The folder of its page."""
        return Path(self.page).parent.name

    def exhibits_by_name(self) -> Mapping[str, ExhibitSpec]:
        """Return its exhibits by their names in lessons: "masks.draw-your-own"."""
        return {f"{self.name}.{one.name}": one for one in self.exhibits}

    def __getitem__(self, name: str) -> ExhibitSpec:
        """Return an exhibit by its name on the page, "draw-your-own"."""
        return self.exhibits_by_name()[f"{self.name}.{name}"]

    def picture(self, mode: str) -> Path | None:
        """Return its pictogram for a light or dark page, or None."""
        folder = room_text_folder(self.package) if self.is_installed else TEXTS
        path = folder / f"{self.package.rpartition('.')[2]}-{mode}.svg"
        return path if path.exists() else None

    @property
    def only_exhibit(self) -> str:
        """The single exhibit that the address asks for; "" for all."""
        from core.ui.exhibit import single_exhibit

        return single_exhibit.requested_exhibit(self._exhibit_names)

    @property
    def _exhibit_names(self) -> set[str]:
        return {one.name for one in self.exhibits}

    def header(self) -> None:
        """Draw the page's title and sentence from `page.md`, or the title and card if there is no such file."""
        from core.ui.exhibit import single_exhibit
        from core.ui.frame import layout

        if self.only_exhibit:
            return single_exhibit.show_whole_room_button()
        layout.page_header(*self.heading)
        single_exhibit.warn_of_unknown_exhibit(self._exhibit_names)

    @property
    def heading(self) -> tuple[str, str]:
        """The page's title, and one sentence on what there is to see, in Markdown."""
        said = self._page_text
        return (said.title, said.look_for) if said else (self.title, self.card)

    def contents(self) -> None:
        """Draw the table of contents: a row of links to the exhibits, which stays visible."""
        import streamlit as st

        from core.ui.frame import layout
        from core.ui.text_formatting import escape_markdown

        if self.only_exhibit:
            return
        layout.apply_styles("room")
        listed = [(entry.exhibit().title, entry.name) for entry in self.exhibits if entry.is_listed]
        with st.container(key=page_element_key("contents")):
            st.markdown("\n".join(f"- [{escape_markdown(title)}](#{name})" for title, name in listed))

    def show_text(self, name: str) -> None:
        """Show a section of `page.md`, "## name". It may begin with a heading of its own, "### heading"."""
        import streamlit as st

        from core.ui.exhibit.exhibit_text import render_template
        from core.ui.frame import depth, layout

        section = self._page_text.sections[name]
        if self.only_exhibit:
            return
        if depth.depth_at_least(section.depth):
            draw = {"caption": st.caption}.get(section.style, layout.show_prose)
            found = re.fullmatch(r"(?:### ([^\n]+)\n+)?(.*)", section.text, re.DOTALL)
            heading, text = found.groups("") if found else ("", section.text)
            if heading:
                st.header(heading)
            draw(render_template(text, dict[str, object]().__getitem__))

    def show(self, name: str, *given: object, **how: object) -> None:
        """Show an exhibit here by its name on the page, perhaps folded; see `ExhibitSpec.show` and `is_folded`."""
        alone = self.only_exhibit
        if alone in ("", name):
            if self._has_list and not alone and self[name] == self.exhibits[N_IN_FULL]:
                from core.ui.exhibit import folding

                folding.unfold_all_button()
            self[name].show(*given, is_folded=self.is_folded(name) and not alone, **how)

    def is_folded(self, name: str) -> bool:
        """Return whether an exhibit is one line until opened: of many exhibits all but the first ones, else its own."""
        return self[name] in self.exhibits[N_IN_FULL:] if self._has_list else self[name].is_folded

    @property
    def _has_list(self) -> bool:
        return len(self.exhibits) > MANY_EXHIBITS

    @property
    def _page_text(self) -> Any:
        """The text of the page itself, in the format of an exhibit's: `assets/rooms/<room>/page.md`."""
        from core.ui.exhibit.exhibit_text import read_exhibit_markdown_file

        path = room_text_folder(self.package) / "page.md"
        return read_exhibit_markdown_file(path) if path.exists() else None
