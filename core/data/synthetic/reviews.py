"""Restaurant reviews with a known verdict: praise and blame, reversed by "not", "never" and "but".

They are short, as on a restaurant's feedback cards: "soup lovely. waiter never rude. music dull but wine superb." Every
sentence agrees with the review's verdict, by a word of that side or by the negation of a word of the other side. It may
begin with a concession, which "but" takes back: "music dull but wine superb" is praise.

So no word decides alone, because "lovely" occurs in praise and in blame, and so does "not". But words of the same side
occur together, from sentence to sentence. An encoder can learn that from reviews without labels, although nothing says
which side is which.
"""

from dataclasses import dataclass

import numpy as np

from core.data.synthetic import draw_option
from core.data.tokenizers.word_vocabulary import WordVocabulary

BLAME, PRAISE = 0, 1
LABELS = ("blame", "praise")
THINGS = (
    "food", "service", "ambiance", "soup", "bread", "fish", "cake", "wine", "steak", "waiter", "music", "sandwich",
)  # fmt: skip
GOOD = (
    "good", "great", "excellent", "wonderful", "lovely", "delightful", "superb", "perfect", "amazing", "fantastic",
    "pleasant", "charming", "brilliant", "splendid", "fine", "nice",
)  # fmt: skip
BAD = (
    "bad", "awful", "terrible", "horrible", "dreadful", "disappointing", "poor", "dull", "disgusting", "mediocre",
    "unpleasant", "boring", "lousy", "sloppy", "nasty", "rude",
)  # fmt: skip
NEGATIONS = ("not", "never", "hardly")
WORDS = WordVocabulary((*NEGATIONS, "but", ".", *THINGS, *GOOD, *BAD))
MAX_REVIEW_WORDS = 20  # words of a review as a model reads it; the longest that is drawn has 15
FUNCTION_WORDS = frozenset(
    ("a", "an", "and", "are", "as", "at", "had", "has", "i", "is", "it", "its", "just", "my", "of", "our", "so", "the",
     "their", "this", "to", "very", "was", "we", "were")
)  # fmt: skip
# Shares of all reviews: with negations (half of the clauses), with one "but"; the others are plain.
NEGATED_SHARE, CONCESSION_SHARE = 0.4, 0.2
THREE_SENTENCES_SHARE = 0.8  # share of reviews with three sentences; the others have two


@dataclass(frozen=True)
class Review:
    """The words of a review, with the full stops, and its verdict, BLAME or PRAISE."""

    words: tuple[str, ...]
    label: int

    @property
    def text(self) -> str:
        return " ".join(self.words).replace(" .", ".")


def draw_reviews(n: int, rng: np.random.Generator) -> list[Review]:
    """Draw n reviews; praise and blame are equally probable."""
    return [_review(int(rng.integers(2)), rng) for _ in range(n)]


def _review(label: int, rng: np.random.Generator) -> Review:
    kind = rng.random()
    negated = 0.5 if kind < NEGATED_SHARE else 0.0
    n_sentence = 3 if rng.random() < THREE_SENTENCES_SHARE else 2
    conceding = int(rng.integers(n_sentence)) if NEGATED_SHARE <= kind < NEGATED_SHARE + CONCESSION_SHARE else -1
    words: list[str] = []
    for i in range(n_sentence):
        if i == conceding:
            words += [*_clause(1 - label, negated, rng), "but"]
        words += [*_clause(label, negated, rng), "."]
    return Review(tuple(words), label)


def _clause(side: int, share: float, rng: np.random.Generator) -> list[str]:
    """Draw a thing and a description: a word of this side, or a word of the other side with a negation before it."""
    is_negated = rng.random() < share
    adjectives = GOOD if (side == PRAISE) != is_negated else BAD
    return [
        draw_option(THINGS, rng),
        *([draw_option(NEGATIONS, rng)] if is_negated else []),
        draw_option(adjectives, rng),
    ]


def tokenize_review(text: str) -> list[str]:
    """Split a user's review into words as a model reads them.

    Function words that the reviews don't have ("the", "was") are left out; "wasn't" becomes "not". Punctuation becomes
    full stops, except commas, which are left out. At most `MAX_REVIEW_WORDS` words are kept, and a missing full stop is
    added.
    """
    words: list[str] = []
    for word in WordVocabulary.split(text):
        word = word.lower() if word.isalnum() or word == "," else "."
        if word != "," and word not in FUNCTION_WORDS and not (word == "." and words[-1:] in ([], ["."])):
            words.append(word)
    words = words[:MAX_REVIEW_WORDS]
    return [*words, "."] if 0 < len(words) < MAX_REVIEW_WORDS and words[-1] != "." else words
