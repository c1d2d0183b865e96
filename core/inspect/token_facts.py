"""Facts about a model's tokens besides their vectors: spelling, kind and frequency."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from core.data import corpora
from core.data.printable import visible
from core.data.synthetic import story_grammar as stories
from core.data.tokenizers.base import Tokenizer
from core.data.tokenizers.vocabulary import UNKNOWN, UNKNOWN_NAME
from core.exhibit import Column, Table

COUNTED = 300_000  # characters of the text in which tokens are counted: enough for a steady order


def labels(vocabulary: Sequence[str]) -> tuple[str, ...]:
    """The tokens of a vocabulary (V,) in readable form, all different: duplicates get a number."""
    names = [visible(token) for token in vocabulary]
    n = Counter(names)
    return tuple(name if n[name] == 1 else f"{name} ({i})" for i, name in enumerate(names))


def spelled(tokenizer: Tokenizer, tokens: Sequence[str]) -> tuple[str, ...]:
    """Tokens that joined give the text, also where a vocabulary marks pieces that go on, and not those that begin."""
    if tokenizer.kind != "wordpiece":
        return tuple(tokens)
    return tuple(token[2:] if token.startswith("##") and len(token) > 2 else f" {token}" for token in tokens)


def kinds(tokenizer: Tokenizer, vocabulary: Sequence[str], corpus: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The kind of every token (V,), and the kinds in their order: by the stories' grammar if that wrote the text."""
    if corpus == "stories" and getattr(tokenizer, "kind", "") in ("word", "word_bytes"):
        cutter: object = getattr(tokenizer, "base", tokenizer)  # within the marks of a model that fills gaps
        n_word = len(getattr(cutter, "words", vocabulary))  # what comes after them are bytes
        of_words = story_classes(vocabulary[:n_word])
        return (*of_words, *[OTHER] * (len(vocabulary) - n_word)), STORY_CLASSES
    return spellings(spelled(tokenizer, vocabulary)), SPELLINGS


def counts(tokenizer: Tokenizer, n_token: int, corpus: str) -> Int[NDArray[np.int64], " V"] | None:
    """The count of each of V tokens in the first part of the training corpus; None: unknown."""
    try:
        text = corpora.load(corpus).text[:COUNTED]
    except (corpora.CorpusRefused, OSError):
        return None
    ids = np.asarray(tokenizer.encode(text), dtype=np.int64)
    return np.asarray(np.bincount(ids, minlength=n_token)[:n_token])


def on_map(
    tokenizer: Tokenizer, vocabulary: Sequence[str], how_often: Int[NDArray[np.int64], " V"] | None, most: int
) -> tuple[int, ...]:
    """The ids of the tokens that a map shows, in order: at most `most`, and no byte that the text never needs."""
    used = in_use(tokenizer, vocabulary, how_often)
    counted = None if how_often is None else how_often[list(used)]
    return tuple(used[i] for i in most_frequent([vocabulary[i] for i in used], counted, most))


def most_frequent(
    vocabulary: Sequence[str], how_often: Int[NDArray[np.int64], " V"] | None, most: int
) -> tuple[int, ...]:
    """The ids of at most `most` tokens, in order: all, or the most frequent ones.

    Where nobody knows how frequent they are, the first words: the ids of learned vocabularies go by frequency, after
    some hundred for single characters, bytes and places that are kept free.
    """
    n_token = len(vocabulary)
    if n_token <= most:
        return tuple(range(n_token))
    if how_often is None:
        word_like = [i for i, token in enumerate(vocabulary) if _is_word(token)]
        rest = sorted(set(range(n_token)) - set(word_like)) if len(word_like) < most else []
        return tuple(sorted([*word_like, *rest][:most]))
    return tuple(int(i) for i in np.sort(np.argsort(-how_often, kind="stable")[:most]))


