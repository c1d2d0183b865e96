"""What is given: a lesson and when it is due. All of it stands in the link, so nothing of it is kept."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

PARAMETER = "homework"  # in the address of a lesson
_CODE = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)\.(\d{9,11})", re.ASCII)


@dataclass(frozen=True)
class Assignment:
    """A lesson by its slug, and when it is due, in Unix seconds."""

    lesson: str
    due: int

    @property
    def code(self) -> str:
        """As the link has it."""
        return f"{self.lesson}.{self.due}"

    def due_in_words(self, zone: str | None) -> str:
        """The deadline as the clock on the wall shows it in a time zone, "Friday 4 December, 18:00"."""
        return in_words(self.due, zone)


def read(code: str) -> Assignment | None:
    """What a link says; None where it is none."""
    found = _CODE.fullmatch(code)
    return None if found is None else Assignment(found[1], int(found[2]))


def in_zone(seconds: float, zone: str | None) -> datetime:
    """A moment in a time zone by its name, "Europe/Vienna"."""
    return datetime.fromtimestamp(seconds, zone_of(zone))


def in_words(seconds: float, zone: str | None) -> str:
    """The same in words, "Friday 4 December, 18:00"."""
    moment = in_zone(seconds, zone)
    return f"{moment:%A} {moment.day} {moment:%B, %H:%M}"


def zone_of(name: str | None) -> tzinfo:
    """A time zone by its name, which a browser tells; that of Greenwich where there is no such name."""
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
