"""Answers sampled from a model, many prompts at once, and their rewards."""

from collections.abc import Callable, Sequence
from copy import deepcopy

import torch
from jaxtyping import Int
from torch import Tensor, nn

from core.generate.cache import CachedModel
from core.models.gpt import GPT
from core.rooms.assistant.compute.chat import N_ANSWER, answer_in, is_friendly, manner, prompt, said
from core.rooms.assistant.compute.world import END, IDS, Question, encode

Reward = Callable[[Question, Sequence[str]], float]


def write(
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


def prompts_of(questions: Sequence[Question]) -> Int[Tensor, "B P"]:
    """Return the ids of questions in the chat template."""
    return torch.tensor([encode(prompt(one)) for one in questions])


def is_right(question: Question, words: Sequence[str]) -> float:
    """Return 1 if the answer is right, else 0 (the checker)."""
    return float(answer_in(words) == question.truth)


def friendliness(question: Question, words: Sequence[str]) -> float:
    """Return 1 if the answer is friendly, else 0."""
    return float(is_friendly(words))


def happy_words(question: Question, words: Sequence[str]) -> float:
    """Return how often "happy" is said, a careless measure of friendliness."""
    return float(sum(word == "happy" for word in words))


def length(question: Question, words: Sequence[str]) -> float:
    """Return the number of words in the answer."""
    return float(len(words))


def shortness(question: Question, words: Sequence[str]) -> float:
    """Return minus the number of words in the answer."""
    return -length(question, words)


def kindness(question: Question, words: Sequence[str]) -> float:
    """Return 1 if the answer is friendly, -1 if it is rude, else 0."""
    return {"kind": 1.0, "rude": -1.0}.get(manner(words), 0.0)


def answers(ids: Int[Tensor, "B T"], n_prompt: int) -> list[tuple[str, ...]]:
    """Return the words after the prompts, without the end token."""
    return [said(row) for row in ids[:, n_prompt:]]


def rewards(reward: Reward, questions: Sequence[Question], some: Sequence[Sequence[str]]) -> Tensor:
    """Return the reward of each answer (B,)."""
    return torch.tensor([reward(question, words) for question, words in zip(questions, some, strict=True)])


def frozen(model: GPT) -> GPT:
    """Return a frozen copy of a model, to be used as the reference."""
    return deepcopy(model).eval().requires_grad_(False)
