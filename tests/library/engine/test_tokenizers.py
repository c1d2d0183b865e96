"""The browser's tokenizers cut, read, join and print every text as Python's do."""

import inspect
import json
import subprocess
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from core.data import corpora, tokenizers
from core.data.printable import replace_surrogates
from core.data.tokenizers.known_word_normalization import recase_words_to_vocabulary, restrict_normalization_report
from core.inspect.model_inputs import model_and_text

ROOT = Path(__file__).resolve().parents[3]
MOST = 12
CORPORA = ("stories", "bottle-and-cup", "python-topics")
TEXTS = (
    "", " ", "  \n\n ", "don't stop, it's Anna's", "the dog saw ANNA and anna", "a<mask>b <mask> <mask>c", "<mask>",
    "naïve CAFÉ ÉCOLE", "東京 は ١٢٣ Ⅻ ½ ²", "e\u0301 o\u0308\u0323", "👩\u200d👩\u200d👧 🇩🇪 \U0001f9ff", "x" * 3000,
    "\ud800 lone \udc00 halves \ud83d", "\ud83d\ude00 \ude00\ud83d", "a\x1cb\x85c\ufeffd\u200be", "ǆ ß ﬁ İ ı ς ΑΣ’Α",
    "'s 't 'll 'LL 've'd", "tab\there\r\nline\rend", "   three   spaces   ", "0123456789" * 9, "_under_score_ __",
)  # fmt: skip
SIGNS = " \n\t\r'’_<mask>\u00a0\u3000\u2028\u200b\u00ad\u0301\u0345\ufe0f\ufeff"
RANGES = (range(32, 127), range(0x250), range(0x300, 0x600), range(0x600, 0x1100), range(0x3000, 0xA000, 7),
          range(0xD7F0, 0xE010), range(0xF900, 0x10000), range(0x10000, 0x20000, 3), range(0x1F300, 0x1F700),
          range(0x20000, 0x31000, 99), range(0xE0000, 0xE0200), range(0xF0000, 0x110000, 999))  # fmt: skip
CODES = [*range(0xF0000), *range(0xF0000, 0x110000, 99)]  # the last planes are for private use, each like the other
KNOWN = [c for c in map(chr, CODES) if unicodedata.category(c) not in ("Cn", "Cs")]
Case = tuple[Any, Sequence[tuple[Any, ...]]]  # a tokenizer, of Python or a file's content; the calls to make of it
# What begins a character in UTF-8, what goes on with one, what never may, and where the limits are.
BYTES = bytes.fromhex("41 C0 C3 E0 E2 ED EF F0 F4 F5 FF 80 8F 90 9F A0 BB BF")


def drawn_texts(draw: Random, n: int) -> list[str]:
    """Nonsense of all scripts, much of it in pieces of English; letters that newer tables have as well are left out."""
    pools = [[chr(c) for c in some if unicodedata.category(chr(c)) != "Cn"] for some in RANGES]
    english = corpora.load("stories").text[:20_000].split()
    texts = []
    for _ in range(n):
        parts = []
        for _ in range(draw.randint(1, 12)):
            nonsense = "".join(draw.choices(draw.choice([*pools, SIGNS]), k=draw.randint(1, 5)))
            word = draw.choice(english)
            parts.append(draw.choice([nonsense, nonsense, word, word.upper(), f" {word}"]))
        texts.append(draw.choice(["", " "]).join(parts))
    return texts


def trained() -> list[Any]:
    text = corpora.load("stories").text[:50_000] + "東京 été Straße İstanbul 👍 don't\t\x1c\u2028\u202e"
    sizes = (("char", None), ("char", 20), ("word", None), ("word", 60), ("word_bytes", None), ("word_bytes", 300),
             ("bpe", 256), ("bpe", 700))  # fmt: skip
    plain = [tokenizers.train_tokenizer(kind, text, size) for kind, size in sizes]
    return [*plain, *map(tokenizers.MaskedTextTokenizer, plain)]


