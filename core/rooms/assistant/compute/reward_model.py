"""A reward model: one number for a whole answer, learned from pairs in which one answer was preferred."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.models.gpt import GPT
from core.rooms.assistant.compute import objectives
from core.rooms.assistant.compute.chat import N_CHAT, assistant_mask, padded_chat
from core.rooms.assistant.compute.learning import PreferencePairs
from core.rooms.assistant.compute.world import END, IDS, WorldQuestion, encode_words


def reward_scores(model: nn.Module, ids: Int[Tensor, "n T"]) -> Float[Tensor, " n"]:
    """Return the reward of each chat, which is one output of the model read at the last token of the answer."""
    mask = assistant_mask(ids)
    last = mask.shape[1] - 1 - mask.flip(1).int().argmax(1)
    return model(ids)[torch.arange(len(ids)), last, IDS[END]]


def reward_margins(model: nn.Module, pairs: PreferencePairs) -> Float[Tensor, " n"]:
    """Return the reward of each pair's preferred answer minus that of the other."""
    return reward_scores(model, pairs.chosen) - reward_scores(model, pairs.rejected)


def reward_loss(model: nn.Module, pairs: PreferencePairs) -> Float[Tensor, ""]:
    """Return the loss that trains a reward model."""
    return objectives.bradley_terry(reward_scores(model, pairs.chosen), reward_scores(model, pairs.rejected))


def pair_accuracy(margins: Float[Tensor, " n"]) -> float:
    """Return the share of positive margins; margins of 0 count as half."""
    return float(((margins > 0).float() + 0.5 * (margins == 0).float()).mean())


@dataclass(frozen=True)
class LearnedReward:
    """A reward model that replaces a rule.

    Only differences of its rewards are learned, so they have no zero and no unit. They are normalized to mean 0 and
    standard deviation 1 over the first model's answers.

    Source: Stiennon et al. 2020 (2009.01325), section 3.4, who set the mean to 0.
    """

    model: GPT  # frozen
    mean: float  # mean, deviation: of its rewards, over answers of the model about to be trained
    deviation: float

    @classmethod
    def of(cls, model: GPT, ids: Int[Tensor, "n T"]) -> "LearnedReward":
        """Return a learned reward that is normalized over these chats."""
        with torch.no_grad():
            found = reward_scores(model, ids)
        return cls(model, float(found.mean()), float(found.std()))

    @torch.no_grad()
    def __call__(self, questions: Sequence[WorldQuestion], some: Sequence[Sequence[str]]) -> Float[Tensor, " n"]:
        """Return the reward of an answer to each question."""
        # An answer without an end token is cut at the maximum length.
        chats = (padded_chat(one, (*words, END))[:N_CHAT] for one, words in zip(questions, some, strict=True))
        return (
            reward_scores(self.model, torch.tensor([encode_words(one) for one in chats])) - self.mean
        ) / self.deviation
