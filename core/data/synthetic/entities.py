"""Sentences with people, places and organizations, in which the same name can be any of the three.

In "Paris ate soup near Jordan" and "Jordan flew to Paris", each name could be a person, a place or an organization, and
only the context decides. So even a perfect list of names can't solve the task.

Labels are BIO: B begins an entity, I continues it, O is outside. "John Paris" is one person of two words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.data.synthetic import draw_option
from core.data.tokenizers.word_vocabulary import WordVocabulary

KINDS = ("person", "place", "organization")
LABELS = ("other", *(f"{part}-{kind}" for kind in KINDS for part in ("B", "I")))
SHORT_LABELS = (
    "other",
    "B-per",
    "I-per",
    "B-place",
    "I-place",
    "B-org",
    "I-org",
)  # the same, where there is little room
OTHER = 0
# Names that can be all three, and names that are only one.
AMBIGUOUS_NAMES = (
    "paris", "jordan", "sydney", "austin", "florence", "chelsea", "victoria", "georgia", "lincoln", "washington",
    "madison", "carolina",
)  # fmt: skip
UNAMBIGUOUS_NAMES = (
    ("anna", "ben", "lily", "omar", "rosa", "tom"),
    ("london", "rome", "oslo", "egypt", "kyoto", "berlin"),
    ("unesco", "greenpeace", "interpol", "oxfam", "nasa", "fifa"),
)
FIRST_NAMES = ("john", "mary", "maria", "peter", "nora", "leo")  # first names that a second name may follow
ORGANIZATION_SUFFIXES = ("bank", "university", "museum", "airlines")  # what may follow an organization's name
PLACE_PREFIXES = ("new", "port", "south", "lake")  # what may precede a place's name
# {0} a person, {1} a place, {2} an organization. Each kind occurs at the beginning, in the middle and at the end.
SENTENCE_TEMPLATES = (
    "{0} ate soup in {1}",
    "{0} ate soup with {0}",
    "{0} flew to {1} with {0}",
    "{0} works for {2} in {1}",
    "{0} works for {2}",
    "{2} hired {0} in {1}",
    "{2} hired {0} last year",
    "{2} sued {2} last year",
    "{2} opened a shop in {1}",
    "yesterday {0} flew to {1}",
    "in {1} {0} met {0}",
    "in {1} {2} sued {2}",
    "{1} is a warm country",
    "{1} lies north of {1}",
    "the weather in {1} made {0} sad",
    "{0} met {0} at {2}",
    "the shares of {2} fell",
    "she met {0} near {1}",
)
_SIGNS = tuple(
    dict.fromkeys(word for frame in SENTENCE_TEMPLATES for word in frame.split() if not word.startswith("{"))
)
WORDS = WordVocabulary(
    (
        *_SIGNS,
        ".",
        *AMBIGUOUS_NAMES,
        *(name for names in UNAMBIGUOUS_NAMES for name in names),
        *FIRST_NAMES,
        *ORGANIZATION_SUFFIXES,
        *PLACE_PREFIXES,
    )
)
DISPLAY_WORDS = tuple(
    word if word in _SIGNS else word.capitalize() for word in WORDS.words[: WORDS.n_plain]
)  # by people
MAX_SENTENCE_WORDS = 20  # words of a sentence as a model reads it
AMBIGUOUS_SHARE, LONG_SHARE = 0.7, 0.3  # of names: that can be all three; of two words


@dataclass(frozen=True)
class EntitySentence:
    """The words of a sentence, with the full stop, and the label of each, a number in `LABELS`."""

    words: tuple[str, ...]
    labels: tuple[int, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words).replace(" .", ".")


def draw_entity_sentences(n: int, rng: np.random.Generator) -> list[EntitySentence]:
    """Draw n sentences, each frame with equal probability."""
    return [_sentence(draw_option(SENTENCE_TEMPLATES, rng), rng) for _ in range(n)]


def _sentence(frame: str, rng: np.random.Generator) -> EntitySentence:
    words: list[str] = []
    labels: list[int] = []
    for piece in (*frame.split(), "."):
        kind = int(piece[1]) if piece.startswith("{") else None
        name = [piece] if kind is None else _name(kind, rng)
        words += name
        labels += [OTHER] if kind is None else [1 + 2 * kind + (i > 0) for i in range(len(name))]
    return EntitySentence(tuple(words), tuple(labels))


def _name(kind: int, rng: np.random.Generator) -> list[str]:
    name = draw_option(AMBIGUOUS_NAMES if rng.random() < AMBIGUOUS_SHARE else UNAMBIGUOUS_NAMES[kind], rng)
    if rng.random() >= LONG_SHARE:
        return [name]
    return (
        [draw_option(FIRST_NAMES, rng), name],
        [draw_option(PLACE_PREFIXES, rng), name],
        [name, draw_option(ORGANIZATION_SUFFIXES, rng)],
    )[kind]


def tokenize_sentence(text: str) -> list[str]:
    """Split a user's sentence into words as a model reads them, at most `MAX_SENTENCE_WORDS`, ending in a full stop."""
    words = [word.lower() for word in WordVocabulary.split(text)]
    return (words if words[-1:] == ["."] or not words else [*words, "."])[:MAX_SENTENCE_WORDS]


