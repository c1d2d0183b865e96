"""What a task is: a question that is drawn, and its exact answer by a rule. Texts, so that any tokenizer of ours cuts
them.

    sort = TASKS["sort"].set({"length": 5})
    sort.draw(seed=0, step=0, n=2)      # [Example("dbeab=", "abbde"), ...]
    sort.held(3)                        # questions that no training draws

A tenth of all questions, chosen by a checksum of the text, is never drawn in training: nothing has to be remembered to
keep both parts apart, and every seed is asked the same.
"""

import math
from collections.abc import Callable, Mapping, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from types import MappingProxyType
from zlib import crc32

from core.data import checks
from core.data.tokenizers.vocabulary import UNKNOWN, CharTokenizer, VocabularyTokenizer, WordTokenizer

ASKS, END = "=", "."  # what ends a question, and an answer
HELD_SHARE = 10  # every tenth question is kept for asking
_TRIES = 2_000  # draws until a question is given up for lost
_HELD_SEED = "held"

Options = Mapping[str, int]


@dataclass(frozen=True)
class Option:
    """A whole number that makes a task easier or harder."""

    label: str
    least: int
    most: int
    default: int
    help: str = ""


@dataclass(frozen=True)
class Example:
    """A question, with what ends it, and its answer, without."""

    question: str
    answer: str

    @property
    def key(self) -> str:
        return self.question + self.answer

    @property
    def asked(self) -> str:
        """The question as people read it: an arrow in place of what ends it; of a text to write on, nothing."""
        return f"{self.question.removesuffix(ASKS).rstrip()} → " if self.question.endswith(ASKS) else ""

    @property
    def shown(self) -> str:
        """Question and answer on one line."""
        return self.asked + self.answer.strip()


@dataclass(frozen=True, kw_only=True)
class Task:
    """One kind of question.

    Args:
        title: a few words; says: one sentence on what is asked; hard: one on why it is hard; source: its paper.
        options: by their names; "longer" means that held-out questions are so much longer than those of the training.
        draw: a question, drawn.
        answer: the exact answer to a question; where `draw` gives both, None.
        signs: all signs, or words with their spaces, that questions and answers are made of.
        longest: of the question with its end, and of the answer with its end, in tokens.
        by_words: whether its tokens are words, not characters.
        possible: of an answer, the tokens that are right at each place, its end's too; None: one alone.
        accepts: whether an answer is one of several right ones; None: there is one alone.
        chance_of: of an answer, the exact probability of each token, as far as it is a matter of chance.
        writes_on: whether it is a text to be continued, and not a question: what an encoder cannot do.
    """

    title: str
    says: str
    hard: str
    source: str
    options: Mapping[str, Option]
    draw: Callable[[Random, Options], str | Example]
    answer: Callable[[str], str] = lambda question: ""
    signs: Callable[[Options], Sequence[str]]
    longest: Callable[[Options], tuple[int, int]]
    by_words: bool = False
    possible: Callable[[str, Options], Sequence[AbstractSet[str]]] | None = None
    accepts: Callable[[str, Options], bool] | None = None
    chance_of: Callable[[str, Options], Sequence[float]] | None = None
    writes_on: bool = False

    @property
    def end(self) -> str:
        return f" {END}" if self.by_words else END

    def settings(self, given: Mapping[str, object]) -> dict[str, int]:
        """All options, those that are not given by their defaults. Raises ValueError in plain words."""
        if not isinstance(given, Mapping):
            raise ValueError(f"the options of a task are a table of numbers, not {checks.came(given)}")
        if unknown := sorted(str(name)[:40] for name in set(given) - set(self.options)):
            raise ValueError(f"the task “{self.title}” has no option {', '.join(unknown)}")
        values = {name: given.get(name, option.default) for name, option in self.options.items()}
        for name, value in values.items():
            one = self.options[name]
            if not isinstance(value, int) or isinstance(value, bool) or not one.least <= value <= one.most:
                raise ValueError(f"{name}={value!r:.20} is not a whole number from {one.least} to {one.most}")
        return values  # type: ignore[return-value]

    def set(self, given: Mapping[str, object]) -> "Posed":
        """The task with its options. Raises ValueError in plain words."""
        return Posed(self, MappingProxyType(self.settings(given)))


@dataclass(frozen=True)
class Posed:
    """A task whose options are set.

    Raises ValueError if there are too few different questions to keep some for asking.
    """

    task: Task
    options: Options = field(hash=False)

    def __post_init__(self) -> None:
        self.held(1), self.draw(0, 0, 1)

    @cached_property
    def tokenizer(self) -> VocabularyTokenizer:
        """One token for each sign or word; nothing is learned."""
        more = () if self.task.writes_on else (f" {ASKS}" if self.task.by_words else ASKS,)
        signs = sorted({*self.task.signs(self.options), *more, self.task.end})
        return (WordTokenizer if self.task.by_words else CharTokenizer)([*signs, UNKNOWN])

    @property
    def longest(self) -> tuple[int, int]:
        """Tokens of the longest question and of the longest answer, with their ends, in training and held out."""
        return self.task.longest(self._held_options)

    @property
    def n_token(self) -> int:
        """Tokens of the longest question and its answer."""
        return sum(self.longest)

    def draw(self, seed: int, step: int, n: int) -> list[Example]:
        """The questions of one step of a training, none of them held out; seed and step alone determine them."""
        rng = Random(f"{seed} {step}")
        return [self._one(rng, self.options, held=False) for _ in range(n)]

    def held(self, n: int) -> list[Example]:
        """Different questions that no training draws, always the same; fewer than n where there are no more."""
        found: dict[str, Example] = {}
        rng, n_missed = Random(_HELD_SEED), 0
        while len(found) < n and n_missed < 20:
            one = self._one(rng, self._held_options, held=True)
            n_missed = n_missed + 1 if one.key in found else 0
            found[one.key] = one
        return list(found.values())

    def right(self, example: Example) -> list[AbstractSet[str]]:
        """The tokens that are right at each place of the answer, and at its end."""
        if self.task.possible is not None:
            return list(self.task.possible(example.answer, self.options))
        return [{token} for token in self.tokenizer.split(example.answer + self.task.end)]

    def exact_loss(self, examples: Sequence[Example]) -> float:
        """Mean surprise of who knows the exact probabilities, in nats per token; 0 where there is one answer alone."""
        if self.task.chance_of is None:
            return 0.0
        probabilities = [share for one in examples for share in self.task.chance_of(one.answer, self.options)]
        return -sum(map(math.log, probabilities)) / len(probabilities)

    @property
    def _held_options(self) -> Options:
        longer = self.options.get("longer", 0)
        if not longer:
            return self.options
        length = self.options["length"]
        return {**self.options, "length": length + longer, "shortest": length + 1}

    def _one(self, rng: Random, options: Options, held: bool) -> Example:
        """A question of one of the two parts."""
        for _ in range(_TRIES):
            drawn = self.task.draw(rng, options)
            one = drawn if isinstance(drawn, Example) else Example(drawn, self.task.answer(drawn))
            if (crc32(one.key.encode()) % HELD_SHARE == 0) == held:
                return one
        raise ValueError(
            f"the task “{self.task.title}” has too few different questions so: make them longer, or of more signs"
        )