def shipped() -> list[Any]:
    files = {path.read_bytes(): path for path in ROOT.glob("assets/models/*/tokenizer.json")}  # many have the same
    return [tokenizers.load(path.parent) for path in files.values()]


def grouped(characters: Sequence[str], n: int = 100) -> list[Sequence[str]]:
    return [characters[i : i + n] for i in range(0, len(characters), n)]


def drawn_merges(draw: Random) -> tokenizers.BPETokenizer:
    """Merges that no text would teach: of parts that overlap, twice to the same string, and long ones first."""
    parts, merges = [b"a", b"b", b" ", b"\xc3", b"\xa9"], []
    for _ in range(60):
        pair = draw.choice(parts), draw.choice(parts)
        if len(b"".join(pair)) < 40:
            merges.append(pair)
            parts.append(b"".join(pair))
    return tokenizers.BPETokenizer(merges)


def in_node(node: str, given: Sequence[Case]) -> list[Any]:
    """Return the results of the browser's tokenizers for the calls; None for one that it can't read."""
    told = [one if isinstance(one, dict) else json.loads(tokenizers.tokenizer_to_bytes(one)) for one, _ in given]
    asked = json.dumps([{"data": data, "calls": calls} for data, (_, calls) in zip(told, given, strict=True)])
    script = Path(__file__).with_name("tokenizers.mjs")
    done = subprocess.run([node, script], input=asked, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[Any] = json.loads(done.stdout)
    return found


def read(one: Any, text: str, most: int) -> dict[str, Any]:
    """As the pages read it: `encode`, whose `load` gives the tokenizer itself here."""
    encoded = inspect.unwrap(model_and_text.encode_text)(one, text, most)
    normalized = recase_words_to_vocabulary(one, text)
    n_token, end = len(one.encode(normalized.text)), normalized.text
    if n_token > most:
        before = [*getattr(one, "before", ())]
        end = one.decode(encoded.ids[len(before) :] if len(before) < most else encoded.ids)
        normalized = restrict_normalization_report(one, normalized, end)
    return {
        "text": replace_surrogates(encoded.text),
        "changed": [list(pair) for pair in normalized.changed.items()],
        "unknown": list(encoded.unknown),
        "ids": list(encoded.ids),
        "tokens": list(encoded.tokens),
        "cut": n_token if n_token > most else 0,
        "end": replace_surrogates(end),
    }


def compare(node: str, given: Sequence[Case]) -> None:
    for (one, calls), found in zip(given, in_node(node, given), strict=True):
        assert (found["kind"], found["size"]) == (one.kind, one.vocab_size)
        for (name, *values), answer in zip(calls, found["answers"], strict=True):
            expected = read(one, *values) if name == "read" else getattr(one, name)(*values)
            if name == "read":
                answer |= {
                    part: replace_surrogates(answer[part]) for part in ("text", "end")
                }  # two halves that make a character are one in JavaScript
            assert answer == expected, (type(one).__name__, one.kind, name, *values)


@pytest.fixture(autouse=True)
def tokenizer_as_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_and_text, "load_text_model", lambda key: SimpleNamespace(model=None, text_tokenizer=key))


@pytest.mark.slow
def test_all_kinds_on_all_texts(node: str) -> None:
    every = [*trained(), *shipped()]
    assert all(isinstance(one, tokenizers.OWN_TOKENIZERS) for one in every)
    draw = Random(0)
    sentences = [line for name in CORPORA for line in corpora.load(name).text[-2000:].splitlines()[1:20]]
    texts = [*TEXTS, *drawn_texts(draw, 200), *sentences]
    given = []
    for one in every:
        ids = [draw.choices(range(one.vocab_size), k=draw.randint(0, 9)) for _ in range(60)]
        calls: list[tuple[Any, ...]] = [("encode", text) for text in texts] + [("decode", some) for some in ids]
        calls += [("read", text, MOST) for text in texts]
        calls += [("read", text, most) for text in TEXTS for most in (1, 2, 500)]
        given.append((one, [*calls, ("tokens", list(range(one.vocab_size)))]))
    compare(node, given)


