"""Text made safe to draw: broken bytes and invisible characters become visible marks."""

import re
from itertools import groupby
from unicodedata import category

from core.data import checks

# Hebrew, Arabic and related scripts, as in `assets/widgets/drawing/tokens.js`; and characters that turn a whole line.
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_RUN = re.compile(rf"[{_RIGHT_TO_LEFT}](?:[^A-Za-z\n]*[{_RIGHT_TO_LEFT}])?")
_TURNED = re.compile("^.*[\u202a-\u202e].*$", re.MULTILINE)
_ESCAPED = re.compile(rb"\\u[dD][89a-fA-F]")  # half a character, as JSON may write it
_ISOLATE, _END = "\u2068", "\u2069"
# Invisible letters, as `assets/widgets/engine/hidden_letters.js` lists them; a test compares the two. Controls,
# direction marks, line ends, blanks in many scripts (Hangul fillers, Mongolian and Khmer marks, an empty Braille cell,
# a note without a head), word joiners, and code points that Unicode reserves for more of them.
_HIDDEN = re.compile(
    "[\u0000-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200b\u200e\u200f"
    "\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d159"
    "\U0001d173-\U0001d17a\U000e0000-\U000e001f\U000e0080-\U000e00ff\U000e01f0-\U000e0fff]"
)
# A token made only of characters that modify the ones before them: emoji variants, joiners, flags' tags.
_ONLY_JOINERS = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]+")
_CARRIER = "◌"  # of an accent without a letter, which would otherwise be drawn on the character before it
_SIGNS = {" ": "·", "\n": "⏎", "\t": "⇥"}
_EMPTY = "∅"
_TOWER = 4  # marks on one letter; a taller stack would cover the neighboring lines


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates by `�`, and join surrogate pairs into the character they mean.

    A lone surrogate is half a character: it exists in a Python string but in no valid UTF-8, so it cannot be
    saved, sent to a browser or encoded in bytes. Every tokenizer cleans its text first, as tiktoken does.
    """
    try:
        checks.check_text("text", text).encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def replace_surrogates_in_json(value: object) -> object:
    """Clean all texts and names in a JSON value: `"\\ud800"` is valid JSON, but only half a character."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [replace_surrogates_in_json(one) for one in value]
    return (
        {replace_surrogates(name): replace_surrogates_in_json(one) for name, one in value.items()}
        if isinstance(value, dict)
        else value
    )


def has_no_surrogates(raw: bytes, value: object) -> bool:
    """Return whether a JSON value has no lone surrogate; `raw`, its bytes, decides most cases quickly."""
    return _ESCAPED.search(raw) is None or replace_surrogates_in_json(value) == value


def printable_text(piece: str | bytes) -> str:
    """Return the text of one token for drawing, always valid and visible.

    Spaces, tabs and newlines stay as they are (the page draws them). A byte that is only part of a character
    becomes `⟨E2⟩`, an invisible letter becomes `⟨U+202E⟩`, and an accent without a letter gets a circle.
    """
    if isinstance(piece, bytes):
        piece = piece.decode("utf-8", "surrogateescape")  # a broken byte XX becomes the surrogate U+DCXX
    if piece.isprintable() and (piece.isascii() or not (_HIDDEN.search(piece) or _is_alone(piece))):
        return piece
    if _ONLY_JOINERS.fullmatch(piece):
        return "".join(_mark(ord(c)) for c in piece)
    kept = ("\n", "\t", " ")
    out = "".join(c if c in kept or (c.isprintable() and not _HIDDEN.match(c)) else _mark(ord(c)) for c in piece)
    return _CARRIER + out if _is_accent(out[:1]) else out


def quote_briefly(text: object, max_chars: int = 40) -> str:
    """Quote a user's input in a message, short and printable; the caller still has to escape it."""
    line = " ".join(str(text).split())
    line = "".join(letter if letter.isprintable() else "\ufffd" for letter in line)
    return f"“{line[:max_chars]}{'…' if len(line) > max_chars else ''}”"


def _mark(code: int) -> str:
    return f"⟨{code - 0xDC00:02X}⟩" if 0xDC80 <= code <= 0xDCFF else f"⟨U+{code:04X}⟩"


def visible_token(token: str) -> str:
    """Make every letter of a token visible, as the browser widgets draw it (`assets/widgets/drawing/tokens.js`).

    Spaces, tabs and line ends get a sign, invisible letters become `[FE0F]`, the empty token `∅`. If a letter has more
    than four marks, the others are replaced by their number.
    """
    if token.isascii() and token.isprintable():
        return token.replace(" ", "·") or _EMPTY
    if _ONLY_JOINERS.fullmatch(token):
        return "".join(map(_code, token))
    carrier = _CARRIER if _is_accent(token[:1]) and not _HIDDEN.match(token) else ""
    out = carrier + "".join(_SIGNS.get(c) or (_code(c) if _HIDDEN.match(c) else c) for c in token)
    return _without_towers(out)


def _code(letter: str) -> str:
    return f"[{ord(letter):02X}]"


def _is_accent(letter: str) -> bool:
    return bool(letter) and category(letter)[0] == "M"


def _is_alone(piece: str) -> bool:
    """Return whether a piece begins with an accent, or only has characters that modify the letters before it."""
    return _is_accent(piece[0]) or _ONLY_JOINERS.fullmatch(piece) is not None


def _without_towers(text: str) -> str:
    """Keep four marks of each letter, followed by the number of the others."""
    if not any(map(_is_accent, text)):
        return text
    runs = ((is_mark, list(run)) for is_mark, run in groupby(text, _is_accent))
    return "".join(
        "".join(run[:_TOWER]) + (f"[+{len(run) - _TOWER}]" if is_mark and len(run) > _TOWER else "")
        if is_mark
        else "".join(run)
        for is_mark, run in runs
    )


def isolate_right_to_left(text: str) -> str:
    """Isolate the right-to-left parts of a text, so that they don't reorder the text around them; for display only.

    In an English sentence, a Hebrew word pulls the numbers and quotation marks that follow it to its other side. Two
    invisible characters around it (first strong isolate, pop directional isolate) prevent that.
    """
    if text.isascii():  # most are, and the searches take as long as all the other work on a label
        return text
    if _TURNED.search(text):
        return _TURNED.sub(rf"{_ISOLATE}\g<0>{_END}", text)
    return _RUN.sub(rf"{_ISOLATE}\g<0>{_END}", text)
