"""Formulas as MathML: a tree of known elements, so what a lesson writes in one stays text."""

import html
import re
from typing import Any

MAX_LETTERS = 2_000  # of one formula; the longest of our lessons has 120
_ELEMENTS = {"math", "menclose", "mfrac", "mi", "mn", "mo", "mover", "mpadded", "mphantom", "mroot", "mrow"} | {
    "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
}  # fmt: skip
_ATTRIBUTES = {"accent", "columnalign", "columnlines", "columnspacing", "depth", "display", "displaystyle", "fence"} | {
    "form", "height", "linebreak", "linethickness", "lspace", "largeop", "mathbackground", "mathcolor", "mathsize",
    "mathvariant", "maxsize", "minsize", "movablelimits", "notation", "rowlines", "rowspacing", "rspace",
    "scriptlevel", "separator", "stretchy", "voffset", "width", "xmlns",
}  # fmt: skip
# A macro may double its argument again and again; no formula of a lesson needs one.
_DEFINES = re.compile(r"\\(def|newcommand|newenvironment|DeclareMathOperator)")
_REFERENCE = re.compile("&#x([0-9A-Fa-f]{1,6});")  # how the converter writes the characters that it adds


def to_mathml(latex: str, *, is_block: bool) -> str:
    """Return a formula as MathML, in which all text is escaped.

    Raises ValueError where the formula can't be read, is too long, or would have an element that isn't math.
    """
    from latex2mathml.converter import convert_to_element

    if len(latex) > MAX_LETTERS or _DEFINES.search(latex):
        raise ValueError(f"a formula has at most {MAX_LETTERS:,} letters and defines no macros")
    try:
        return _serialized(convert_to_element(latex, display="block" if is_block else "inline"))
    except Exception as error:  # the converter raises whatever its parser meets, StopIteration too
        raise ValueError("the formula can't be read") from error


def _serialized(one: Any) -> str:
    """An element of the converter's tree as markup."""
    if one.tag not in _ELEMENTS or not one.attrib.keys() <= _ATTRIBUTES:
        raise ValueError(f"{one.tag} with {sorted(one.attrib)} is no part of a formula")
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in one.attrib.items())
    text = _REFERENCE.sub(lambda found: _character(int(found[1], 16)), one.text or "")
    inside = html.escape(text, quote=False) + "".join(map(_serialized, one))
    return f"<{one.tag}{attributes}>{inside}</{one.tag}>"


def _character(code: int) -> str:
    return "\ufffd" if 0xD800 <= code < 0xE000 or code == 0 else chr(code)
