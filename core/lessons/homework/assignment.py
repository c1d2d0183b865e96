"""Homework assignments: a lesson and its deadline. Both are in the signed link, so the server stores nothing.

link_code(Assignment("short-masks", 1796407200), now)  # "short-masks.1796407200.3f9a…", for the teacher
read("short-masks.1796407200.3f9a…")                   # the assignment; None if this server didn't sign it
"""

import hmac
import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from core.data.localization.labels import module_labels
from core.lessons.homework.signing import link_signature

LABELS = module_labels(__name__)

HOMEWORK_PARAMETER = "homework"  # in the address of a lesson
DAYS_BEFORE, DAYS_AFTER = 365, 730  # a new deadline lies between them, counted from now
_PLAIN = r"([a-z0-9]+(?:-[a-z0-9]+)*)\.(\d{9,10})"  # ten digits end in the year 2286
_TEXT = re.compile(_PLAIN, re.ASCII)
_CODE = re.compile(_PLAIN + r"\.([0-9a-f]{32})", re.ASCII)
_LINK = re.compile(rf"(?:^|[?&]){HOMEWORK_PARAMETER}={_PLAIN}", re.ASCII)


@dataclass(frozen=True)
class Assignment:
    """A lesson by its slug, and its deadline in Unix seconds."""

    lesson: str
    due: int

    @property
    def text(self) -> str:
        """The homework as receipts name it, unsigned: "short-masks.1796407200"."""
        return f"{self.lesson}.{self.due}"

    def due_in_words(self, zone: str | None) -> str:
        """Return the deadline in the local time of a time zone, "Friday 4 December, 18:00"."""
        return moment_text(self.due, zone)


def link_code(given: Assignment, now: float) -> str:
    """Return the signed code for a homework's link.

    Raises:
        ValueError: if the deadline is too far from `now` (Unix seconds).
        OSError: if the key can't be read.
    """
    if not -86400 * DAYS_BEFORE <= given.due - now <= 86400 * DAYS_AFTER:
        raise ValueError(LABELS["deadline_too_far"])
    return f"{given.text}.{link_signature(given.text)}"


def verified_assignment(code: str) -> Assignment | None:
    """Return the homework of a link's code, or None if this server didn't sign it. Raises OSError without a key."""
    found = _CODE.fullmatch(code)
    if found is None or not hmac.compare_digest(found[3], link_signature(f"{found[1]}.{found[2]}")):
        return None
    return Assignment(found[1], int(found[2]))


def parse_assignment(text: str) -> Assignment | None:
    """Return the homework that a receipt names, signed or not, or None if the text names none."""
    found = _TEXT.fullmatch(text)
    return None if found is None else Assignment(found[1], int(found[2]))


def assignment_in_link(link: str) -> Assignment | None:
    """Return the homework in a link that a teacher pastes, whichever server signed it, or None."""
    found = _LINK.search(link.strip())
    return None if found is None else Assignment(found[1], int(found[2]))


def _in_zone(seconds: float, zone: str | None) -> datetime:
    """Return a moment in a time zone given by name, "Europe/Vienna"."""
    return datetime.fromtimestamp(seconds, time_zone_by_name(zone))


def moment_text(seconds: float, zone: str | None) -> str:
    """Format a moment as "Friday 4 December, 18:00"."""
    moment = _in_zone(seconds, zone)
    weekday, month = LABELS[f"weekday.{moment.isoweekday()}"], LABELS[f"month.{moment.month}"]
    return LABELS("moment", weekday=weekday, day=moment.day, month=month, time=f"{moment:%H:%M}")


def time_zone_by_name(name: str | None) -> tzinfo:
    """Return a time zone by its name, which comes from a browser, or UTC if there is no such name."""
    try:
        return ZoneInfo(name or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC
