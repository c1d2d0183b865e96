"""Texts of a page of its own: Markdown without Streamlit, with formulas as MathML."""

import html
import re
from collections.abc import Mapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from mdit_py_plugins.dollarmath import dollarmath_plugin

from core.data.printable import clean
from core.ui.web_page.formula import to_mathml
from core.ui.widgets.message import pack

_PAGE = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
# Code spans come first and stay as they are: in them, ":n[0]" is code and no directive.
_STREAMLIT_DIRECTIVE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|:material/\w+: ?|:[a-z-]+\[(?P<text>(?:[^\]\\]|\\.)*)\]",
    re.DOTALL,
)
_TO_THE_WEB = re.compile(r"https?://", re.IGNORECASE)


def as_message(text: str, look: str) -> bytes:
    """A sentence without facts, for the widget that shows sentences, where Streamlit is not."""
    return html_message(to_page(text), look)


def html_message(html: str, look: str) -> bytes:
    """The same of HTML of ours."""
    return pack({"html": {"": html}, "section": "", "facts": [], "look": look}, {})


def to_page(text: str) -> str:
    """Markdown for a page of its own: formulas as MathML, without Streamlit's icons and colors and links to rooms."""
    made: str = _PAGE.render(clean(text))
    return made


def sentence(text: str) -> str:
    """One line of Markdown for a page of its own, without a paragraph around it."""
    made: str = _PAGE.renderInline(clean(text))
    return made


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


def _remove_links_to_rooms(state: StateCore) -> None:
    """Leave the words of each link that leads elsewhere than to the web; links don't nest in Markdown."""
    for token in state.tokens:
        kept, is_room = [], False
        for one in token.children or ():
            if one.type == "link_open":
                is_room = _TO_THE_WEB.match(str(one.attrGet("href"))) is None
            if not (is_room and one.type in ("link_open", "link_close")):
                kept.append(one)
        if token.children is not None:
            token.children = kept


def _math(latex: str, how: Mapping[str, Any]) -> str:
    """A formula as browsers draw it; as it was written, where it cannot be read."""
    try:
        return to_mathml(latex, is_block=how["display_mode"])
    except ValueError:
        return f"<code>{html.escape(latex)}</code>"


_PAGE.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True, renderer=_math)
_PAGE.core.ruler.before("inline", "streamlit_directives", _remove_directives)
_PAGE.core.ruler.push("links_to_rooms", _remove_links_to_rooms)
