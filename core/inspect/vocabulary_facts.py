"""Facts about a model's tokens, apart from their vectors: spelling, kind and frequency."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from numpy.typing import NDArray

from core.data import corpora
from core.data.localization.labels import module_labels
from core.data.printable import visible_token
from core.data.synthetic import story_grammar as stories
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.data.tokenizers.vocabulary_tokenizers import UNKNOWN, UNKNOWN_NAME
from core.exhibit import Column, Table

LABELS = module_labels(__name__)

COUNTED_CHARACTERS = 300_000  # characters of the text in which tokens are counted, enough for a stable ranking


def token_labels(vocabulary: Sequence[str]) -> tuple[str, ...]:
    """Return the tokens of a vocabulary (V,) in readable form, all different: duplicates get a number."""
    names = [visible_token(token) for token in vocabulary]
    n = Counter(names)
    return tuple(name if n[name] == 1 else f"{name} ({i})" for i, name in enumerate(names))


def add_word_start_spaces(tokenizer: Tokenizer, tokens: Sequence[str]) -> tuple[str, ...]:
    """Return tokens that join to the text, also for vocabularies that mark continuing pieces, not word beginnings."""
    if tokenizer.kind != "wordpiece":
        return tuple(tokens)
    return tuple(token[2:] if token.startswith("##") and len(token) > 2 else f" {token}" for token in tokens)


def token_kinds(
    tokenizer: Tokenizer, vocabulary: Sequence[str], corpus: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the kind of every token (V,), and the kinds in order, from the stories' grammar if it wrote the corpus."""
    if corpus == "stories" and getattr(tokenizer, "kind", "") in ("word", "word_bytes"):
        cutter: object = getattr(tokenizer, "base", tokenizer)  # without the special tokens of a gap-filling model
        n_word = len(getattr(cutter, "words", vocabulary))  # the tokens after them are bytes
        of_words = story_classes(vocabulary[:n_word])
        return (*of_words, *[OTHER_KIND] * (len(vocabulary) - n_word)), STORY_CLASSES
    return _spelling_classes(add_word_start_spaces(tokenizer, vocabulary)), SPELLING_CLASSES


def corpus_token_counts(tokenizer: Tokenizer, n_token: int, corpus: str) -> Int[NDArray[np.int64], " V"] | None:
    """Return the count of each of V tokens in the first part of the training corpus; None: unknown."""
    try:
        text = corpora.load(corpus).text[:COUNTED_CHARACTERS]
    except (corpora.CorpusRefused, OSError):
        return None
    ids = np.asarray(tokenizer.encode(text), dtype=np.int64)
    return np.asarray(np.bincount(ids, minlength=n_token)[:n_token])


def select_map_token_ids(
    tokenizer: Tokenizer, vocabulary: Sequence[str], how_often: Int[NDArray[np.int64], " V"] | None, most: int
) -> tuple[int, ...]:
    """Return the ids of the tokens to show on a map, in order: at most `most`, no bytes that the text never uses."""
    used = tokens_except_unused_bytes(tokenizer, vocabulary, how_often)
    counted = None if how_often is None else how_often[list(used)]
    return tuple(used[i] for i in _most_frequent_tokens([vocabulary[i] for i in used], counted, most))


def _most_frequent_tokens(
    vocabulary: Sequence[str], how_often: Int[NDArray[np.int64], " V"] | None, most: int
) -> tuple[int, ...]:
    """Return the ids of at most `most` tokens, in order: all of them, or the most frequent ones.

    If their frequencies are unknown, these are the first words: ids of learned vocabularies are ordered by frequency,
    after a few hundred for single characters, bytes and reserved ids.
    """
    n_token = len(vocabulary)
    if n_token <= most:
        return tuple(range(n_token))
    if how_often is None:
        word_like = [i for i, token in enumerate(vocabulary) if _is_word(token)]
        rest = sorted(set(range(n_token)) - set(word_like)) if len(word_like) < most else []
        return tuple(sorted([*word_like, *rest][:most]))
    return tuple(int(i) for i in np.sort(np.argsort(-how_often, kind="stable")[:most]))


