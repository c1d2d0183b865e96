"""Answers drawn from a model, many prompts at once, and what they are worth."""

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
    """Prompts with n tokens more, the end token repeated; drawn by the generator, or greedily where there is none."""
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
    """In the chat template."""
    return torch.tensor([encode(prompt(one)) for one in questions])


def is_right(question: Question, words: Sequence[str]) -> float:
    """The checker: 1 where the answer is the truth, else 0."""
    return float(answer_in(words) == question.truth)


def friendliness(question: Question, words: Sequence[str]) -> float:
    """1 where the answer is friendly, else 0."""
    return float(is_friendly(words))


def happy_words(question: Question, words: Sequence[str]) -> float:
    """A careless measure of friendliness: how often "happy" is said."""
    return float(sum(word == "happy" for word in words))


def length(question: Question, words: Sequence[str]) -> float:
    """How many words were said."""
    return float(len(words))


def shortness(question: Question, words: Sequence[str]) -> float:
    """The fewer words, the better."""
    return -length(question, words)


def kindness(question: Question, words: Sequence[str]) -> float:
    """1 where the answer is friendly, -1 where it is rude."""
    return {"kind": 1.0, "rude": -1.0}.get(manner(words), 0.0)


def answers(ids: Int[Tensor, "B T"], n_prompt: int) -> list[tuple[str, ...]]:
    """The words behind the prompts, without the end."""
    return [said(row) for row in ids[:, n_prompt:]]


def rewards(reward: Reward, questions: Sequence[Question], some: Sequence[Sequence[str]]) -> Tensor:
    """(B,) what each answer is worth."""
    return torch.tensor([reward(question, words) for question, words in zip(questions, some, strict=True)])


def frozen(model: GPT) -> GPT:
    """A copy that learns no more: the reference."""
    return deepcopy(model).eval().requires_grad_(False)
