"""One training step of each stage after pretraining: preference pairs, and sampled answers that are rewarded."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.models.gpt import GPT, GPTConfig
from core.rooms.assistant.compute import objectives
from core.rooms.assistant.compute.chat import N_PROMPT, assistant_mask
from core.rooms.assistant.compute.world import WORDS, Question, pick
from core.rooms.assistant.compute.writing import Reward, answers, prompts_of, rewards, write
from core.train.experiment import rebuild, record_of
from core.train.optimizers import AdamW
from core.train.recipes import Recipe
from core.train.tasks.defaults import FAST_BLOCK
from core.train.trainer import Trainer, half_then_down

# Maps questions and an answer to each of them to the answers' rewards (B,).
Worth = Callable[[Sequence[Question], Sequence[Sequence[str]]], Tensor]
SIZES = {"n_layer": 2, "n_head": 4, "d_model": 40, "context_length": 32, "positions": "rotary", "tied": False}


def recipe(n_step: int) -> Recipe:
    """Return the recipe of this room's model and its pretraining."""
    return Recipe(
        name="assistant",
        title="assistant",
        corpus="",
        model=SIZES | {"embed_norm": True, "block": dict(FAST_BLOCK)},
        learning_rate=0.02,
        batch_size=32,
        n_step=n_step,
    )


def config() -> GPTConfig:
    """Return the config that all models of this room share."""
    found = recipe(1).config(len(WORDS))
    return found


def fine_tuner(model: nn.Module, learning_rate: float, n_step: int) -> Trainer:
    """Return a trainer with AdamW and gradient clipping for a pretrained model."""
    optimizer = AdamW(dict(model.named_parameters()), learning_rate=learning_rate)
    return Trainer(model, optimizer, half_then_down(n_step), n_step=n_step, clip=1.0)


@dataclass(frozen=True)
class Pairs:
    """Preference pairs: a chosen and a rejected answer to each question, with their initial log-probabilities."""

    questions: tuple[Question, ...]  # n
    chosen: Int[Tensor, "n T"]  # chosen, rejected: (n, T) whole chats
    rejected: Int[Tensor, "n T"]
    # chosen_reference, rejected_reference: (n,) nats, under the model that wrote them
    chosen_reference: Float[Tensor, " n"]
    rejected_reference: Float[Tensor, " n"]

    def at(self, rows: Int[Tensor, " m"]) -> "Pairs":
        """Return the pairs at these rows."""
        parts = (self.chosen, self.rejected, self.chosen_reference, self.rejected_reference)
        return Pairs(tuple(self.questions[i] for i in rows.tolist()), *(part[rows] for part in parts))


@torch.no_grad()
def log_prob_of(model: nn.Module, ids: Int[Tensor, "n T"]) -> Float[Tensor, " n"]:
    """Return the log-probability of the assistant's part of each chat, in nats."""
    return objectives.answer_log_prob(model(ids), ids, assistant_mask(ids))


def draw_pairs(model: nn.Module, questions: Sequence[Question], reward: Reward, generator: torch.Generator) -> Pairs:
    """Sample two answers to each question and rank them by reward, leaving out ties."""
    prompts = prompts_of(questions)
    one, two = (write(model, prompts, generator) for _ in range(2))
    first, second = (rewards(reward, questions, answers(ids, N_PROMPT)) for ids in (one, two))
    differ = first != second
    is_first = (first > second)[:, None]
    chosen, rejected = torch.where(is_first, one, two)[differ], torch.where(is_first, two, one)[differ]
    kept = tuple(question for question, is_pair in zip(questions, differ.tolist(), strict=True) if is_pair)
    return Pairs(kept, chosen, rejected, log_prob_of(model, chosen), log_prob_of(model, rejected))


def dpo_loss(model: nn.Module, pairs: Pairs, beta: float) -> Float[Tensor, ""]:
    """Return the DPO loss of some pairs."""
    chosen, rejected = (
        objectives.answer_log_prob(model(ids), ids, assistant_mask(ids)) for ids in (pairs.chosen, pairs.rejected)
    )
    return objectives.dpo(chosen, rejected, pairs.chosen_reference, pairs.rejected_reference, beta)


@dataclass(frozen=True)
class Drawn:
    """The statistics and the loss of one step of reinforcement learning."""

    loss: Float[Tensor, ""]  # its gradient updates the weights
    reward: float  # the mean over the sampled answers
    kl: float  # their mean log ratio to the reference, in nats: an estimate of the KL divergence


def reinforce(
    model: nn.Module,
    reference: nn.Module,
    questions: Sequence[Question],
    worth: Worth,
    kl: float,
    n_answer: int,
    generator: torch.Generator,
) -> Drawn:
    """Sample answers from the model and return a loss that makes those with above-average rewards more probable.

    The average is taken over the `n_answer` answers to the same question.
    """
    asked = [question for question in questions for _ in range(n_answer)]
    ids = write(model, prompts_of(asked), generator)
    found = worth(asked, answers(ids, N_PROMPT))
    policy = objectives.answer_log_prob(model(ids), ids, assistant_mask(ids))
    start = log_prob_of(reference, ids)
    shape = (len(questions), n_answer)
    loss = objectives.policy_gradient(policy.view(shape), start.view(shape), found.view(shape), kl)
    return Drawn(loss, float(found.mean()), float((policy.detach() - start).mean()))


def some(questions: Sequence[Question], n: int, generator: torch.Generator) -> list[Question]:
    """Sample n questions with replacement."""
    return [pick(questions, generator) for _ in range(n)]


EXAMPLE = "assistant"


def model_of(record: Mapping[str, NDArray[np.generic]], name: str) -> GPT:
    """Return one model from a record of this room, frozen; stored in half precision, it computes in single."""
    return rebuild(record, name, config()).float()


def tuned() -> GPT:
    """Return a trainable copy of the example's instruction-tuned model."""
    return deepcopy(model_of(record_of(EXAMPLE), "tuned")).train().requires_grad_(True)
