"""What a room says about itself, read before anything heavy: its page, its card, its exhibits in their order."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

PICTURES = Path(__file__).resolve().parents[3] / "assets" / "rooms"


@dataclass(frozen=True)
class Entry:
    """Where an exhibit stands, and what it needs to stand alone: in a lesson, or in a test of all.

    Attributes:
        place: module of the room, and the name in it: "kinds:kinds_of_masks".
        bar: the function of the room, as above, that asks for what the exhibit is drawn with; "" if it asks itself.
        live: the experiments whose training it follows.
        is_listed: whether the page's line of links names it.
        package: of its room; the room puts it in.
    """

    place: str
    bar: str = ""
    live: tuple[str, ...] = ()
    is_listed: bool = True
    package: str = ""

    @property
    def module(self) -> str:
        """The module that it stands in: "core.rooms.masks.kinds"."""
        return f"{self.package}.{self.place.partition(':')[0]}"

    def exhibit(self) -> Any:
        """The exhibit itself, a `core.ui.frame.exhibit.Exhibit`; its module is read at the first look."""
        module, _, name = self.place.partition(":")
        found = importlib.import_module(f"{self.package}.{module}")
        if not hasattr(found, "compute"):
            return getattr(found, name)
        from core.ui.frame.exhibit import exhibit_of

        return exhibit_of(found, name)

    def ask(self) -> tuple[Any, ...] | None:
        """Draw the bar; what the exhibit is drawn with, or None after plain words."""
        module = importlib.import_module(self.module)
        if hasattr(module, "compute"):
            from core.ui.exhibit.ask import ask

            bar = module.Inputs.bar()
            values = None if bar is None else ask(bar, key="bar")
            return () if bar is None else None if values is None else (values,)
        found = self._named(self.bar)() if self.bar else ()
        return found if found is None or isinstance(found, tuple) else (found,)

    def pace(self) -> float | None:
        """Seconds between two looks, while one of its trainings goes on."""
        from core.ui.training import live

        return live.pace(*self.live)

    def _named(self, place: str) -> Any:
        module, name = place.split(":")
        return getattr(importlib.import_module(f"{self.package}.{module}"), name)


@dataclass(frozen=True, kw_only=True)
class Room:
    """A page, and the exhibits that it shows.

    Attributes:
        package: of its folder, `__package__`.
        page: its file, whose name is its address.
        order: its place in its section.
        title, icon: in the navigation.
        card: what one does there, on Home and at the end of the room before it.
        name: before the names of its exhibits, "encoder-decoder"; its address unless it says otherwise.
        exhibits: in the order of the page.
        nearest: lessons to go to from a room of which no lesson shows an exhibit.
    """

    package: str
    page: str
    order: int
    title: str
    icon: str
    card: str = ""
    name: str = ""
    exhibits: tuple[Entry, ...] = ()
    nearest: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.address.replace("_", "-"))
        object.__setattr__(self, "exhibits", tuple(replace(one, package=self.package) for one in self.exhibits))

    @property
    def address(self) -> str:
        """Its path in the browser."""
        return Path(self.page).stem

    @property
    def section(self) -> str:
        """The folder of its page."""
        return Path(self.page).parent.name

    def named(self) -> Mapping[str, Entry]:
        """Its exhibits by their names in lessons: "masks.draw-your-own"."""
        return {f"{self.name}.{one.place.partition(':')[2].replace('_', '-')}": one for one in self.exhibits}

    def __getitem__(self, name: str) -> Any:
        """An exhibit by its name on the page, "draw-your-own"."""
        return self.named()[f"{self.name}.{name}"].exhibit()

    def picture(self, mode: str) -> Path | None:
        """Its pictogram for a light or dark page."""
        path = PICTURES / f"{self.title.lower().replace(',', '').replace(' ', '-')}-{mode}.svg"
        return path if path.exists() else None
