"""Text of standalone pages: Markdown without Streamlit, with formulas as MathML.

A formula becomes a tree of known elements, so anything else that a lesson writes in it stays text.
"""

import html
import re
from collections.abc import Mapping
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from mdit_py_plugins.dollarmath import dollarmath_plugin

from core.browser.message_packing import pack_message
from core.data.printable import replace_surrogates

_PAGE = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
# Code spans are matched first and left unchanged, because ":n[0]" in them is code, not a directive.
_STREAMLIT_DIRECTIVE = re.compile(
    r"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|:material/\w+: ?|:[a-z-]+\[(?P<text>(?:[^\]\\]|\\.)*)\]",
    re.DOTALL,
)
_TO_THE_WEB = re.compile(r"https?://", re.IGNORECASE)
_MAX_LETTERS = 2_000  # in a formula; the longest in our lessons has 120
_ELEMENTS = {"math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow"} | {
    "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
}  # fmt: skip
_ATTRIBUTES = {"accent", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence"} | {
    "form", "height", "linebreak", "linethickness", "lspace", "largeop", "mathbackground", "mathcolor", "mathsize",
    "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspacing", "rspace",
    "scriptlevel", "separator", "stretchy", "voffset", "width", "xmlns",
}  # fmt: skip
# A macro could double its argument again and again, and no formula of a lesson needs one.
_DEFINES = re.compile(r"\\(def|newcommand|newenvironment|DeclareMathOperator)")
_REFERENCE = re.compile("&#x([0-9A-Fa-f]{1,6});")  # the converter's form of characters that it adds


def markdown_message(text: str, look: str) -> bytes:
    """Return the message of a fixed sentence for the sentence widget, for pages without Streamlit."""
    return trusted_html_message(markdown_to_page_html(text), look)


def trusted_html_message(html: str, look: str) -> bytes:
    """Return the message of trusted HTML for the sentence widget."""
    return pack_message({"html": {"": html}, "section": "", "facts": [], "look": look}, {})


def markdown_to_page_html(text: str) -> str:
    """Render Markdown for a standalone page: formulas as MathML, no Streamlit icons or colors, no links to rooms."""
    made: str = _PAGE.render(replace_surrogates(text))
    return made


def sentence_to_html(text: str) -> str:
    """Render a line of Markdown for a standalone page, without a paragraph around it."""
    made: str = _PAGE.renderInline(replace_surrogates(text))
    return made


def markdown_code_block(text: str) -> str:
    """Return Markdown that shows a text verbatim, whatever it contains."""
    longest = max((len(run) for run in re.findall("~+", text)), default=0)
    fence = "~" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _remove_directives(state: StateCore) -> None:
    """Remove Streamlit's directives from running text; code blocks have separate tokens."""
    for token in state.tokens:
        if token.type == "inline":
            token.content = _STREAMLIT_DIRECTIVE.sub(lambda found: found["code"] or found["text"] or "", token.content)


def _remove_links_to_rooms(state: StateCore) -> None:
    """Replace each link that doesn't lead to the web by its text; links don't nest in Markdown."""
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
    """Render a formula as MathML, or as its source if it cannot be parsed."""
    try:
        return _to_mathml(latex, is_block=how["display_mode"])
    except ValueError:
        return f"<code>{html.escape(latex)}</code>"


def _to_mathml(latex: str, *, is_block: bool) -> str:
    """Return a formula as MathML, in which all text is escaped.

    Raises ValueError if the formula can't be parsed, is too long, or would contain an element that isn't math.
    """
    from latex2mathml.converter import convert_to_element

    if len(latex) > _MAX_LETTERS or _DEFINES.search(latex):
        raise ValueError(f"a formula has at most {_MAX_LETTERS:,} letters and defines no macros")
    try:
        return _serialized(convert_to_element(latex, display="block" if is_block else "inline"))
    except Exception as error:  # the converter raises any error of its parser, even StopIteration
        raise ValueError("the formula can't be read") from error


def _serialized(one: Any) -> str:
    """Return an element of the converter's tree as markup."""
    if one.tag not in _ELEMENTS or not one.attrib.keys() <= _ATTRIBUTES:
        raise ValueError(f"{one.tag} with {sorted(one.attrib)} is no part of a formula")
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in one.attrib.items())
    text = _REFERENCE.sub(lambda found: _character(int(found[1], 16)), one.text or "")
    inside = html.escape(text, quote=False) + "".join(map(_serialized, one))
    return f"<{one.tag}{attributes}>{inside}</{one.tag}>"


def _character(code: int) -> str:
    return "\ufffd" if 0xD800 <= code < 0xE000 or code == 0 else chr(code)


_PAGE.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True, renderer=_math)
_PAGE.core.ruler.before("inline", "streamlit_directives", _remove_directives)
_PAGE.core.ruler.push("links_to_rooms", _remove_links_to_rooms)
