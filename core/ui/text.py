"""Text from people is data: escape it before it meets Markdown or HTML, clean it before it meets a model."""

import re
from dataclasses import dataclass

from core.data.printable import (
    isolated,
    quote_briefly as quote_briefly,
    visible as visible,  # what is for the eye, in one place
)
from core.ui.numbers import formatted

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_LEADING_SPACE = re.compile(r"^[ \t]+", re.MULTILINE)
# What Streamlit's Markdown does to text after it has read the backslashes: icons (`:name:`, `:material/name:`), links
# (`://`, `www.`, `a@b.c`) and typographic signs (`->`, `--`, `>=`). An invisible word joiner inside stops each.
_LATE = re.compile(r":(?=[A-Za-z0-9_+\-/]+:)|:(?=//)|www(?=\.)|@|[<>~-](?=[->=])", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n]+")
MOST_OF_A_WORD = 60  # characters that are looked at for the beginning of a word
_WORD_JOINER = "\u2060"
# Control characters except tab and newline: they show nothing, and NUL breaks many tools downstream.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True)
class Cleaned:
    """A text that is safe to go on with, and what had to be changed, in plain words."""

    text: str
    problems: tuple[str, ...] = ()


def escape_markdown(text: object) -> str:
    """Make any text show as itself inside Markdown, a label or a caption.

    Every ASCII punctuation mark is escaped, so no link, image, heading, list, formula (`$`), color directive
    (`:red[`), icon or HTML can arise. Line breaks stay, indentation becomes non-breaking spaces.

    What reads from right to left turns nothing but itself. The result is for the eye: it holds invisible characters,
    so what is to be copied goes into `st.code`.
    """
    escaped = _PUNCTUATION.sub(r"\\\1", _LATE.sub(r"\g<0>" + _WORD_JOINER, isolated(str(text))))
    return _LEADING_SPACE.sub(lambda match: "\u00a0" * len(match[0].expandtabs(4)), escaped)


def quoted(text: str, *most: int) -> str:
    """A text in quotation marks, cut where it is long, escaped."""
    return escape_markdown(quote_briefly(text, *most))


def clean_text(text: str, max_chars: int, keep_end: bool = False) -> Cleaned:
    """Bring a text into a form that every later step can take, and say what was changed.

    Args:
        text: Anything a browser, a link or a file may send.
        max_chars: Longest text to keep, in characters.
        keep_end: Of a longer one keep the end, as for a model that is to go on from there; else the beginning.
    """
    problems = []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > max_chars:
        part, n_character = "last" if keep_end else "first", len(text)
        text = _end_of(text, max_chars) if keep_end else text[:max_chars]
        problems.append(f"The text has {n_character:,} characters; only the {part} {len(text):,} are used.")
    text, n_control = _CONTROL.subn("", text)
    if n_control:
        problems.append(f"{plural(n_control, 'control character was', 'control characters were')} left out.")
    text, n_surrogate = _SURROGATE.subn("\ufffd", text)
    if n_surrogate:
        problems.append(f"{plural(n_surrogate, 'broken character was', 'broken characters were')} replaced by \ufffd.")
    return Cleaned(text, tuple(problems))


def _end_of(text: str, most: int) -> str:
    """The last characters, at most so many, from the beginning of a word on if one is near; in the browser: `endOf`."""
    end, before = text[len(text) - most :], text[len(text) - most - 1]
    space = _SPACE.search(end, 0, MOST_OF_A_WORD)
    if before.isspace() or space is None or space.start() == 0:
        return end
    return end[space.end() :] or end


def plural(n: int, one: str, many: str = "") -> str:
    """A count with its noun: "1 token", "2,000 tokens".

    Args:
        one: the noun of one.
        many: of several, where it is not `one` and an s.
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def percent(share: float) -> str:
    """A share as whole percent, as "46%"; "<1%" for one that rounds to 0 and isn't."""
    return formatted(share, ".0%")


def duration(seconds: float) -> str:
    """Seconds in words, rounded as one says it: "less than 1 s", "4 s", "2 min 10 s", "3 h 5 min"."""
    whole = max(0, round(seconds))
    if whole == 0:
        return "less than 1 s"
    if whole < 60:
        return f"{whole} s"
    if whole < 600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
