"""The text of an exhibit: a Markdown file of its own, in which numbers appear by name.

    # A number for minus infinity

    rows that may read nothing at all. Only there do the choices differ.

    ## Try
    **Move to row 3.** ?row=3
    A row that may read something doesn't care: every choice leaves exactly 0 on blocked tokens.

    **Do the same with windows of other sizes.** (formula)
    A window of w through L layers reaches L·(w − 1) tokens back.

    **Open a cell above the diagonal.** when: changed drawn
    Its row reads the future now.

    ## Formula
    w = \\frac{m e^s}{\\sum m e^s}

    ## row (caption, numbers)
    Row {{ row }}: all {{ n }} choices leave {{ leak|small }} on blocked tokens.

The file contains the title; what to look for; things to try, each optionally with a depth, with the controls that a
click sets (written as in an address), or with the condition (`core.ui.exhibit.completion_conditions`) for when the
reader has done it; a formula; and then any sections. Each section may have a style (text, caption, info, warning;
number: its first word, large) and a depth from which on it is shown; (here) places it among the pictures instead of
next to them; (plain) means that it isn't Markdown, as for a picture's label or alternative text. A section with a
condition, `## over (caption) if is_over`, is placed by the frame: after the pictures, in file order, if its condition
holds (`if true`: always). `ui.show_text_section` places any other section by name, and `ui.section_text` returns its
text. Templates and conditions are written in Jinja.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from jinja2 import StrictUndefined, Template, meta
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.sandbox import ImmutableSandboxedEnvironment

from core.browser.choice_indexed_values import BrowserComputedValue, ByChoice
from core.data.localization import numbers, quantities
from core.data.localization.labels import Labels, localized_path, pseudo_markdown
from core.data.localization.locales import LOCALE, PSEUDO_LOCALE
from core.data.printable import visible_token
from core.ui.exhibit.text_placeholders import choice_aware_template_filter, placeholder_in_text
from core.ui.frame.depth import DEPTHS, Depth, depth_at_least
from core.ui.room_folders import TEXTS
from core.ui.text_formatting import escape_markdown, pluralize

TEXT_STYLES = ("text", "caption", "info", "warning", "error", "success", "number", "plain")
HERE, UNSEEN = "here", "unseen"
_HEADING = re.compile(r"^## +(.+?)(?: +\(([a-z, ]+)\))?(?: +if +(.+?))? *$", re.MULTILINE)
_LINES = re.compile(r"^(\||[-*] |\d+\. |    )|  $", re.MULTILINE)
_TRY = re.compile(
    r"\*\*([^\n]+?)\*\*(?: +\(([a-z]+)\))?(?: +\?(\S+))?(?: +when: +([^\n]+?))? *\n(.+)",
    re.DOTALL,
)


class TrustedMarkdown(str):
    """Our own text, whose Markdown is rendered; any other text that is inserted into a template is escaped."""

    __slots__ = ()


@dataclass(frozen=True)
class SectionTemplate:
    """A section of text with names of values in it."""

    text: str  # a template
    style: str = "text"  # of `TEXT_STYLES`
    depth: Depth = "story"  # from which on it is shown
    is_inline: bool = False  # whether it is placed among the pictures
    condition: str = ""  # an expression under which the frame places it; "": only `ui.show_text_section` places it

    @cached_property
    def text_names(self) -> tuple[str, ...]:
        """The names of the values that its text needs."""
        return _compiled(self.text, self.style == "plain")[1]

    @cached_property
    def condition_names(self) -> tuple[str, ...]:
        """The names of the values that its condition needs."""
        return _compiled_condition(self.condition)[1]

    def applies(self, value_of: Callable[[str], object]) -> bool:
        """Evaluate its condition with values by name."""
        holds, names = _compiled_condition(self.condition)
        return bool(holds(**{name: value_of(name) for name in names}))


@dataclass(frozen=True)
class TryChip:
    """Something to try."""

    action: str  # do, expect: what to do, and what it leads to
    expectation: str
    settings: Mapping[str, Sequence[str]]  # the controls that a click sets, name -> values as in an address
    depth: Depth = "story"  # from which on it is offered
    # the condition for when the reader has done it, see `core.ui.exhibit.completion_conditions`; `UNSEEN` if it can't
    # be detected; "" if a click does everything, or if it sets nothing
    done_when: str = ""

    @property
    def acts_on_click(self) -> bool:
        """True if a click does everything; otherwise the reader is asked to act."""
        return bool(self.settings) and not self.done_when

    @property
    def is_detectable(self) -> bool:
        """True if the page can detect that the reader has done it."""
        return self.done_when not in ("", UNSEEN)


@dataclass(frozen=True)
class ExhibitMarkdown:
    """The contents of one text file."""

    title: str  # title, look_for, formula: templates, like all texts
    look_for: str
    try_chips: tuple[TryChip, ...]
    formula: str | None
    sections: Mapping[str, SectionTemplate]  # by name


def load_exhibit_markdown(room: str, exhibit: str) -> ExhibitMarkdown:
    """Load the text of one of the app's own exhibits, `assets/rooms/<room>/<exhibit>.md`."""
    return read_exhibit_markdown_file(TEXTS / room / f"{exhibit}.md")


