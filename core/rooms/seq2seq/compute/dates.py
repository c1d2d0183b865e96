"""Dates as people write them, translated to year-month-day: a small translation task with known answers."""

import calendar
import re
from collections.abc import Collection, Sequence
from datetime import date, timedelta

import numpy as np

from core.data.synthetic import draw_option
from core.data.tokenizers.tokenizer_base import ids_before_end

FIRST, LAST = date(1950, 1, 1), date(2049, 12, 31)
MAX_DATE_CHARACTERS = 32  # characters of a source
CHARACTERS = " ,.-/'0123456789abcdefghijklmnopqrstuvwxyz"  # of the source, in lowercase
DIGITS = "0123456789-"  # of the target
START, END = len(DIGITS), len(DIGITS) + 1
SOURCE_VOCAB, TARGET_VOCAB = len(CHARACTERS), len(DIGITS) + 2
TARGET_LENGTH = 11  # tokens of every target: ten characters and the end token

# Formats of a date: {d} day, {dd} day in two digits, {th} its ending, {m} {mm} month, {month} {mon} its name,
# {y} year, {yy} its last two digits, {weekday}. Days come before months if both are numbers, as in most of the
# world, because otherwise no reader could know which comes first.
FORMATS = (
    "{d} {month} {y}",
    "{d} {mon} {y}",
    "{dd} {mon} {yy}",
    "{month} {d}, {y}",
    "{mon} {d}, {y}",
    "{month} {d}{th}, {y}",
    "{weekday}, {d} {month} {y}",
    "the {d}{th} of {month} {y}",
    "{dd}/{mm}/{y}",
    "{d}.{m}.{y}",
    "{d}/{m}/{yy}",
    "{y} {month} {d}",
)


def write_date(day: date, template: str) -> str:
    """Write the date in one of the formats, in lowercase. A two-digit year from 00 to 49 means 2000 to 2049."""
    ending = "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return template.format(
        d=day.day, dd=f"{day.day:02}", th=ending, m=day.month, mm=f"{day.month:02}", y=day.year,
        month=calendar.month_name[day.month].lower(), mon=calendar.month_abbr[day.month].lower(),
        yy=f"{day.year % 100:02}", weekday=calendar.day_name[day.weekday()].lower(),
    )  # fmt: skip


def parse_date(text: str) -> str | None:
    """Parse a date in any of the formats to year-month-day; None if none fits or the day is not in 1950 to 2049."""
    text = text.lower()
    numbers = {"d": r"\d{1,2}", "dd": r"\d\d", "m": r"\d{1,2}", "mm": r"\d\d", "y": r"\d{4}", "yy": r"\d\d"}
    for template in FORMATS:
        names = re.findall(r"\{(\w+)\}", template)
        pattern = re.sub(r"\\{(\w+)\\}", lambda part: f"({numbers.get(part[1], '[a-z]+')})", re.escape(template))
        found = re.fullmatch(pattern, text)
        day = found and _day(dict(zip(names, found.groups(), strict=True)))
        if day and write_date(day, template) == text:
            return day.isoformat()
    return None


def _day(parts: dict[str, str]) -> date | None:
    months = {name.lower(): i for names in (calendar.month_name, calendar.month_abbr) for i, name in enumerate(names)}
    word = parts.get("month") or parts.get("mon")
    month = months.get(word, 0) if word else int(parts.get("m") or parts["mm"])
    short = int(parts.get("yy", 0))
    year = int(parts["y"]) if "y" in parts else short + (2000 if short < 50 else 1900)
    try:
        day = date(year, month, int(parts.get("d") or parts["dd"]))
    except ValueError:
        return None
    return day if FIRST <= day <= LAST else None


def draw(n: int, rng: np.random.Generator, without: Collection[str] = ()) -> list[tuple[str, str]]:
    """Draw days between 1950 and 2049 and formats, uniformly: pairs of (as written, year-month-day).

    Args:
        without: days (year-month-day) to exclude, such as those of a later test.
    """
    pairs: list[tuple[str, str]] = []
    while len(pairs) < n:
        day = FIRST + timedelta(days=int(rng.integers((LAST - FIRST).days + 1)))
        template = draw_option(FORMATS, rng)
        if day.isoformat() not in without:
            pairs.append((write_date(day, template), day.isoformat()))
    return pairs


def encode(text: str) -> list[int]:
    """Encode a date's characters; uppercase is read as lowercase, and unknown characters are dropped."""
    return [CHARACTERS.index(sign) for sign in text.lower() if sign in CHARACTERS]


def encode_target_date(day: str) -> list[int]:
    """Encode the ten characters of year-month-day, then the end token."""
    return [DIGITS.index(sign) for sign in day] + [END]


def decode(ids: Sequence[int]) -> str:
    """Return the characters up to the end token."""
    return "".join(DIGITS[i] for i in ids_before_end(ids, END) if i < len(DIGITS))


def tokens(ids: Sequence[int]) -> list[str]:
    """Return each target token as it is shown."""
    return ["end" if i == END else "start" if i == START else DIGITS[i] for i in ids]
