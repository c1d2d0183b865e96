"""Two libraries, one tokenizer: tiktoken must cut every text as `tokenizers` does with the merges that it learned."""

import random
from functools import cache

import pytest
from hypothesis import example, given, settings, strategies as st
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from core.data.corpora import load
from core.data.synthetic import write_stories
from core.data.tokenizers.bpe import PATTERN, BPETokenizer

PROBES = (
    "",
    "a",
    "low lower newest widest",
    "The cat sat on the mat.",
    "  two  spaces   three ",
    "tabs\tand\nnew\r\nlines\n\n\n",
    "don't we'll I've they're it's 'quoted'",
    "def f(x: int) -> None:\n    return x ** 2  # square\n",
    "1234567890 3.14159 1,000,000",
    "Grüße aus Köln, señor, à bientôt",
    "漢字かな交じり文と、カタカナ。",
    "한국어 문장입니다",
    "Здравствуй, мир! Привет",
    "مرحبا بالعالم ‏والسلام",
    "हिन्दी में लिखा",
    "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 😀😀😀",
    "e\u0301 and é, " + "z" + "\u0301" * 30,
    "\x00\x01\x7f\x80\xff",
    "\u202eright to left\u202c \u200b\u2060\ufeff",
    "a" * 500,
    " " * 300 + "x",
    "\n" * 200,
    "!?" * 200,
    "½ ² Ⅷ ① ٣",
    "\u3000ideographic\u00a0space\u2003em",
    "x" * 64 + " " + "y" * 65 + " " + "z" * 129,
    "<|endoftext|>",
)


def theirs(ours: BPETokenizer) -> Tokenizer:
    """The `tokenizers` library, given our merges in order."""
    visible = [b for b in range(256) if 33 <= b < 127 or 161 <= b < 173 or b > 173]
    hidden = [b for b in range(256) if b not in visible]
    letter = {b: chr(b) for b in visible} | {b: chr(256 + i) for i, b in enumerate(hidden)}

    def spell(token: bytes) -> str:
        return "".join(letter[b] for b in token)

    vocabulary = {spell(token): i for token, i in ours.ranks.items()}
    tokenizer = Tokenizer(models.BPE(vocabulary, [(spell(a), spell(b)) for a, b in ours.merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


@cache
def pair(name: str) -> tuple[BPETokenizer, Tokenizer]:
    text = {"python": load("python-topics").text, "stories": write_stories(300, 1), "probes": "\n".join(PROBES) * 3}[
        name
    ]
    ours = BPETokenizer.train(text, {"python": 2000, "stories": 600, "probes": 900}[name])
    return ours, theirs(ours)


@pytest.mark.parametrize("name", ["python", "stories", "probes"])
@pytest.mark.parametrize("probe", PROBES)
def test_both_tokenizers_agree(name: str, probe: str) -> None:
    ours, other = pair(name)
    assert ours.encode(probe) == other.encode(probe).ids
    assert ours.decode(ours.encode(probe)) == probe


def test_both_tokenizers_agree_on_unseen_code() -> None:
    ours, other = pair("python")
    text = load("python-library").text
    rng = random.Random(0)
    for _ in range(200):
        start = rng.randrange(len(text) - 2000)
        chunk = text[start : start + rng.randrange(2000)]
        assert ours.encode(chunk) == other.encode(chunk).ids


@given(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=200) | st.text("ab c\n1'.é😀", max_size=80))
@example("\u0085\u2028\u1680")
@settings(max_examples=300)
def test_both_tokenizers_agree_on_any_text_and_restore_it(text: str) -> None:
    ours, other = pair("probes")
    assert ours.decode(ours.encode(text)) == text
    assert ours.encode(text) == other.encode(text).ids


@given(st.text("ab", min_size=1, max_size=300), st.text("ab", max_size=100))
@settings(max_examples=60)
def test_small_alphabets_are_the_hardest(corpus: str, text: str) -> None:
    ours = BPETokenizer.train(corpus, 290)
    assert ours.encode(text) == theirs(ours).encode(text).ids


def test_the_merges_of_the_classic_corpus() -> None:
    """The corpus of Sennrich et al. 2015: low x 5, lower x 2, newest x 6, widest x 3."""
    ours = BPETokenizer.train("low " * 5 + "lower " * 2 + "newest " * 6 + "widest " * 3, 256 + 12)
    merged = [(left + right).decode() for left, right in ours.merges]
    assert merged[:2] == ["es", "est"]  # 9 times each, and nothing else is as frequent
    assert {"lo", "low"} < set(merged)
    assert " newest" in merged
    assert ours.tokens(ours.encode(" newest")) == [" newest"]


def test_two_merges_may_make_the_same_token() -> None:
    twice = [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")]
    ours = BPETokenizer(twice)
    assert ours.merges == twice
    assert ours.vocab_size == 256 + 3
    assert ours.decode(ours.encode("abcabxbc")) == "abcabxbc"


def test_training_is_the_same_every_time() -> None:
    text = load("python-topics").text[:100_000]
    assert BPETokenizer.train(text, 800).merges == BPETokenizer.train(text, 800).merges