def in_use(
    tokenizer: Tokenizer, vocabulary: Sequence[str], how_often: Int[NDArray[np.int64], " V"] | None
) -> tuple[int, ...]:
    """The ids of all tokens but those bytes, kept for spelling unknown words, that the text never holds."""
    cutter: Any = getattr(tokenizer, "base", tokenizer)  # within the marks of a model that fills gaps
    n_word = len(cutter.words) if getattr(cutter, "kind", "") == "word_bytes" else len(vocabulary)
    spelling = (i for i in range(n_word, len(vocabulary)) if how_often is not None and how_often[i])
    return (*range(n_word), *spelling)


def _is_word(token: str) -> bool:
    return len(token.strip()) > 1 and token.strip().isalpha()


def map_table(
    ids: Sequence[int],
    points: Float[NDArray[np.float64], "N axes"],
    *,
    labels: Sequence[str],
    kinds: Sequence[str],
    lengths: Float[NDArray[np.float64], " V"],
    how_often: Int[NDArray[np.int64], " V"] | None,
) -> Table:
    """The tokens `ids` (N,) on a map, one line each: what is known of them, and the points where they lie."""
    table: dict[str, Column] = {
        "id": list(ids),
        "token": [labels[i] for i in ids],
        "kind": [kinds[i] for i in ids],
        "length": [round(float(lengths[i]), 4) for i in ids],
    }
    if how_often is not None:
        table["count"] = [int(how_often[i]) for i in ids]
    return table | {f"axis {i + 1}": points[:, i].round(4).tolist() for i in range(points.shape[1])}


OTHER = "other"
# The order of the legend. Words of the grammar first, most telling first.
STORY_CLASSES = (
    "names",
    "toys",
    "colors",
    "animals",
    "foods",
    "places",
    "pronouns",
    "signs",
    OTHER,
)
SPELLINGS = ("starts a word", "goes on in a word", "digits", "signs", "spaces", "bytes and marks")
_PRONOUNS = "i it he she they you him her his them my your"
_LITTLE = "the a on so very of full little old big"  # words that also stand in phrases such as "the old house"


def story_classes(tokens: Sequence[str]) -> tuple[str, ...]:
    """The class of each token in the stories grammar, one of `STORY_CLASSES`.

    The words come from the lists that the grammar draws from (`core.data.synthetic.story_grammar`), so a class is what
    the story means, not what a model has learned.
    """
    little = set(_LITTLE.split())

    def words(*phrases: str) -> set[str]:
        return {word for phrase in phrases for word in phrase.lower().split() if word not in little}

    of_word: dict[str, str] = {}
    # Later lines win: "house" is a place, "stone" a spot, both are one class here.
    for name, members in (
        ("places", words(*stories.PLACES, *stories.SPOTS) - words("under behind in near")),
        ("foods", words(*stories.FOODS)),
        ("animals", words(*stories.ANIMALS)),
        ("colors", words(*stories.COLORS)),
        ("toys", words(*stories.TOYS)),
        ("names", {person.name.lower() for person in stories.PEOPLE}),
        ("pronouns", set(_PRONOUNS.split())),
    ):
        of_word |= dict.fromkeys(members, name)
    return tuple(of_word.get(token.strip().lower()) or _sign_or_other(token) for token in tokens)


def _sign_or_other(token: str) -> str:
    is_sign = bool(token.strip()) and not any(character.isalnum() for character in token) and token != UNKNOWN
    return "signs" if is_sign or token == "\n" else OTHER


def spellings(tokens: Sequence[str]) -> tuple[str, ...]:
    """The spelling class of each token, one of `SPELLINGS`, which works for any model."""
    return tuple(map(_spelling, tokens))


def _spelling(token: str) -> str:
    bare = token.strip()
    if not bare:
        return "spaces"
    if "⟨" in token or token in (UNKNOWN, UNKNOWN_NAME):
        return "bytes and marks"
    if bare[0].isalpha():
        return "starts a word" if token[0].isspace() else "goes on in a word"
    return "digits" if bare[0].isdigit() else "signs"