@cache
def read_exhibit_markdown_file(path: Path) -> ExhibitMarkdown:
    """Load the text of an exhibit from its file.

    Raises:
        ValueError: if the file does not have the format above.
    """
    return _parse(localized_path(path).read_text(encoding="utf-8"))


def _parse(text: str) -> ExhibitMarkdown:
    """Parse the text of a file. Raises ValueError if it does not have the format above."""
    head, *rest = _HEADING.split(text)
    title, _, look_for = head.strip().partition("\n")
    if not title.startswith("# ") or not look_for.strip():
        raise ValueError("the words begin with “# Title”, an empty line, and a sentence on what to look for")
    parts = dict(zip(rest[::4], zip(rest[1::4], rest[2::4], rest[3::4], strict=True), strict=True))
    parts.pop("Labels", None)  # see `core.data.localization.labels`
    formula, tries = parts.pop("Formula", None), parts.pop("Try", (None, None, ""))[2]
    return ExhibitMarkdown(
        _translated(title[2:].strip()),
        _translated(" ".join(look_for.split())),
        tuple(_tries(tries.strip())),
        None if formula is None else formula[2].strip(),
        {name: _section(marks, condition or "", body.strip()) for name, (marks, condition, body) in parts.items()},
    )


def _tries(text: str) -> Iterator[TryChip]:
    for block in filter(None, re.split(r"\n\s*\n(?=\*\*)", text)):
        found = _TRY.fullmatch(block)
        if found is None:
            raise ValueError(f"something to try is “**Do this.**”, and below it what comes of it: {block[:60]!r}")
        do, depth, sets, when, expect = found.groups("")
        do, expect = _translated(" ".join(do.split())), _translated(expect.strip())
        yield TryChip(do, expect, parse_qs(sets, keep_blank_values=True), _depth(depth), when)


def _section(marks: str | None, condition: str, body: str) -> SectionTemplate:
    look, depth, given = "text", "", [*filter(None, (marks or "").replace(" ", "").split(","))]
    for mark in given:
        if mark in TEXT_STYLES:
            look = mark
        elif mark != HERE:
            depth = mark
    return SectionTemplate(_translated(body), look, _depth(depth), HERE in given, condition)


def _translated(text: str) -> str:
    return pseudo_markdown(text) if LOCALE == PSEUDO_LOCALE else text


def _depth(mark: str) -> Depth:
    if mark and mark not in DEPTHS:
        raise ValueError(f"({mark}) is neither a depth nor a look: {', '.join((*DEPTHS, *TEXT_STYLES))}")
    return next((depth for depth in DEPTHS if depth == mark), "story")


def render_template(text: str, value_of: Callable[[str], object], is_plain: bool = False) -> str:
    """Render a template.

    Args:
        value_of: called only for the names that the template needs, because a property may be costly.
        is_plain: True if it isn't Markdown.

    Raises:
        jinja2.TemplateError: if it uses something that does not exist; authors see it in a test.
    """
    template, names = _compiled(text, is_plain)
    values = {name: value_of(name) for name in names}
    if "at_least" not in text and all(
        map(_is_simple, values.values())
    ):  # `depth_at_least` depends on the visitor's depth
        return _rendered(text, is_plain, tuple(values.items()), repr(values))
    return unwrap_paragraphs(template.render(values))


def _is_simple(value: object) -> bool:
    return isinstance(value, str | int | float | None) and not isinstance(value, TrustedMarkdown)  # its repr is a str's


