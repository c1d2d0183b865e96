"""Dates as people write them, to be written as year-month-day: a small translation whose every answer is known."""

import calendar
import re
from collections.abc import Collection, Sequence
from datetime import date, timedelta

import numpy as np

from core.data.synthetic import one_of
from core.data.tokenizers.base import until

FIRST, LAST = date(1950, 1, 1), date(2049, 12, 31)
MOST = 32  # signs of a source
SIGNS = " ,.-/'0123456789abcdefghijklmnopqrstuvwxyz"  # of the source, read as small letters
DIGITS = "0123456789-"  # of the target
START, END = len(DIGITS), len(DIGITS) + 1
SOURCE_VOCAB, TARGET_VOCAB = len(SIGNS), len(DIGITS) + 2
LENGTH = 11  # tokens of every target: ten signs and the end

# How a date is written: {d} day, {dd} day in two digits, {th} its ending, {m} {mm} month, {month} {mon} its name,
# {y} year, {yy} its last two digits, {weekday}. Days stand before months where both are numbers, as in most of the
# world: in a format where either could come first no reader could know.
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


def write(day: date, template: str) -> str:
    """The date in one of the formats, in small letters. A year of two digits, 00 to 49, lies after 1999."""
    ending = "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return template.format(
        d=day.day, dd=f"{day.day:02}", th=ending, m=day.month, mm=f"{day.month:02}", y=day.year,
        month=calendar.month_name[day.month].lower(), mon=calendar.month_abbr[day.month].lower(),
        yy=f"{day.year % 100:02}", weekday=calendar.day_name[day.weekday()].lower(),
    )  # fmt: skip


def read(text: str) -> str | None:
    """Year-month-day of a text in one of the formats; None if it is in none, or no day between 1950 and 2049."""
    text = text.lower()
    numbers = {"d": r"\d{1,2}", "dd": r"\d\d", "m": r"\d{1,2}", "mm": r"\d\d", "y": r"\d{4}", "yy": r"\d\d"}
    for template in FORMATS:
        names = re.findall(r"\{(\w+)\}", template)
        pattern = re.sub(r"\\{(\w+)\\}", lambda part: f"({numbers.get(part[1], '[a-z]+')})", re.escape(template))
        found = re.fullmatch(pattern, text)
        day = found and _day(dict(zip(names, found.groups(), strict=True)))
        if day and write(day, template) == text:
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
    """Days between 1950 and 2049 and formats, all equally likely: pairs of (as written, year-month-day).

    Args:
        without: days (year-month-day) that must not come, such as those that a model is to be asked about later.
    """
    pairs: list[tuple[str, str]] = []
    while len(pairs) < n:
        day = FIRST + timedelta(days=int(rng.integers((LAST - FIRST).days + 1)))
        template = one_of(FORMATS, rng)
        if day.isoformat() not in without:
            pairs.append((write(day, template), day.isoformat()))
    return pairs


def encode(text: str) -> list[int]:
    """The signs of a date that the model knows; capitals count as small letters, everything else is left out."""
    return [SIGNS.index(sign) for sign in text.lower() if sign in SIGNS]


def encode_target(day: str) -> list[int]:
    """The ten signs of year-month-day, then the end token."""
    return [DIGITS.index(sign) for sign in day] + [END]


def decode(ids: Sequence[int]) -> str:
    """The signs up to the end token."""
    return "".join(DIGITS[i] for i in until(ids, END) if i < len(DIGITS))


def tokens(ids: Sequence[int]) -> list[str]:
    """Each target token as it is shown."""
    return ["end" if i == END else "start" if i == START else DIGITS[i] for i in ids]
