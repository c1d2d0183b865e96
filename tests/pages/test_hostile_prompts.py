"""Sixty hostile texts in the text box of each room: plain words, no fault, under five seconds each."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests import tiny_model

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {"heads": "pages/attention/heads.py", "next token": "pages/generate/next_token.py", "home": "app.py"}
MOST_SECONDS = 5.0
RANDOM = random.Random(0)

TEXTS = {
    "empty": "",
    "one letter": "a",
    "one space": " ",
    "only spaces": " " * 500,
    "only line ends": "\n" * 200,
    "tabs": "\t" * 100,
    "carriage returns": "a\r\nb\rc\n\r\r\n",
    "vertical tab and form feed": "a\x0bb\x0cc",
    "no-break and thin spaces": "a\u00a0b\u2009c\u3000d",
    "line separators": "a\u2028b\u2029c\x85d",
    "BOM": "\ufeffAnna had a ball",
    "UTF-16 read as Latin": "A\x00n\x00n\x00a\x00",
    "lone high surrogate": "Anna \ud83d had",
    "lone low surrogate": "Anna \udc00 had",
    "surrogates the wrong way round": "\udc00\ud83d",
    "NUL": "Anna\x00had",
    "only NUL": "\x00" * 50,
    "every control character": "".join(map(chr, range(32))) + "\x7f" + "".join(map(chr, range(0x80, 0xA0))),
    "invalid UTF-8 replaced": b"Anna \xff\xfe had".decode("utf-8", "replace"),
    "right-to-left override": "\u202eAnna had a ball\u202c",
    "all directions": "\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u2069",
    "Arabic and Hebrew": "\u0645\u0631\u062d\u0628\u0627 \u05e9\u05dc\u05d5\u05dd",
    "a thousand combining marks": "a" + "\u0301" * 1000,
    "zalgo": "".join(c + "\u0321\u0489\u035c" * 8 for c in "Anna had a ball"),
    "seventy emoji": "\U0001f600" * 70,
    "family with joiners": "\U0001f468\u200d\U0001f469\u200d\U0001f467" * 20,
    "flags and skin tones": "\U0001f1e9\U0001f1ea\U0001f44d\U0001f3fd" * 20,
    "NFC twin": "caf\u00e9",
    "NFD twin": "cafe\u0301",
    "zero-width characters": "A\u200bn\u200cn\u200da\u2060 had\ufeff",
    "private use": "\ue000\uf8ff\U000f0000",
    "unassigned and non-characters": "\uffff\ufffe\U0010ffff",
    "the unknown token itself": "\ufffd" * 40,
    "the visible space and line end": "\u2423\u21b5\u00b7",
    "Chinese": "\u5f20\u4e09\u6709\u4e00\u4e2a\u7403" * 30,
    "only unknown words": "zeppelin xylophone quasar " * 30,
    "a megabyte in one line": "Anna had a ball. " * 62_500,
    "a word of a million letters": "a" * 1_000_000,
    "a million digits": "9" * 1_000_000,
    "a hundred thousand line ends": "a\n" * 100_000,
    "a million random characters": "".join(chr(RANDOM.randrange(1, 0xD800)) for _ in range(1_000_000)),
    "punctuation only": "!?.,;:" * 100,
    "quotes": "\"'`\u201c\u201d\u2018\u2019" * 40,
    "HTML with a script": "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "SVG with a script": "<svg onload=alert(1)>",
    "an iframe": "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "Markdown image": "![x](http://canary.example/a.png)",
    "Markdown link with script": "[a](javascript:alert(1))",
    "Markdown table, heading and rule": "# a\n\n| a | b |\n|---|---|\n\n---\n> q",
    "Streamlit directives": ":red[a] :material/home: :blue-badge[b] :smile:",
    "LaTeX": "$\\frac{1}{0}$ $$\\def\\x{\\x\\x}\\x$$ \\input{/etc/passwd}",
    "templates": "{{7*7}} ${7*7} #{7*7} %s %n {0} {looked}",
    "formula cells": "=cmd|'/c calc'!A1\t+1\t-1\t@SUM(A1)",
    "SQL": "'; DROP TABLE runs; --",
    "shell": "$(rm -rf /) `id` && ls | cat ; exit",
    "paths": "../../../../etc/passwd C:\\Windows\\system32 \\\\server\\share",
    "prototype pollution": '{"__proto__": {"x": 1}, "constructor": 1}',
    "JSON nested deep": "[" * 5_000,
    "regular expression bait": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" * 30 + "(a+)+$",
    "numbers that are none": "nan inf -inf 1e309 -0 0x10 1_000",
    "query string": "&text=other&layer=99&row=x#fragment?a=b%00%ff",
    "the separators of our keys": "0,1,2 : . 1.2.3:0.5,0.5",
}


@pytest.fixture(scope="module", autouse=True)
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with a model of words and one of letters."""
    folder = tmp_path_factory.mktemp("data")
    tiny_model.write(folder / "models" / "stories")
    tiny_model.write(folder / "models" / "letters", "char")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GLASSFORMER_DATA", str(folder))
        yield folder


def test_there_are_enough() -> None:
    assert len(TEXTS) >= 50


@pytest.mark.slow
@pytest.mark.parametrize("model", ["stories", "letters"])
@pytest.mark.parametrize("room", ROOMS)
def test_hostile_text(room: str, model: str) -> None:
    if (room, model) == ("home", "letters"):
        model = "stories"
    test = AppTest.from_file(str(ROOT / ROOMS[room]), default_timeout=60)
    if room != "home":
        test.query_params["model"] = model
    test.run()
    for name, text in TEXTS.items():
        started = time.process_time()
        box = test.text_input if room == "home" else test.text_area
        # A browser cannot send a lone surrogate either: the message is UTF-8.
        box(key="text").set_value(text.encode("utf-8", "replace").decode()).run()
        seconds = time.process_time() - started  # of ours, whatever else the machine does
        assert not test.exception, name
        assert not [error.value for error in test.error], name
        assert seconds < MOST_SECONDS, f"{name}: {seconds:.1f} s"
        drawn = bool(test.get("bidi_component"))
        said = " ".join(element.value for element in [*test.info, *test.warning, *test.caption])
        assert drawn or "empty" in said or "Type a word" in said, name


@pytest.mark.parametrize("name", ["Markdown image", "HTML with a script", "Streamlit directives", "LaTeX"])
def test_hostile_text_in_a_message_is_escaped(name: str) -> None:
    test = AppTest.from_file(str(ROOT / ROOMS["heads"]), default_timeout=60).run()
    test.text_area(key="text").set_value(TEXTS[name]).run()
    shown = " ".join(element.value for element in [*test.markdown, *test.caption])
    for raw in ("![x](", "<script>", ":red[a]", "$\\frac"):
        assert raw not in shown
