"""Handling of untrusted text: escape it before Markdown or HTML, clean it before a model."""

import re
from dataclasses import dataclass

from core.data.localization.labels import module_labels
from core.data.localization.locales import plural_category
from core.data.localization.numbers import format_number
from core.data.printable import (
    isolate_right_to_left,
    quote_briefly as quote_briefly,
    visible_token as visible_token,  # all functions on displayed text in one place
)

LABELS = module_labels(__name__)

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
_LEADING_SPACE = re.compile(r"^[ \t]+", re.MULTILINE)
# Patterns that Streamlit's Markdown replaces even if escaped: icons (`:name:`, `:material/name:`), links (`://`,
# `www.`, `a@b.c`) and typographic signs (`->`, `--`, `>=`). An invisible word joiner inside each prevents this.
_LATE = re.compile(r":(?=[A-Za-z0-9_+\-/]+:)|:(?=//)|www(?=\.)|@|[<>~-](?=[->=])", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n]+")
MOST_OF_A_WORD = 60  # characters that are searched for the beginning of a word
_WORD_JOINER = "\u2060"
# Control characters except tab and newline: they are invisible, and NUL breaks many tools downstream.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@dataclass(frozen=True)
class CleanedText:
    """A text that is safe to use, and messages on what had to be changed."""

    text: str
    problems: tuple[str, ...] = ()


def escape_markdown(text: object) -> str:
    """Escape a text so that it is shown literally in Markdown, a label or a caption.

    Every ASCII punctuation mark is escaped, so no link, image, heading, list, formula (`$`), color directive
    (`:red[`), icon or HTML can arise. Line breaks are preserved, indentation becomes non-breaking spaces.

    Right-to-left text does not affect the text around it. The result is for display only, because it contains invisible
    characters; use `st.code` for text that people copy.
    """
    escaped = _PUNCTUATION.sub(r"\\\1", _LATE.sub(r"\g<0>" + _WORD_JOINER, isolate_right_to_left(str(text))))
    return _LEADING_SPACE.sub(lambda match: "\u00a0" * len(match[0].expandtabs(4)), escaped)


def quote_text(text: str, *most: int) -> str:
    """Return a text in quotation marks, truncated if it is long, and escaped."""
    return escape_markdown(quote_briefly(text, *most))


def clean_text(text: str, max_chars: int, keep_end: bool = False) -> CleanedText:
    """Clean a text so that every later step accepts it, and report what was changed.

    Args:
        text: Anything a browser, a link or a file may send.
        max_chars: Longest text to keep, in characters.
        keep_end: Keep the end of a longer text, as for a model that continues it; otherwise the beginning.
    """
    problems = []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > max_chars:
        n_character = len(text)
        text = _end_of(text, max_chars) if keep_end else text[:max_chars]
        problems.append(LABELS("is_cut.end" if keep_end else "is_cut.start", n=n_character, n_used=len(text)))
    text, n_control = _CONTROL.subn("", text)
    if n_control:
        problems.append(LABELS("control_characters", n=n_control))
    text, n_surrogate = _SURROGATE.subn("\ufffd", text)
    if n_surrogate:
        problems.append(LABELS("broken_characters", n=n_surrogate))
    return CleanedText(text, tuple(problems))


def _end_of(text: str, most: int) -> str:
    """Return the end of a text, starting at a word if one begins nearby. The browser's counterpart is `endOf`."""
    end, before = text[len(text) - most :], text[len(text) - most - 1]
    space = _SPACE.search(end, 0, MOST_OF_A_WORD)
    if before.isspace() or space is None or space.start() == 0:
        return end
    return end[space.end() :] or end


def pluralize(n: int, one: str, many: str = "") -> str:
    """Return a count with its noun: "1 token", "2,000 tokens".

    Args:
        one: the singular noun.
        many: the plural, if it is not `one` with an s.
    """
    return f"{format_number(n, ',')} {one if plural_category(n) == 'one' else many or one + 's'}"


def format_percent(share: float) -> str:
    """Format a fraction as a whole percentage, such as "46%"; "<1%" for a nonzero one that rounds to 0."""
    return format_number(share, ".0%")


def format_duration(seconds: float) -> str:
    """Format seconds in words, rounded naturally: "less than 1 s", "4 s", "2 min 10 s", "3 h 5 min"."""
    whole = max(0, round(seconds))
    if whole == 0:
        return LABELS["duration.none"]
    if whole < 60:
        return LABELS("duration.seconds", seconds=whole)
    if whole < 600:
        return LABELS("duration.minutes_seconds", minutes=whole // 60, seconds=whole % 60)
    minutes = round(whole / 60)
    return (
        LABELS("duration.minutes", minutes=minutes)
        if minutes < 60
        else LABELS("duration.hours", hours=minutes // 60, minutes=minutes % 60)
    )
