"""Four applications as pairs of texts: the model turns a task's name and a text into an answer, word by word.

    summarize: mia was tired . ben went to the river . ...     ->  ben lost a drum at the river
    question: mia was tired . ... who lost the drum ?          ->  ben
    entities: paris flew to north jordan .                     ->  person paris place north jordan
    sentiment: soup never dull .                               ->  praise

All texts are generated here, so their answers are known.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from core.data.synthetic import entities, reviews
from core.data.tokenizers.tokenizer_base import ids_before_end
from core.data.tokenizers.word_vocabulary import WordVocabulary
from core.rooms.encoder_decoder.compute import stories

TASKS = ("summarize", "question", "entities", "sentiment")
Words = tuple[str, ...]
TASK_PREFIXES = {task: f"{task}:" for task in TASKS}
MAX_WORDS = 28  # of a text; the longest in training has 26, a story and its question
MAX_ANSWER = 13  # words of an answer and its end token: three names of three words, each preceded by its kind
_KNOWN = {
    "summarize": stories.WORDS,
    "question": stories.QUESTION_WORDS,
    "entities": entities.WORDS.words[: entities.WORDS.n_plain],
    "sentiment": reviews.WORDS.words[: reviews.WORDS.n_plain],
}
_SPECIAL = (*TASK_PREFIXES.values(), "<start>", "<end>", *reviews.LABELS, *entities.KINDS)
VOCABULARY = tuple(dict.fromkeys((*_SPECIAL, *(word for known in _KNOWN.values() for word in known))))
_ID = {word: i for i, word in enumerate(VOCABULARY)}
START, END = _ID["<start>"], _ID["<end>"]


@dataclass(frozen=True)
class TaskExample:
    """A text preceded by its task's name, and its answer."""

    source: Words
    target: Words


def draw_examples(task: str, n: int, rng: np.random.Generator) -> list[TaskExample]:
    """Draw n pairs of one of the `TASKS`."""
    if task == "summarize":
        return [
            TaskExample((TASK_PREFIXES[task], *story.words), story.summary) for story in stories.draw_stories(n, rng)
        ]
    if task == "question":
        return [
            TaskExample((TASK_PREFIXES[task], *one.story, *one.question), one.answer)
            for one in stories.draw_story_questions(n, rng)
        ]
    if task == "entities":
        return [
            TaskExample((TASK_PREFIXES[task], *one.words), entity_words(one))
            for one in entities.draw_entity_sentences(n, rng)
        ]
    return [
        TaskExample((TASK_PREFIXES[task], *one.words), (reviews.LABELS[one.label],))
        for one in reviews.draw_reviews(n, rng)
    ]


def entity_words(sentence: entities.EntitySentence) -> Words:
    """Return the entities of a sentence in order, each preceded by its kind."""
    return tuple(
        word
        for start, end, kind in sorted(entities.entity_spans(sentence.labels))
        for word in (entities.KINDS[kind], *sentence.words[start:end])
    )


def count_entities(answer: Sequence[str]) -> Counter[Words]:
    """Parse an answer to the entities task: (kind, word, ...) -> count. Words before the first kind are dropped."""
    starts = [i for i, word in enumerate(answer) if word in entities.KINDS]
    return Counter(tuple(answer[a:b]) for a, b in pairwise([*starts, len(answer)]))


def entity_f1(said: Sequence[Sequence[str]], true: Sequence[Sequence[str]]) -> float:
    """Return F1 of the entities over all answers: 2 right / (said + true); an entity is right if kind and words are."""
    pairs = [(count_entities(one), count_entities(other)) for one, other in zip(said, true, strict=True)]
    n_both = sum(one.total() + other.total() for one, other in pairs)
    return 2 * sum((one & other).total() for one, other in pairs) / n_both if n_both else 0.0


def parse_task_text(task: str, text: str) -> tuple[Words, Words]:
    """Return a learner's text as the model reads it for a task, starting with the task's name; and its unknown words.

    Only the first `MAX_WORDS` known words are read. A word is known if this task's texts use it.
    """
    if task == "sentiment":
        words = reviews.tokenize_review(text)  # leaves out small words that do not matter
    elif task == "entities":
        words = entities.tokenize_sentence(text)
    else:
        words = [word.lower() for word in WordVocabulary.split(text)]
    known: list[str] = []
    for word in words:
        # If an unknown word is left out, no second full stop should remain.
        if word in _KNOWN[task] and not (word == "." and known[-1:] in ([], ["."])):
            known.append(word)
    return (TASK_PREFIXES[task], *known[:MAX_WORDS]), tuple(
        dict.fromkeys(word for word in words if word not in _KNOWN[task])
    )


def known_words(task: str) -> Words:
    """Return the words of a task's texts."""
    return tuple(_KNOWN[task])


def encode(words: Sequence[str]) -> list[int]:
    """Convert words to ids. Raises KeyError if a word is not in `VOCABULARY`."""
    return [_ID[word] for word in words]


def decode(ids: Sequence[int]) -> Words:
    """Return the words before the end token."""
    return tuple(VOCABULARY[i] for i in ids_before_end(ids, END))
