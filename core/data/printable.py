"""Make any piece of text safe to draw: broken bytes and invisible characters become visible marks."""

import re

from core.data import checks

# Hebrew, Arabic and their neighbors, as `assets/widgets/drawing/tokens.js` knows them; and what turns a line by itself.
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RUN = re.compile(rf"[{_RIGHT_TO_LEFT}](?:[^A-Za-z\n]*[{_RIGHT_TO_LEFT}])?")
_TURNED = re.compile("^.*[\u202a-\u202e].*$", re.MULTILINE)
_ISOLATE, _END = "\u2068", "\u2069"


def clean(text: str) -> str:
    """Replace lone surrogates by `�`, and join surrogate pairs into the character they mean.

    A lone surrogate is half a character: it exists in a Python string but in no valid UTF-8, so it cannot be
    saved, sent to a browser or encoded in bytes. Every tokenizer cleans its text first, as tiktoken does.
    """
    try:
        checks.text("text", text).encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def printable(piece: str | bytes) -> str:
    """The text of one token for drawing, always valid and visible.

    Spaces, tabs and newlines stay as they are (the page draws them). A byte that is only part of a character
    becomes `⟨E2⟩`, a control, direction or zero-width character becomes `⟨U+202E⟩`.
    """
    if isinstance(piece, bytes):
        piece = piece.decode("utf-8", "surrogateescape")  # a broken byte XX becomes the surrogate U+DCXX
    if piece.isprintable():
        return piece
    return "".join(c if c.isprintable() or c in "\n\t" else _mark(ord(c)) for c in piece)


def quote_briefly(text: object, max_chars: int = 40) -> str:
    """Quote what a person sent, short and printable, for a message; the caller still escapes it."""
    line = " ".join(str(text).split())
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in line)
    return f"“{line[:max_chars]}{'…' if len(line) > max_chars else ''}”"


def _mark(code: int) -> str:
    return f"⟨{code - 0xDC00:02X}⟩" if 0xDC80 <= code <= 0xDCFF else f"⟨U+{code:04X}⟩"


def visible(token: str) -> str:
    """A token with its spaces, tabs and line ends drawn, as the browser widgets draw them."""
    return token.replace(" ", "·").replace("\n", "⏎").replace("\t", "⇥")


def isolated(text: str) -> str:
    """A text whose parts that read from right to left turn nothing but themselves, for the eye only.

    In an English sentence, a Hebrew word pulls the numbers and quotation marks that follow it to its other side. The
    two invisible characters around it (first strong isolate, pop directional isolate) hold it together.
    """
    if _TURNED.search(text):
        return _TURNED.sub(rf"{_ISOLATE}\g<0>{_END}", text)
    return _RUN.sub(rf"{_ISOLATE}\g<0>{_END}", text)
