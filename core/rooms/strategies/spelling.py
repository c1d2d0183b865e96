"""Strategies as short text for addresses and widgets: `greedy~p0.9s3~t2k5~beam4`.

A column is a word (`greedy`, `softmax`, `beam4`) and letters with numbers: r repetition penalty, n no repeated n-gram,
t temperature, k top-k, p top-p, m min-p, y typical, e epsilon, h eta, l length penalty of a beam search, s seed, and x
for a locked column. A link may contain anything, so each part is checked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.data.localization.labels import module_labels
from core.exhibit import MAX_SEED
from core.rooms.strategies.compute.columns import Strategy
from core.ui.text_formatting import quote_briefly

LABELS = module_labels(__name__)

LETTERS: Mapping[str, str] = {
    "r": "repetition_penalty",
    "n": "no_repeat_ngram",
    "t": "temperature",
    "k": "top_k",
    "p": "top_p",
    "m": "min_p",
    "y": "typical_p",
    "e": "epsilon",
    "h": "eta",
}
LETTER_OF = {name: letter for letter, name in LETTERS.items()}
MAX_COLUMNS = 6  # more cannot be read side by side
MAX_BEAM = 8
MAX_CHARS = 400
_COLUMN = re.compile(r"(?P<word>greedy|softmax|beam)?(?P<beams>\d{1,3})?(?P<rest>(?:[a-z][0-9.]{0,12})*)")
_PART = re.compile(r"([a-z])([0-9.]*)")
_NUMBER = re.compile(r"\d+(\.\d+)?|\.\d+")


@dataclass(frozen=True)
class SpelledColumn:
    """A column as it is spelled in the address."""

    strategy: Strategy  # its strategy
    is_locked: bool = False  # True keeps its seed when the others get new ones

    @property
    def text(self) -> str:
        """The column as short text."""
        return spell_strategy(self.strategy) + ("x" if self.is_locked else "")


def spell_strategy(strategy: Strategy) -> str:
    """Spell a strategy as short text; `parse_column` reads it back."""
    if strategy.kind == "beam":
        penalty = "" if strategy.length_penalty == 1 else f"l{strategy.length_penalty:g}"
        return f"beam{strategy.n_beam}{penalty}"
    knobs = "".join(f"{LETTER_OF[name]}{_plain(value)}" for name, value in strategy.knobs)
    if strategy.kind == "greedy":
        return f"greedy{knobs}"
    return (knobs or "softmax") + (f"s{strategy.seed}" if strategy.seed else "")


def parse_column(text: str) -> SpelledColumn:
    """Parse one column.

    Raises:
        ValueError: if the text is not a valid column.
    """
    found = _COLUMN.fullmatch(text)
    if not text or found is None or (found["beams"] and found["word"] != "beam"):
        raise ValueError(LABELS("no_strategy", text=quote_briefly(text)))
    parts = _PART.findall(found["rest"])
    letters = [letter for letter, _ in parts]
    if len(set(letters)) < len(letters):
        raise ValueError(LABELS("set_twice", text=quote_briefly(text)))
    is_locked, seed, penalty, knobs = False, 0, 1.0, []
    for letter, digits in parts:
        if letter == "x" and not digits:
            is_locked = True
        elif letter == "s" and digits.isdigit() and int(digits) <= MAX_SEED:
            seed = int(digits)
        elif letter == "l" and found["word"] == "beam" and _NUMBER.fullmatch(digits) and float(digits) <= 5:
            penalty = float(digits)
        elif letter in LETTERS and _NUMBER.fullmatch(digits):
            knobs.append((LETTERS[letter], float(digits)))
        else:
            raise ValueError(LABELS("sets_nothing", part=quote_briefly(letter + digits), text=quote_briefly(text)))
    if found["word"] == "beam":
        n_beam = int(found["beams"] or 4)
        if not 1 <= n_beam <= MAX_BEAM:
            raise ValueError(LABELS("too_many_beams", n_beam=n_beam, most=MAX_BEAM))
        return SpelledColumn(
            Strategy(kind="beam", knobs=tuple(knobs), n_beam=n_beam, length_penalty=penalty), is_locked
        )
    if found["word"] == "greedy":
        return SpelledColumn(Strategy(kind="greedy", knobs=tuple(knobs)), is_locked)
    if found["word"] is None and not knobs:
        raise ValueError(LABELS("no_strategy", text=quote_briefly(text)))
    return SpelledColumn(Strategy(knobs=tuple(knobs), seed=seed), is_locked)


def parse_columns(text: str, most: int = MAX_COLUMNS) -> tuple[list[SpelledColumn], list[str]]:
    """Parse columns separated by “~”: the valid ones, and error messages for the others."""
    if len(text) > MAX_CHARS:
        return [], [LABELS("too_long", n=len(text), most=MAX_CHARS)]
    found: list[SpelledColumn] = []
    problems: list[str] = []
    for one in text.split("~"):
        try:
            found.append(parse_column(one))
        except ValueError as problem:
            problems.append(str(problem)[:1].upper() + str(problem)[1:])
    if len(found) > most:
        problems.append(LABELS("too_many", n=len(found), most=most))
    return found[:most], problems


def read_sent_text(news: object, most: int, empty: str) -> str | None:
    """Return the text that a picture sent, cut to `most` characters, or `empty` for an empty one; None if not text."""
    text = news.get("text") if isinstance(news, Mapping) else None
    return (text[:most] or empty) if isinstance(text, str) else None


def join_columns(columns: Sequence[SpelledColumn]) -> str:
    return "~".join(one.text for one in columns)


def _plain(value: float) -> str:
    """Format without an exponent, because addresses don't allow “1e-05”."""
    return f"{value:.6f}".rstrip("0").rstrip(".")
