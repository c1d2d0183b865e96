"""A task: random questions with exact answers by a rule. Both are texts, so that any of our tokenizers can encode them.

    sort = TASKS["sort"].set({"length": 5})
    sort.draw(seed=0, step=0, n=2)      # [Example("dbeab=", "abbde"), ...]
    sort.held(3)                        # questions that no training draws

A tenth of all questions, chosen by a checksum of the text, is never drawn in training. So the two parts are separate
without a list of questions, and every seed is evaluated on the same ones.
"""

import math
from collections.abc import Callable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from types import MappingProxyType
from zlib import crc32

from core.data import checks
from core.data.localization.labels import module_labels
from core.data.tokenizers.vocabulary_tokenizers import UNKNOWN, CharTokenizer, VocabularyTokenizer, WordTokenizer

LABELS = module_labels(__name__)

QUESTION_END, ANSWER_END = "=", "."  # the end of a question, and of an answer
HELD_OUT_EVERY = 10  # every tenth question is held out
_TRIES = 2_000  # draws before giving up
_HELD_SEED = "held"

TaskOptions = Mapping[str, int]


@dataclass(frozen=True)
class TaskOption:
    """A whole number that makes a task easier or harder."""

    label: str
    least: int
    most: int
    default: int
    help: str = ""


@dataclass(frozen=True)
class TaskExample:
    """A question with its end sign, and its answer without one."""

    question: str
    answer: str

    @property
    def key(self) -> str:
        return self.question + self.answer

    @property
    def asked(self) -> str:
        """The question for display, with an arrow in place of its end sign; "" if the task is to continue a text."""
        return f"{self.question.removesuffix(QUESTION_END).rstrip()} → " if self.question.endswith(QUESTION_END) else ""

    @property
    def shown(self) -> str:
        """The question and the answer on one line."""
        return self.asked + self.answer.strip()


@dataclass(frozen=True, kw_only=True)
class SyntheticTask:
    """One kind of question.

    Args:
        title: a few words; says: one sentence on what is asked; hard: one on why it is hard; source: its paper.
        options: by their names; "longer" is how much longer held-out questions are than those in training.
        draw: returns a random question.
        answer: returns the exact answer to a question; None if `draw` returns both.
        signs: all signs, or words with their spaces, that questions and answers are made of.
        longest: the lengths in tokens of the longest question and of the longest answer, each with its end.
        by_words: whether its tokens are words, not characters.
        possible: returns the right tokens at each place of an answer, including its end; None: only one is right.
        accepts: returns whether an answer is one of several right ones; None: there is only one.
        chance_of: returns the exact probability of each token of an answer, as far as it is random.
        writes_on: whether the task is to continue a text and not to answer a question; an encoder can't do that.
    """

    title: str
    says: str
    hard: str
    source: str
    options: Mapping[str, TaskOption]
    draw: Callable[[Random, TaskOptions], str | TaskExample]
    answer: Callable[[str], str] = lambda question: ""
    signs: Callable[[TaskOptions], Sequence[str]]
    longest: Callable[[TaskOptions], tuple[int, int]]
    by_words: bool = False
    possible: Callable[[str, TaskOptions], Sequence[AbstractSet[str]]] | None = None
    accepts: Callable[[str, TaskOptions], bool] | None = None
    chance_of: Callable[[str, TaskOptions], Sequence[float]] | None = None
    writes_on: bool = False

    @property
    def end(self) -> str:
        return f" {ANSWER_END}" if self.by_words else ANSWER_END

    def settings(self, given: Mapping[str, object]) -> dict[str, int]:
        """Return all options, with defaults for the missing ones. Raises ValueError if one is unknown or invalid."""
        if not isinstance(given, Mapping):
            raise ValueError(LABELS("no_table", given=checks.describe_value(given)))
        if unknown := sorted(str(name)[:40] for name in set(given) - set(self.options)):
            raise ValueError(LABELS("no_option", title=self.title, unknown=", ".join(unknown)))
        values = {name: given.get(name, option.default) for name, option in self.options.items()}
        for name, value in values.items():
            one = self.options[name]
            if not isinstance(value, int) or isinstance(value, bool) or not one.least <= value <= one.most:
                raise ValueError(LABELS("out_of_range", name=name, value=repr(value), least=one.least, most=one.most))
        return values  # type: ignore[return-value]

    def set(self, given: Mapping[str, object]) -> "ConfiguredTask":
        """Return the task with its options. Raises ValueError for an unknown or invalid option."""
        return ConfiguredTask(self, MappingProxyType(self.settings(given)))


