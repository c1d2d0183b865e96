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
from core.rooms.assistant.compute.world import WORDS, WorldQuestion, sample_item
from core.rooms.assistant.compute.writing import Reward, extract_answers, generate_answers, prompt_ids, reward_answers
from core.train.experiment import experiment_record, rebuild_model
from core.train.optimizers import AdamW
from core.train.recipes import Recipe
from core.train.tasks.defaults import FAST_BLOCK
from core.train.trainer import Trainer, constant_then_linear

# Maps questions and an answer to each of them to the answers' rewards (B,).
BatchReward = Callable[[Sequence[WorldQuestion], Sequence[Sequence[str]]], Tensor]
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
    return Trainer(model, optimizer, constant_then_linear(n_step), n_step=n_step, clip=1.0)


@dataclass(frozen=True)
class PreferencePairs:
    """Preference pairs: a chosen and a rejected answer to each question, with their initial log-probabilities."""

    questions: tuple[WorldQuestion, ...]  # n
    chosen: Int[Tensor, "n T"]  # chosen, rejected: (n, T) whole chats
    rejected: Int[Tensor, "n T"]
    # chosen_reference, rejected_reference: (n,) nats, under the model that wrote them
    chosen_reference: Float[Tensor, " n"]
    rejected_reference: Float[Tensor, " n"]

    def at(self, rows: Int[Tensor, " m"]) -> "PreferencePairs":
        """Return the pairs at these rows."""
        parts = (self.chosen, self.rejected, self.chosen_reference, self.rejected_reference)
        return PreferencePairs(tuple(self.questions[i] for i in rows.tolist()), *(part[rows] for part in parts))


@torch.no_grad()
def chat_log_probs(model: nn.Module, ids: Int[Tensor, "n T"]) -> Float[Tensor, " n"]:
    """Return the log-probability of the assistant's part of each chat, in nats."""
    return objectives.answer_log_prob(model(ids), ids, assistant_mask(ids))


def sample_preference_pairs(
    model: nn.Module, questions: Sequence[WorldQuestion], reward: Reward, generator: torch.Generator
) -> PreferencePairs:
    """Sample two answers to each question and rank them by reward, leaving out ties."""
    prompts = prompt_ids(questions)
    one, two = (generate_answers(model, prompts, generator) for _ in range(2))
    first, second = (reward_answers(reward, questions, extract_answers(ids, N_PROMPT)) for ids in (one, two))
    differ = first != second
    is_first = (first > second)[:, None]
    chosen, rejected = torch.where(is_first, one, two)[differ], torch.where(is_first, two, one)[differ]
    kept = tuple(question for question, is_pair in zip(questions, differ.tolist(), strict=True) if is_pair)
    return PreferencePairs(kept, chosen, rejected, chat_log_probs(model, chosen), chat_log_probs(model, rejected))


def dpo_loss(model: nn.Module, pairs: PreferencePairs, beta: float) -> Float[Tensor, ""]:
    """Return the DPO loss of some pairs."""
    chosen, rejected = (
        objectives.answer_log_prob(model(ids), ids, assistant_mask(ids)) for ids in (pairs.chosen, pairs.rejected)
    )
    return objectives.dpo(chosen, rejected, pairs.chosen_reference, pairs.rejected_reference, beta)


@dataclass(frozen=True)
class ReinforceStep:
    """The statistics and the loss of one step of reinforcement learning."""

    loss: Float[Tensor, ""]  # its gradient updates the weights
    reward: float  # the mean over the sampled answers
    kl: float  # their mean log ratio to the reference, in nats: an estimate of the KL divergence


def reinforce(
    model: nn.Module,
    reference: nn.Module,
    questions: Sequence[WorldQuestion],
    worth: BatchReward,
    kl: float,
    n_answer: int,
    generator: torch.Generator,
) -> ReinforceStep:
    """Sample answers from the model and return a loss that makes those with above-average rewards more probable.

    The average is taken over the `n_answer` answers to the same question.
    """
    asked = [question for question in questions for _ in range(n_answer)]
    ids = generate_answers(model, prompt_ids(asked), generator)
    found = worth(asked, extract_answers(ids, N_PROMPT))
    policy = objectives.answer_log_prob(model(ids), ids, assistant_mask(ids))
    start = chat_log_probs(reference, ids)
    shape = (len(questions), n_answer)
    loss = objectives.policy_gradient(policy.view(shape), start.view(shape), found.view(shape), kl)
    return ReinforceStep(loss, float(found.mean()), float((policy.detach() - start).mean()))


def sample_questions(questions: Sequence[WorldQuestion], n: int, generator: torch.Generator) -> list[WorldQuestion]:
    """Sample n questions with replacement."""
    return [sample_item(questions, generator) for _ in range(n)]


EXAMPLE = "assistant"


def recorded_model(record: Mapping[str, NDArray[np.generic]], name: str) -> GPT:
    """Return one model from a record of this room, frozen; stored in half precision, it computes in single."""
    return rebuild_model(record, name, config()).float()


def tuned_model() -> GPT:
    """Return a trainable copy of the example's instruction-tuned model."""
    return deepcopy(recorded_model(experiment_record(EXAMPLE), "tuned")).train().requires_grad_(True)