def tokens_except_unused_bytes(
    tokenizer: Tokenizer, vocabulary: Sequence[str], how_often: Int[NDArray[np.int64], " V"] | None
) -> tuple[int, ...]:
    """Return the ids of all tokens except bytes (for spelling unknown words) that the text never uses."""
    cutter: Any = getattr(tokenizer, "base", tokenizer)  # without the special tokens of a gap-filling model
    n_word = len(cutter.words) if getattr(cutter, "kind", "") == "word_bytes" else len(vocabulary)
    spelling = (i for i in range(n_word, len(vocabulary)) if how_often is not None and how_often[i])
    return (*range(n_word), *spelling)


def _is_word(token: str) -> bool:
    return len(token.strip()) > 1 and token.strip().isalpha()


def token_map_table(
    ids: Sequence[int],
    points: Float[NDArray[np.float64], "N axes"],
    *,
    labels: Sequence[str],
    kinds: Sequence[str],
    lengths: Float[NDArray[np.float64], " V"],
    how_often: Int[NDArray[np.int64], " V"] | None,
) -> Table:
    """Return a table of the tokens `ids` (N,) on a map: a row for each, with its facts and its coordinates."""
    table: dict[str, Column] = {
        LABELS["column.id"]: list(ids),
        LABELS["column.token"]: [labels[i] for i in ids],
        LABELS["column.kind"]: [kinds[i] for i in ids],
        LABELS["column.length"]: [round(float(lengths[i]), 4) for i in ids],
    }
    if how_often is not None:
        table[LABELS["column.count"]] = [int(how_often[i]) for i in ids]
    return table | {LABELS("column.axis", i=i + 1): points[:, i].round(4).tolist() for i in range(points.shape[1])}


# In the order of the legend: words of the grammar first, the most informative first.
_STORY_CLASSES = LABELS.options(
    "class", "names", "toys", "colors", "animals", "foods", "places", "pronouns", "signs", "other"
)
_SPELLING_CLASSES = LABELS.options("class", "starts", "goes_on", "digits", "signs", "spaces", "bytes")
OTHER_KIND = _STORY_CLASSES["other"]
STORY_CLASSES, SPELLING_CLASSES = tuple(_STORY_CLASSES.values()), tuple(_SPELLING_CLASSES.values())
_PRONOUNS = "i it he she they you him her his them my your"
_LITTLE = "the a on so very of full little old big"  # words that also occur in phrases such as "the old house"


def story_classes(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the class of each token in the stories grammar, one of `STORY_CLASSES`.

    The words come from the lists that the grammar samples from (`core.data.synthetic.story_grammar`), so a class
    reflects the meaning in the stories, not what a model has learned.
    """
    little = set(_LITTLE.split())

    def words(*phrases: str) -> set[str]:
        return {word for phrase in phrases for word in phrase.lower().split() if word not in little}

    of_word: dict[str, str] = {}
    # Later lines override earlier ones. "house" is a place and "stone" a spot; both are in the same class here.
    for name, members in (
        ("places", words(*stories.PLACES, *stories.SPOTS) - words("under behind in near")),
        ("foods", words(*stories.FOODS)),
        ("animals", words(*stories.ANIMALS)),
        ("colors", words(*stories.COLORS)),
        ("toys", words(*stories.TOYS)),
        ("names", {person.name.lower() for person in stories.PEOPLE}),
        ("pronouns", set(_PRONOUNS.split())),
    ):
        of_word |= dict.fromkeys(members, _STORY_CLASSES[name])
    return tuple(of_word.get(token.strip().lower()) or _sign_or_other(token) for token in tokens)


def _sign_or_other(token: str) -> str:
    is_sign = bool(token.strip()) and not any(character.isalnum() for character in token) and token != UNKNOWN
    return _STORY_CLASSES["signs"] if is_sign or token == "\n" else OTHER_KIND


def _spelling_classes(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the spelling class of each token, one of `SPELLING_CLASSES`, which works for any model."""
    return tuple(map(_spelling, tokens))


def _spelling(token: str) -> str:
    bare = token.strip()
    if not bare:
        return _SPELLING_CLASSES["spaces"]
    if "⟨" in token or token in (UNKNOWN, UNKNOWN_NAME):
        return _SPELLING_CLASSES["bytes"]
    if bare[0].isalpha():
        return _SPELLING_CLASSES["starts" if token[0].isspace() else "goes_on"]
    return _SPELLING_CLASSES["digits" if bare[0].isdigit() else "signs"]