def entity_spans(labels: Sequence[int]) -> set[tuple[int, int, int]]:
    """Return the entities that BIO labels mark: (first word, word after the last, kind in `KINDS`).

    An I that doesn't continue an entity of its kind begins a new one, as in the CoNLL scorer.

    Source: Tjong Kim Sang and De Meulder 2003 (CoNLL-2003), section 4; IOB2 of Sang and Veenstra 1999.
    """
    entities: set[tuple[int, int, int]] = set()
    start, kind = 0, -1  # of the open entity; -1: no entity is open
    for i, label in enumerate((*labels, OTHER)):
        own = -1 if label == OTHER else (label - 1) // 2
        goes_on = label != OTHER and label % 2 == 0 and own == kind
        if kind >= 0 and not goes_on:
            entities.add((start, i, kind))
        if not goes_on:
            start, kind = i, own
    return entities


@dataclass(frozen=True)
class _EntityScore:
    """The counts behind an entity score: true positives, predicted spans, and gold spans."""

    right: int
    said: int
    true: int

    @property
    def precision(self) -> float:
        return self.right / self.said if self.said else 0.0

    @property
    def recall(self) -> float:
        return self.right / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, 2 right / (said + true); 0 without any spans."""
        return 2 * self.right / (self.said + self.true) if self.said + self.true else 0.0


def score_entities(said: Sequence[Sequence[int]], true: Sequence[Sequence[int]]) -> _EntityScore:
    """Score the predicted labels over the spans of all sentences together (micro-average).

    Raises ValueError if a sentence's two lists of labels differ in length.
    """
    right = n_said = n_true = 0
    for labels, words in zip(said, true, strict=True):
        if len(labels) != len(words):
            raise ValueError(f"{len(labels)} labels were said for {len(words)} words")
        a, b = entity_spans(labels), entity_spans(words)
        right, n_said, n_true = right + len(a & b), n_said + len(a), n_true + len(b)
    return _EntityScore(right, n_said, n_true)


def learn_word_labels(sentences: Sequence[EntitySentence]) -> dict[str, int]:
    """Build the best list of names: for each word the label that it has most often in these sentences."""
    counts: dict[str, np.ndarray] = {}
    for sentence in sentences:
        for word, label in zip(sentence.words, sentence.labels, strict=True):
            counts.setdefault(word, np.zeros(len(LABELS), int))[label] += 1
    return {word: int(count.argmax()) for word, count in counts.items()}


def look_up_word_labels(table: dict[str, int], words: Sequence[str]) -> list[int]:
    """Look up each word's label in the list, regardless of its context; `other` for a word that is not in it."""
    return [table.get(word, OTHER) for word in words]