@lru_cache(4_096)  # many sentences are the same for many values of a choice, and for all visitors
def _rendered(text: str, is_plain: bool, values: tuple[tuple[str, object], ...], written: str) -> str:
    """Render a template with these values; `written` distinguishes equal values such as 1, 1.0 and True."""
    return unwrap_paragraphs(_compiled(text, is_plain)[0].render(values))


def unwrap_paragraphs(text: str) -> str:
    """Put each paragraph on one line; leave tables, lists and code unchanged."""
    parts = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(part if _LINES.search(part) else " ".join(part.split()) for part in parts)


@cache
def _compiled(text: str, is_plain: bool) -> tuple[Template, tuple[str, ...]]:
    names = meta.find_undeclared_variables(_ENVIRONMENT.parse(text)) - _ENVIRONMENT.globals.keys()
    return (_PLAIN if is_plain else _ENVIRONMENT).from_string(text), tuple(sorted(names))


@cache
def _compiled_condition(condition: str) -> tuple[Callable[..., object], tuple[str, ...]]:
    names = meta.find_undeclared_variables(_ENVIRONMENT.parse(f"{{{{ {condition} }}}}")) - _ENVIRONMENT.globals.keys()
    is_not, name = condition.startswith("not "), condition.removeprefix("not ")
    if names == {name}:  # most are a single name, evaluated for every value of a choice: that needs no template
        return lambda **values: bool(values[name]) is not is_not, (name,)
    return _ENVIRONMENT.compile_expression(condition, undefined_to_none=False), tuple(sorted(names))


def _finalize(value: object) -> object:
    """Escape a text from elsewhere, and replace a choice-dependent value by its placeholder."""
    if isinstance(value, ByChoice | BrowserComputedValue):
        return TrustedMarkdown(placeholder_in_text(value))
    return escape_markdown(value) if isinstance(value, str) and not isinstance(value, TrustedMarkdown) else value


class _OwnText(Extension):
    """The Jinja extension that marks quoted strings in a template as our own text."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        for token in stream:
            yield token
            if token.type == "string":
                yield Token(token.lineno, "pipe", "|")
                yield Token(token.lineno, "name", "markdown")


def jinja_environment(kind: type[ImmutableSandboxedEnvironment] = ImmutableSandboxedEnvironment) -> Any:
    """Make a Jinja environment of this kind with our filters."""
    made = kind(
        undefined=StrictUndefined, finalize=_finalize, trim_blocks=True, lstrip_blocks=True, extensions=[_OwnText]
    )
    ours: dict[str, Callable[..., str]] = {
        "of": numbers.format_number,  # {{ loss|of(".3f") }}
        "small": numbers.format_power_of_ten,
        "short": quantities.format_count,
        "signed": numbers.format_with_minus_sign,
        "times": quantities.format_ratio,
        "in_bytes": quantities.format_bytes,
        "plural": lambda count, word, words=None: pluralize(count, word, words) if words else pluralize(count, word),
    }
    made.filters |= {name: choice_aware_template_filter(name, _trusted(function)) for name, function in ours.items()}
    made.filters["markdown"] = _as_markdown
    made.filters["capitalize"] = choice_aware_template_filter("capitalize", Labels.capitalize)
    made.filters["token"] = choice_aware_template_filter(
        "token", lambda token: token.strip() or visible_token(token)
    )  # a space is made visible
    made.globals["at_least"] = depth_at_least
    return made


def _as_markdown(value: object) -> TrustedMarkdown:
    """Mark a value as our own Markdown. The browser fills in plain text only, so a choice-dependent one is refused.

    Raises:
        TypeError: if the value is indexed by choices; use
            `ui.add_template_values(ui.select_by_choice([{"name": …}, …], choice))`.
    """
    if isinstance(value, ByChoice | BrowserComputedValue):
        raise TypeError("Markdown by choice needs ui.add_template_values(ui.select_by_choice(mappings, choice))")
    return TrustedMarkdown(value)


def _trusted(function: Callable[..., str]) -> Callable[..., TrustedMarkdown]:
    return lambda *args, **how: TrustedMarkdown(function(*args, **how))


_ENVIRONMENT = jinja_environment()
_PLAIN = _ENVIRONMENT.overlay(finalize=None)
