"""A reward model: one number for a whole answer, learned from pairs of which one answer was preferred."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.models.gpt import GPT
from core.rooms.assistant.compute import objectives
from core.rooms.assistant.compute.chat import N_CHAT, assistant_mask, chat
from core.rooms.assistant.compute.learning import Pairs
from core.rooms.assistant.compute.world import END, IDS, Question, encode


def score(model: nn.Module, ids: Int[Tensor, "n T"]) -> Float[Tensor, " n"]:
    """A reward model's number for each chat: one output, read at the last token of the answer."""
    mask = assistant_mask(ids)
    last = mask.shape[1] - 1 - mask.flip(1).int().argmax(1)
    return model(ids)[torch.arange(len(ids)), last, IDS[END]]


def margins(model: nn.Module, pairs: Pairs) -> Float[Tensor, " n"]:
    """By how much the preferred answer of each pair has the higher reward."""
    return score(model, pairs.chosen) - score(model, pairs.rejected)


def reward_loss(model: nn.Module, pairs: Pairs) -> Float[Tensor, ""]:
    """What a reward model makes small."""
    return objectives.bradley_terry(score(model, pairs.chosen), score(model, pairs.rejected))


def accuracy(margins: Float[Tensor, " n"]) -> float:
    """How often it is positive; half where it is 0."""
    return float(((margins > 0).float() + 0.5 * (margins == 0).float()).mean())


@dataclass(frozen=True)
class LearnedReward:
    """A reward model in the place of a rule.

    Its numbers have no zero and no unit, as only differences are learned; so they are given the mean 0 and the
    deviation 1 over the first model's answers.

    Source: Stiennon et al. 2020 (2009.01325), section 3.4, who set the mean to 0.
    """

    model: GPT  # frozen
    mean: float  # mean, deviation: of its numbers, over answers of the model that is going to be trained
    deviation: float

    @classmethod
    def of(cls, model: GPT, ids: Int[Tensor, "n T"]) -> "LearnedReward":
        """With mean and deviation over these chats."""
        with torch.no_grad():
            found = score(model, ids)
        return cls(model, float(found.mean()), float(found.std()))

    @torch.no_grad()
    def __call__(self, questions: Sequence[Question], some: Sequence[Sequence[str]]) -> Float[Tensor, " n"]:
        """What an answer to each question is worth."""
        # One that never ended is cut where its writing was.
        chats = (chat(one, (*words, END))[:N_CHAT] for one, words in zip(questions, some, strict=True))
        return (score(self.model, torch.tensor([encode(one) for one in chats])) - self.mean) / self.deviation