def test_merges_are_made_in_their_order(node: str) -> None:
    draw = Random(1)
    alphabets = ("ab ", "aab", "a", "aé b", "ab\n\t  '", "b01 ²")
    texts = ["".join(draw.choices(draw.choice(alphabets), k=draw.randint(0, 150))) for _ in range(40)]
    compare(node, [(drawn_merges(draw), [("encode", text) for text in texts]) for _ in range(20)])


def test_broken_bytes(node: str) -> None:
    draw = Random(2)
    single = tokenizers.BPETokenizer([])
    mark = "\ufeff".encode()  # of the byte order: a decoder may drop it
    some = [list(mark), list(mark + mark + b"a"), *(draw.choices(BYTES, k=draw.randint(1, 9)) for _ in range(3000))]
    merges = [(bytes([a]), bytes([b])) for a in BYTES for b in BYTES]
    pairs = tokenizers.BPETokenizer([*merges, (mark[:2], mark[2:]), (mark, b"\xe2"), (mark, b"a")])
    compare(node, [(single, [("decode", ids) for ids in some]), (pairs, [("tokens", list(range(pairs.vocab_size)))])])


@pytest.mark.slow
def test_each_character_is_of_the_same_kind(node: str) -> None:
    """Every one that Python knows: whether it is of a word, a number, a sign or space, and whether it can be seen."""
    word = tokenizers.train_tokenizer("word", "a b c")
    # Each kind of character is merged with any byte after it: what is merged was not cut apart.
    bpe = tokenizers.BPETokenizer([(bytes([kind]), bytes([b])) for kind in b"a1!\t" for b in range(256)])
    cut = [("encode", "".join(f"a{c}1{c}!{c}\t{c} {c}a" for c in some)) for some in grouped(KNOWN)]
    seen = tokenizers.CharTokenizer([*(c for c in KNOWN if c != "�"), "�"])
    compare(node, [(word, cut), (bpe, cut), (seen, [("tokens", list(range(seen.vocab_size)))])])


def test_cases_are_those_of_python(node: str) -> None:
    """Title case, and a sigma that ends a word, are not JavaScript's. The lists hold every form but the one typed."""
    cased = [c for c in KNOWN if {c.upper(), c.lower(), c.title(), c.swapcase()} != {c}]
    given: list[Case] = []
    for some in grouped(cased):
        for form in (str.upper, str.title, str.lower):
            listed = sorted({form(c) for c in some} - {" "})
            given.append((tokenizers.CharTokenizer([*listed, "�"]), [("read", "".join(some), 500)]))
        for rest in ("Σ", "Σ’Α"):
            typed = {f" {c}{rest}" for c in some}
            forms = {f" {first}{end}" for c in some for first in (c.upper(), c.title(), c.lower())
                     for end in (rest.lower(), (c + rest).lower()[len(c.lower()) :])}  # fmt: skip
            given.append((tokenizers.WordByteTokenizer(sorted(forms - typed)), [("read", "".join(sorted(typed)), 500)]))
    compare(node, given)


def test_files_and_ids_that_are_refused(node: str) -> None:
    own, gaps = (json.loads(tokenizers.tokenizer_to_bytes(one)) for one in (trained()[2], trained()[10]))
    strange: tuple[dict[str, Any], ...] = (
        {"kind": "tiktoken", "name": "gpt2"}, {"kind": "constructor"}, {"version": 2}, {"format": "another"},
        {"kind": "gaps"}, {"kind": "gaps", "base": gaps}, {"kind": "gaps", "base": own | {"kind": "tiktoken"}},
    )  # fmt: skip
    assert in_node(node, [(own | changed, []) for changed in strange]) == [None] * len(strange)

    given = [
        (one, [(name, [0, i]) for name in ("decode", "tokens") for i in (-1, one.vocab_size)]) for one in trained()
    ]
    for (one, calls), found in zip(given, in_node(node, given), strict=True):
        for (name, ids), answer in zip(calls, found["answers"], strict=True):
            with pytest.raises(ValueError) as error:
                getattr(one, name)(ids)
            assert answer == str(error.value)
