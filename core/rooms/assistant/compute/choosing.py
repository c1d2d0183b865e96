"""Pairs of answers for a person to choose from: what was drawn, what was chosen, and what a rule would have chosen.

Choices are written as the address holds them: a sign for each pair, "1" for its first answer, "2" for its second.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from jaxtyping import Int
from torch import Tensor

from core.exhibit import MAX_FIGURES, memoize
from core.rooms.assistant.compute.chat import N_PROMPT
from core.rooms.assistant.compute.learning import Pairs, log_prob_of
from core.rooms.assistant.compute.start import tuned
from core.rooms.assistant.compute.world import Question, a_question, chance
from core.rooms.assistant.compute.writing import Reward, answers, kindness, prompts_of, shortness, write

N_SHOWN = 24  # pairs to choose from: what a person does in two minutes
LEAST = 8  # choices that a training can begin with
FIRST, SECOND = "1", "2"


RULES: Mapping[str, Reward] = MappingProxyType({"friendly": kindness, "short": shortness})
LOT = "lot"  # no rule: a coin for each pair


@dataclass(frozen=True)
class Shown:
    """Questions, and two different answers to each.

    Attributes:
        questions: n.
        first, second: (n, T) whole chats, in the order in which they were drawn.
    """

    questions: tuple[Question, ...]
    first: Int[Tensor, "n T"]
    second: Int[Tensor, "n T"]

    def said(self) -> list[tuple[str, str]]:
        """Both answers as texts."""
        both = (answers(ids, N_PROMPT) for ids in (self.first, self.second))
        return [(" ".join(one), " ".join(two)) for one, two in zip(*both, strict=True)]


@memoize(MAX_FIGURES)
def shown_pairs(seed: int, n: int = N_SHOWN) -> Shown:
    """The instruction-tuned model answers questions twice; the first n of which both answers differ."""
    generator, model = torch.Generator().manual_seed(seed), tuned().eval()
    asked = [a_question(generator) for _ in range(3 * n)]
    first, second = (write(model, prompts_of(asked), generator) for _ in range(2))
    at = (first != second).any(1).nonzero().flatten()[:n]
    return Shown(tuple(asked[i] for i in at.tolist()), first[at], second[at])


def check(choices: str, least: int = 0) -> str:
    """The choices. Raises ValueError, in plain words, if they are none, too many, or fewer than `least`."""
    if set(choices) - {FIRST, SECOND} or len(choices) > N_SHOWN:
        raise ValueError("The choices in the address are none of these pairs', so they aren't used.")
    if len(choices) < least:
        raise ValueError(f"Choose in {least} pairs or more, or let a rule choose the rest; so far it's {len(choices)}.")
    return choices


def choices_by(rule: str, seed: int) -> str:
    """What a rule chooses, of all pairs; where both answers are worth the same to it, and by `LOT`, a coin does."""
    shown, generator = shown_pairs(seed), torch.Generator().manual_seed(seed)
    both = [answers(ids, N_PROMPT) for ids in (shown.first, shown.second)]
    worth: Callable[..., float] = RULES.get(rule, lambda *_: 0.0)
    found = ""
    for question, first, second in zip(shown.questions, *both, strict=True):
        coin = chance(generator) < 0.5  # for every pair, so that one choice more changes no other
        a, b = worth(question, first), worth(question, second)
        found += FIRST if (coin if a == b else a > b) else SECOND
    return found


def chosen_pairs(shown: Shown, choices: str) -> Pairs:
    """The pairs that were chosen from, the preferred answer first."""
    n, start = len(choices), tuned().eval()
    is_first = torch.tensor([sign == FIRST for sign in choices])[:, None]
    first, second = shown.first[:n], shown.second[:n]
    chosen, rejected = torch.where(is_first, first, second), torch.where(is_first, second, first)
    return Pairs(shown.questions[:n], chosen, rejected, log_prob_of(start, chosen), log_prob_of(start, rejected))
