"""Answers sampled from a model, many prompts at once, and their rewards."""

from collections.abc import Callable, Sequence
from copy import deepcopy

import torch
from jaxtyping import Int
from torch import Tensor, nn

from core.generate.cache import CachedModel
from core.models.gpt import GPT
from core.rooms.assistant.compute.chat import (
    N_ANSWER,
    answer_style,
    answer_words,
    find_answer,
    is_friendly,
    question_prompt,
)
from core.rooms.assistant.compute.world import END, IDS, WorldQuestion, encode_words

Reward = Callable[[WorldQuestion, Sequence[str]], float]


def generate_answers(
    model: nn.Module, prompts: Int[Tensor, "B P"], generator: torch.Generator | None, n: int = N_ANSWER
) -> Int[Tensor, "B P_plus_n"]:
    """Append n tokens to each prompt, repeating the end token; sampled, or greedy if there is no generator."""
    reader, rows = CachedModel(model), prompts.tolist()
    for _ in range(n):
        logits = reader.next_logits(rows)
        if generator is None:
            token = logits.argmax(-1)
        else:
            token = torch.multinomial(logits.softmax(-1), 1, generator=generator)[:, 0]
        for row, new in zip(rows, token.tolist(), strict=True):
            row.append(IDS[END] if IDS[END] in row else new)
    return torch.tensor(rows)


def prompt_ids(questions: Sequence[WorldQuestion]) -> Int[Tensor, "B P"]:
    """Return the ids of questions in the chat template."""
    return torch.tensor([encode_words(question_prompt(one)) for one in questions])


def checker_reward(question: WorldQuestion, words: Sequence[str]) -> float:
    """Return 1 if the answer is right, else 0 (the checker)."""
    return float(find_answer(words) == question.truth)


def friendliness_reward(question: WorldQuestion, words: Sequence[str]) -> float:
    """Return 1 if the answer is friendly, else 0."""
    return float(is_friendly(words))


def happy_reward(question: WorldQuestion, words: Sequence[str]) -> float:
    """Return how often "happy" is said, a careless measure of friendliness."""
    return float(sum(word == "happy" for word in words))


def length_reward(question: WorldQuestion, words: Sequence[str]) -> float:
    """Return the number of words in the answer."""
    return float(len(words))


def shortness_reward(question: WorldQuestion, words: Sequence[str]) -> float:
    """Return minus the number of words in the answer."""
    return -length_reward(question, words)


def kindness_reward(question: WorldQuestion, words: Sequence[str]) -> float:
    """Return 1 if the answer is friendly, -1 if it is rude, else 0."""
    return {"kind": 1.0, "rude": -1.0}.get(answer_style(words), 0.0)


def extract_answers(ids: Int[Tensor, "B T"], n_prompt: int) -> list[tuple[str, ...]]:
    """Return the words after the prompts, without the end token."""
    return [answer_words(row) for row in ids[:, n_prompt:]]


def reward_answers(reward: Reward, questions: Sequence[WorldQuestion], some: Sequence[Sequence[str]]) -> Tensor:
    """Return the reward of each answer (B,)."""
    return torch.tensor([reward(question, words) for question, words in zip(questions, some, strict=True)])


def frozen_copy(model: GPT) -> GPT:
    """Return a frozen copy of a model, to be used as the reference."""
    return deepcopy(model).eval().requires_grad_(False)
