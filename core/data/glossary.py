"""The glossary: every term with its definition, read from one Markdown file and checked line by line.

## softmax
Turns any numbers into shares: all positive, sum 1.
- forms: words in texts that link here, besides the name; "only ..." if the name itself is too common a word
- formula: LaTeX with its dollar signs, or a shape
- elsewhere: its names in other code and papers, separated by semicolons
- see: exhibits ("masks.kinds-of-masks") or rooms ("masks") that show it
- name: only in a translation: the term in its language; the heading stays English, and is the address
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.data.localization.labels import localized_path, pseudo_translate
from core.data.localization.locales import LOCALE, PSEUDO_LOCALE

FILE = Path(__file__).resolve().parents[2] / "assets" / "glossary.md"
FACTS = ("name", "forms", "formula", "elsewhere", "see")
# A card should be readable at a glance.
MAX_DEFINITION = 320


class _GlossaryRefused(ValueError):
    """The glossary has mistakes; the message lists all of them, one per line."""


@dataclass(frozen=True, kw_only=True)
class GlossaryTerm:
    """One entry; its fields are explained in the module's docstring."""

    name: str  # the heading, "top-p" or "bias (parameter)"
    slug: str  # its name in addresses
    definition: str
    forms: tuple[str, ...]  # words in a text that link here; plurals are found without being listed
    formula: str
    elsewhere: tuple[str, ...]
    see: tuple[str, ...]
    line: int  # its line in the file


@lru_cache(maxsize=1)
def _parse_file(changed: int) -> tuple[GlossaryTerm, ...]:
    return _parse_glossary(localized_path(FILE).read_text(encoding="utf-8"))


def glossary_terms() -> tuple[GlossaryTerm, ...]:
    """Return all terms in alphabetical order. Raises _GlossaryRefused if the file has mistakes."""
    return _parse_file(localized_path(FILE).stat().st_mtime_ns)


def _parse_glossary(text: str) -> tuple[GlossaryTerm, ...]:
    """Parse the terms of a glossary. Raises _GlossaryRefused with every problem, "line 12: ..."."""
    problems: list[str] = []
    entries = [_term(line, name, body, problems) for line, name, body in _entries(text, problems)]
    _check_unique("the term", [(term.name.casefold(), term) for term in entries], problems)
    forms = [(form, term) for term in entries for form in {*map(str.casefold, term.forms)}]
    _check_unique("the form", forms, problems)
    _check_unique("the address", [(term.slug, term) for term in entries], problems)
    if problems:
        raise _GlossaryRefused("\n".join(problems))
    return tuple(sorted(entries, key=lambda term: term.name.casefold()))


def regular_plural(word: str) -> str:
    """Return the regular plural, for finding words in texts: "keys", "entropies", "losses"."""
    if not word or not word[-1].isalpha() or not word[-1].isascii():
        return word
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    return word + "s"


def _entries(text: str, problems: list[str]) -> list[tuple[int, str, list[tuple[int, str]]]]:
    """Return (line, name, lines of the entry) for each heading; the text before the first is for authors."""
    entries: list[tuple[int, str, list[tuple[int, str]]]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("## "):
            entries.append((number, line[3:].strip(), []))
        elif entries and line.strip():
            entries[-1][2].append((number, line.strip()))
    if not entries:
        problems.append("line 1: there is no term; each begins with “## name”")
    return entries


def _term(line: int, name: str, body: list[tuple[int, str]], problems: list[str]) -> GlossaryTerm:
    facts: dict[str, str] = {}
    sentences: list[str] = []
    for number, text in body:
        if not text.startswith("- "):
            sentences.append(text)
            continue
        key, _, value = text[2:].partition(": ")
        if key not in FACTS or not value.strip():
            problems.append(f"line {number}: “{text}” is not one of {', '.join(FACTS)} with something after the colon")
        elif key in facts:
            problems.append(f"line {number}: “{name}” has {key} twice")
        else:
            facts[key] = value.strip()
    definition = " ".join(sentences)
    if not definition.endswith("."):
        problems.append(f"line {line}: the definition of “{name}” is missing, or does not end with a full stop")
    if len(definition) > MAX_DEFINITION:
        problems.append(f"line {line}: “{name}” takes {len(definition)} characters; a card holds {MAX_DEFINITION}")
    if "see" not in facts:
        problems.append(f"line {line}: “{name}” does not say where to see it")
    forms = facts.get("forms", "")
    shown = facts.get("name", name)
    own = () if forms.startswith("only ") else (shown,)
    if LOCALE == PSEUDO_LOCALE:
        definition, shown = pseudo_translate(definition), pseudo_translate(shown)
    return GlossaryTerm(
        name=shown,
        slug=_term_slug(name),
        definition=definition,
        forms=(*own, *(form.replace("\\", "") for form in _split(forms.removeprefix("only "), ","))),
        formula=facts.get("formula", ""),
        elsewhere=_split(facts.get("elsewhere", ""), ";"),
        see=_split(facts.get("see", ""), ","),
        line=line,
    )


def _term_slug(name: str) -> str:
    """Return a term's name in addresses: "bias-parameter"."""
    return re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")


def _split(text: str, mark: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(mark) if part.strip())


def _check_unique(what: str, keys: list[tuple[str, GlossaryTerm]], problems: list[str]) -> None:
    first: dict[str, GlossaryTerm] = {}
    for key, term in keys:
        other = first.setdefault(key, term)
        if other is not term:
            problems.append(
                f"line {term.line}: {what} “{key}” of “{term.name}” is that of “{other.name}”, line {other.line}"
            )
