"""Letters that show nothing have a name in Python's labels and in the widgets, and it is the same.

Catches: a blank label, such as of an emoji's variant, an accent by itself, a Hangul filler, the empty token; and
a letter that only one of the two knows.
"""

import json
import subprocess
import unicodedata
from pathlib import Path

import pytest

from core.data.printable import printable_text, visible_token
from core.data.tokenizers import CharTokenizer

BLANK = ["\ufe0f", "\ufe00", "\u0301", "\u115f", "\u1160", "\u3164", "\uffa0", "\u034f", "\u17b4", "\u180b", "\u200b",
         "\u200c", "\u200d", "\u2060", "\u2800", "\u00ad", "\u3000", "\ufeff", "\U000e0041", "\U000e0100", "\U0001d159",
         "\u0085", "\u2028", "\u000c"]  # fmt: skip
SET_APART = "\u2068\u2069"  # these go around what is written from right to left
PLAIN = ["❤\ufe0f", "e\u0301", "क्षि", "abc", "漢字", "🙂", "ŁÓDŹ"]


def letters() -> list[str]:
    """Every letter that Unicode has given a meaning."""
    given = (chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000)
    return [c for c in given if unicodedata.category(c) != "Cn" and c not in SET_APART]


@pytest.mark.slow
def test_python_and_the_browser_say_the_same_of_every_letter(node: str) -> None:
    every = letters()
    marks = [c for c in every if unicodedata.category(c)[0] in "MCZ"]
    given = [*every, *(f"a{c}" for c in marks), *(f"{c}b" for c in marks), *PLAIN, "", " a\n\t", "\u0301" * 9 + "a",
             "e" + "\u0301" * 7, "\u200d\ufe0f", "\ufe0fa", "\u034f\u0301", "\U0001f468\u200d\U0001f469"]  # fmt: skip
    script = Path(__file__).with_name("hidden_letters.mjs")
    done = subprocess.run([node, script], input=json.dumps(given), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    theirs = [tuple(one) for one in json.loads(done.stdout)]
    ours = [(visible_token(text), printable_text(text)) for text in given]
    assert [(ascii(text), *map(ascii, (*one, *other))) for text, one, other in zip(given, ours, theirs, strict=True)
            if one != other][:5] == []  # fmt: skip


@pytest.mark.slow
def test_no_letter_alone_is_blank() -> None:
    for letter in letters():
        assert visible_token(letter).strip(" \u00a0") and (letter in " \n\t" or printable_text(letter).strip()), ascii(
            letter
        )
    assert visible_token("") == "∅"


@pytest.mark.parametrize("letter", BLANK, ids=ascii)
def test_a_token_that_shows_nothing_has_a_name(letter: str) -> None:
    tokenizer = CharTokenizer.train(f"ab{letter}")
    (name,) = tokenizer.tokens(tokenizer.encode(letter))
    assert name == ("◌\u0301" if letter == "\u0301" else f"⟨U+{ord(letter):04X}⟩")
    assert visible_token(letter) == ("◌\u0301" if letter == "\u0301" else f"[{ord(letter):02X}]")


@pytest.mark.parametrize("text", PLAIN, ids=ascii)
def test_what_can_be_seen_stays(text: str) -> None:
    assert printable_text(text) == text == visible_token(text)
