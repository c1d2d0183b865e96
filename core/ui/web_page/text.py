"""Texts of a page of its own: Markdown without Streamlit, with formulas as MathML."""

import html
import re
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from mdit_py_plugins.dollarmath import dollarmath_plugin

from core.ui.widgets.message import pack

_PAGE = MarkdownIt("commonmark", {"html": False}).enable("table")
_MATHML = {"math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow", "mspace"} | {
    "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
}  # fmt: skip
# Code spans come first and stay as they are: in them, ":n[0]" is code and no directive.
_STREAMLIT_DIRECTIVE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|:material/\w+: ?|:[a-z-]+\[(?P<text>(?:[^\]\\]|\\.)*)\]",
    re.DOTALL,
)
_TO_ROOM = re.compile(r'<a href="(?!https?:)[^"]*">(.*?)</a>')


def as_message(text: str, look: str) -> bytes:
    """A sentence without facts, for the widget that shows sentences, where Streamlit is not."""
    return html_message(to_page(text), look)


def html_message(html: str, look: str) -> bytes:
    """The same of HTML of ours."""
    return pack({"html": {"": html}, "section": "", "facts": [], "look": look}, {})


def to_page(text: str) -> str:
    """Markdown for a page of its own: formulas as MathML, without Streamlit's icons and colors and links to rooms."""
    made: str = _PAGE.render(text)
    return _TO_ROOM.sub(r"\1", made)


def sentence(text: str) -> str:
    """One line of Markdown for a page of its own, without a paragraph around it."""
    made: str = _PAGE.renderInline(text)
    return _TO_ROOM.sub(r"\1", made)


def code_block(text: str) -> str:
    """Markdown that shows a text letter by letter, whatever is in it."""
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _remove_directives(state: StateCore) -> None:
    """Take Streamlit's directives out of the running text; blocks of code have tokens of their own."""
    for token in state.tokens:
        if token.type == "inline":
            token.content = _STREAMLIT_DIRECTIVE.sub(lambda found: found["code"] or found["text"] or "", token.content)


class _OnlyMath(HTMLParser):
    """Refuses what is no formula: a text in one comes out of the converter as it went in, elements and all."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _MATHML or any(name in ("href", "style") or name.startswith("on") for name, _ in attrs):
            raise ValueError(f"{tag} is no part of a formula")


def _math(latex: str, how: Mapping[str, Any]) -> str:
    """A formula as browsers draw it; as it was written, where it cannot be read."""
    from latex2mathml.converter import convert

    try:
        made = str(convert(latex, display="block" if how["display_mode"] else "inline"))
        _OnlyMath().feed(made)
        return made
    except Exception:  # whatever a parser of formulas may raise
        return f"<code>{html.escape(latex)}</code>"


_PAGE.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True, renderer=_math)
_PAGE.core.ruler.before("inline", "streamlit_directives", _remove_directives)
