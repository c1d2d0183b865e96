"""The browser's tokenizers cut, read and print every text as Python's do."""

import json
import subprocess
import unicodedata
from pathlib import Path
from random import Random
from typing import Any

from core.data import corpora, tokenizers
from core.data.printable import clean
from core.data.tokenizers.normalization import normalize

ROOT = Path(__file__).resolve().parents[3]
MOST = 12
TEXTS = (
    "", " ", "  \n\n ", "don't stop, it's Anna's", "the dog saw ANNA and anna", "a<mask>b <mask> <mask>c",
    "naïve CAFÉ ÉCOLE", "東京 は ١٢٣ Ⅻ ½ ²", "e\u0301 o\u0308\u0323", "👩\u200d👩\u200d👧 🇩🇪 \U0001f9ff",
    "\ud800 lone \udc00 halves \ud83d", "x" * 200, "a\x1cb\x85c\ufeffd\u200be", "ǆ ß ﬁ İ ı ς", "'s 't 'll 'LL 've'd",
    "tab\there\r\nline\rend", "   three   spaces   ", "0123456789" * 9, "_under_score_ __", "ÅNGSTRÖM å",
)  # fmt: skip
RANGES = ((32, 127), (32, 127), (0, 0x300), (0x300, 0x370), (0x370, 0x600), (0x600, 0x1000), (0x3000, 0x4000),
          (0x1F300, 0x1F700))  # fmt: skip


def drawn_texts(draw: Random) -> list[str]:
    """Nonsense of all scripts, half of it in pieces of English."""
    english = corpora.load("stories").text[:20_000].split()
    texts = []
    for _ in range(300):
        parts = []
        for _ in range(draw.randint(1, 12)):
            low, high = draw.choice(RANGES)
            nonsense = "".join(chr(draw.randrange(low, high)) for _ in range(draw.randint(1, 5)))
            parts.append(draw.choice([nonsense, draw.choice(english), draw.choice(english).upper()]))
        texts.append(draw.choice(["", " "]).join(parts))
    return texts


def in_node(node: str, **given: Any) -> list[dict[str, Any]]:
    script = Path(__file__).with_name("tokenizers.mjs")
    done = subprocess.run([node, script], input=json.dumps(given), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_all_kinds_on_all_texts(node: str) -> None:
    corpus = corpora.load("stories").text[:50_000] + "東京 été Straße İstanbul 👍 "
    trained = [tokenizers.train(kind, corpus, size) for kind, size in
               (("char", None), ("word", 300), ("word_bytes", None), ("bpe", 700))]  # fmt: skip
    shipped = [tokenizers.load(path.parent) for path in sorted(ROOT.glob("assets/models/*/tokenizer.json"))]
    every = [*trained, *(tokenizers.GapTokenizer(one) for one in trained), *shipped]
    assert all(isinstance(one, tokenizers.Own) for one in every)
    draw = Random(0)
    texts = [*TEXTS, *drawn_texts(draw)]
    ids = [[[draw.randrange(one.vocab_size) for _ in range(9)] for _ in range(100)] for one in every]
    told = [json.loads(tokenizers.to_bytes(one)) for one in every]
    for one, some, found in zip(
        every, ids, in_node(node, tokenizers=told, texts=texts, most=MOST, ids=ids), strict=True
    ):
        for text, read, plain in zip(texts, found["read"], found["plain"], strict=True):
            assert plain == one.encode(text), (one.kind, text)
            told_ = normalize(one, text)
            assert clean(read["text"]) == clean(told_.text), (one.kind, text)
            assert dict(read["changed"]) == told_.changed and tuple(read["unknown"]) == told_.unknown, (one.kind, text)
            whole = one.encode(told_.text)
            before = list(getattr(one, "before", ()))
            assert read["cut"] == (len(whole) if len(whole) > MOST else 0)
            assert read["ids"] == (before + whole[len(before) - MOST :] if len(whole) > MOST else whole), (
                one.kind,
                text,
            )
            assert read["tokens"] == one.tokens(read["ids"])
        assert found["decoded"] == [one.decode(some_ids) for some_ids in some], one.kind
        assert found["tokens"] == one.tokens(range(one.vocab_size)), one.kind


def test_each_character_is_of_the_same_kind(node: str) -> None:
    """Every character that both know, between two letters: whether it is part of a word, a sign, or space."""
    known = [chr(c) for c in range(0x30000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    word = tokenizers.train("word", "a b c")
    texts = [f"a{c}a" for c in known]
    (found,) = in_node(node, tokenizers=[json.loads(tokenizers.to_bytes(word))], texts=texts, most=MOST, ids=[[]])
    differ = [c for c, text, plain in zip(known, texts, found["plain"], strict=True) if plain != word.encode(text)]
    assert differ == []
