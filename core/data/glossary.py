"""The glossary: every term in plain words, read from one Markdown file and checked line by line.

## softmax
Turns any numbers into shares: all positive, sum 1.
- forms: words in texts that lead here, besides the name; "only ..." where the name itself is too common a word
- formula: LaTeX with its dollar signs, or a shape
- elsewhere: what other code and papers call it; one after a semicolon
- see: exhibits ("masks.kinds-of-masks") or rooms ("masks") that show it
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "assets" / "glossary.md"
FACTS = ("forms", "formula", "elsewhere", "see")
# A card is read in a glance.
MAX_DEFINITION = 320


class GlossaryRefused(ValueError):
    """What is wrong with a glossary, all of it, a line for each."""


@dataclass(frozen=True, kw_only=True)
class Term:
    """One entry.

    Attributes:
        name: as it is headed, "top-p" or "bias (parameter)".
        slug: its name in addresses.
        definition: one or two sentences of plain text.
        forms: words in a text that lead here; plurals come by themselves.
        formula: Markdown with LaTeX, or "".
        elsewhere: its names in other code and in papers.
        see: exhibits or rooms that show it.
        line: where it stands in the file.
    """

    name: str
    slug: str
    definition: str
    forms: tuple[str, ...]
    formula: str
    elsewhere: tuple[str, ...]
    see: tuple[str, ...]
    line: int


@lru_cache(maxsize=1)
def _read_file(changed: int) -> tuple[Term, ...]:
    return read(FILE.read_text(encoding="utf-8"))


def terms() -> tuple[Term, ...]:
    """All terms in alphabetical order.

    Raises:
        GlossaryRefused: if the file is wrong.
    """
    return _read_file(FILE.stat().st_mtime_ns)


def read(text: str) -> tuple[Term, ...]:
    """Read a glossary.

    Raises:
        GlossaryRefused: with every problem, "line 12: ...".
    """
    problems: list[str] = []
    found = [_term(line, name, body, problems) for line, name, body in _entries(text, problems)]
    _check_twice([(term.name.casefold(), term.name, term.line) for term in found], "the term", problems)
    forms = [(form.casefold(), term.name, term.line) for term in found for form in {*map(str.casefold, term.forms)}]
    _check_twice(forms, "the form", problems)
    _check_twice([(term.slug, term.name, term.line) for term in found], "the address", problems)
    if problems:
        raise GlossaryRefused("\n".join(problems))
    return tuple(sorted(found, key=lambda term: term.name.casefold()))


def plural(word: str) -> str:
    """The plural by the common rule, for finding words in texts: "keys", "entropies", "losses"."""
    if not word or not word[-1].isalpha() or not word[-1].isascii():
        return word
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def search(asked: str) -> tuple[Term, ...]:
    """The terms for a word, the best first: by name, by a form, by a name elsewhere, by a mention.

    Args:
        asked: anything; "" finds all.
    """
    word = " ".join(asked.casefold().split())
    ranked = [(rank, term) for term in terms() if (rank := _rank(term, word)) is not None]
    return tuple(term for _, term in sorted(ranked, key=lambda pair: pair[0]))


def _rank(term: Term, word: str) -> int | None:
    names = [term.name.casefold(), term.slug, *(form.casefold() for form in term.forms)]
    if word in (term.name.casefold(), term.slug):
        return 0
    if word in names or word in map(plural, names):
        return 1
    if any(name.startswith(word) for name in names):
        return 2
    if any(word in name for name in names):
        return 3
    if any(word in place.casefold() for place in term.elsewhere):
        return 4
    return 5 if word in term.definition.casefold() else None


def _entries(text: str, problems: list[str]) -> list[tuple[int, str, list[tuple[int, str]]]]:
    """(line, name, lines of the entry) for each heading; what stands before the first is for whoever writes."""
    entries: list[tuple[int, str, list[tuple[int, str]]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            entries.append((number, line[3:].strip(), []))
        elif entries and line.strip():
            entries[-1][2].append((number, line.strip()))
    if not entries:
        problems.append("line 1: there is no term; each begins with “## name”")
    return entries


def _term(line: int, name: str, body: list[tuple[int, str]], problems: list[str]) -> Term:
    facts: dict[str, str] = {}
    definition: list[str] = []
    for number, text in body:
        if not text.startswith("- "):
            definition.append(text)
            continue
        key, _, value = text[2:].partition(": ")
        if key not in FACTS or not value.strip():
            problems.append(f"line {number}: “{text}” is none of {', '.join(FACTS)} with something after the colon")
        elif key in facts:
            problems.append(f"line {number}: “{name}” has {key} twice")
        else:
            facts[key] = value.strip()
    said = " ".join(definition)
    if not said.endswith("."):
        problems.append(f"line {line}: the definition of “{name}” is missing, or does not end with a full stop")
    if len(said) > MAX_DEFINITION:
        problems.append(f"line {line}: “{name}” takes {len(said)} characters; a card holds {MAX_DEFINITION}")
    if "see" not in facts:
        problems.append(f"line {line}: “{name}” does not say where to see it")
    given = facts.get("forms", "")
    own = () if given.startswith("only ") else (name,)
    return Term(
        name=name,
        slug=slug_of(name),
        definition=said,
        forms=(*own, *(form.replace("\\", "") for form in _split(given.removeprefix("only "), ","))),
        formula=facts.get("formula", ""),
        elsewhere=_split(facts.get("elsewhere", ""), ";"),
        see=_split(facts.get("see", ""), ","),
        line=line,
    )


def slug_of(name: str) -> str:
    """A term's name in addresses: "bias-parameter"."""
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def _split(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark) if part.strip())


def _check_twice(found: list[tuple[str, str, int]], what: str, problems: list[str]) -> None:
    first: dict[str, tuple[str, int]] = {}
    for key, name, line in found:
        if key in first:
            problems.append(
                f"line {line}: {what} “{key}” of “{name}” is that of “{first[key][0]}”, line {first[key][1]}"
            )
        first.setdefault(key, (name, line))