@dataclass(frozen=True)
class ConfiguredTask:
    """A task whose options are set.

    Raises ValueError if there are too few different questions to hold some out.
    """

    task: SyntheticTask
    options: TaskOptions = field(hash=False)

    def __post_init__(self) -> None:
        self.held(1), self.draw(0, 0, 1)

    @cached_property
    def tokenizer(self) -> VocabularyTokenizer:
        """The tokenizer, with one token for each sign or word; nothing is learned."""
        more = () if self.task.writes_on else (f" {QUESTION_END}" if self.task.by_words else QUESTION_END,)
        signs = sorted({*self.task.signs(self.options), *more, self.task.end})
        return (WordTokenizer if self.task.by_words else CharTokenizer)([*signs, UNKNOWN])

    @property
    def longest(self) -> tuple[int, int]:
        """The tokens of the longest question and of the longest answer, with their ends, in training or held out."""
        return self.task.longest(self._held_options)

    @property
    def n_token(self) -> int:
        """The tokens of the longest question with its answer."""
        return sum(self.longest)

    def draw(self, seed: int, step: int, n: int) -> list[TaskExample]:
        """Draw the questions of one training step, none of them held out; only seed and step determine them."""
        rng = Random(f"{seed} {step}")
        return [self._one(rng, self.options, held=False) for _ in range(n)]

    def held(self, n: int) -> list[TaskExample]:
        """Return n different questions that no training draws, always the same; fewer if there are no more."""
        found: dict[str, TaskExample] = {}
        rng, n_missed = Random(_HELD_SEED), 0
        while len(found) < n and n_missed < 20:
            one = self._one(rng, self._held_options, held=True)
            n_missed = n_missed + 1 if one.key in found else 0
            found[one.key] = one
        return list(found.values())

    def right(self, example: TaskExample) -> list[AbstractSet[str]]:
        """Return the tokens that are right at each place of the answer, and at its end."""
        if self.task.possible is not None:
            return list(self.task.possible(example.answer, self.options))
        return [{token} for token in self.tokenizer.split(example.answer + self.task.end)]

    def exact_loss(self, examples: Sequence[TaskExample]) -> float:
        """Return the loss of a model that knows the exact probabilities, in nats per token; 0 if answers are unique."""
        if self.task.chance_of is None:
            return 0.0
        probabilities = [share for one in examples for share in self.task.chance_of(one.answer, self.options)]
        return -sum(map(math.log, probabilities)) / len(probabilities)

    @property
    def _held_options(self) -> TaskOptions:
        longer = self.options.get("longer", 0)
        if not longer:
            return self.options
        length = self.options["length"]
        return {**self.options, "length": length + longer, "shortest": length + 1}

    def _one(self, rng: Random, options: TaskOptions, held: bool) -> TaskExample:
        """Draw a question from the held-out or from the training part."""
        for _ in range(_TRIES):
            drawn = self.task.draw(rng, options)
            one = drawn if isinstance(drawn, TaskExample) else TaskExample(drawn, self.task.answer(drawn))
            if (crc32(one.key.encode()) % HELD_OUT_EVERY == 0) == held:
                return one
        raise ValueError(LABELS("too_few_questions", title=self.task.title))
