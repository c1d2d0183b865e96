"""Sampled answers with the probability of every token, and the accuracy of a model's answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.models.gpt import GPT
from core.rooms.assistant.compute.chat import N_PROMPT, RUDE, answer_in, contains, is_friendly, prompt
from core.rooms.assistant.compute.world import (
    ABOUT_THINGS,
    END,
    HARD,
    IDS,
    QUESTION_WORDS,
    UNSHOWN,
    WORDS,
    Question,
    decode,
    encode,
)
from core.rooms.assistant.compute.writing import answers, prompts_of, write

N_TOP = 4  # the number of top tokens recorded at each position
N_EACH = 5  # sampled answers per question in `shares`


@dataclass(frozen=True)
class Answer:
    """An answer to a question, with its token probabilities."""

    words: tuple[str, ...]  # one for each token, including the end token if there is one
    probabilities: tuple[float, ...]  # the probability of each token when it was sampled
    top: tuple[tuple[tuple[str, float], ...], ...]  # the most probable tokens at each position, with probabilities

    @property
    def said(self) -> str:
        """The answer as a text, without its end token."""
        return " ".join(word for word in self.words if word != END)

    @property
    def details(self) -> list[str]:
        """A line for each token with the most probable tokens at its position."""
        return [", ".join(f"{word} {p:.1%}" for word, p in places) for places in self.top]


def words_before(question: Question, is_chat: bool) -> tuple[str, ...]:
    """Return the words that the model is given: the chat template, or the plain question for a model without one."""
    return prompt(question) if is_chat else question.words


def asked_of(questions: Sequence[Question], is_chat: bool) -> Int[Tensor, "B P"]:
    """Return the ids of the prompts; see `words_before`."""
    return prompts_of(questions) if is_chat else torch.tensor([encode(one.words) for one in questions])


@torch.no_grad()
def answer_to(model: nn.Module, question: Question, is_chat: bool = True, seed: int | None = None) -> Answer:
    """Return one answer, sampled with a seed, or decoded greedily if there is no seed."""
    prompts = asked_of([question], is_chat)
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    ids = write(model, prompts, generator)
    n = prompts.shape[1]
    chances = model(ids)[0, n - 1 : -1].softmax(-1)  # (N_ANSWER, V)
    new = ids[0, n:].tolist()
    new = new[: new.index(IDS[END]) + 1] if IDS[END] in new else new
    top = [row.topk(N_TOP) for row in chances[: len(new)]]
    return Answer(
        decode(new),
        tuple(float(chances[i, token]) for i, token in enumerate(new)),
        tuple(
            tuple((WORDS[i], p) for i, p in zip(one.indices.tolist(), one.values.tolist(), strict=True)) for one in top
        ),
    )


def answered(
    model: nn.Module, questions: Sequence[Question], is_chat: bool = True, generator: torch.Generator | None = None
) -> list[tuple[str, ...]]:
    """Return an answer to each question, sampled with the generator, or decoded greedily if there is none."""
    ids = write(model, asked_of(questions, is_chat), generator)
    return answers(ids, N_PROMPT if is_chat else QUESTION_WORDS)


def right_share(
    model: nn.Module, questions: Sequence[Question], is_chat: bool = True, generator: torch.Generator | None = None
) -> float:
    """Return the share of questions that are answered correctly."""
    said = answered(model, questions, is_chat, generator)
    return sum(answer_in(words) == one.truth for one, words in zip(questions, said, strict=True)) / len(said)


@dataclass(frozen=True)
class Shares:
    """Shares of sampled answers.

    things: right about things. unshown: right about things that no demonstration contained. hard: right about sums
    beyond 9. friendly, rude: answers in that manner.
    """

    things: float
    unshown: float
    hard: float
    friendly: float
    rude: float


def shares(model: GPT, is_chat: bool = True, seed: int = 0) -> Shares:
    """Sample `N_EACH` answers to every question, and 3 to every sum, and return their shares."""
    generator = torch.Generator().manual_seed(seed)
    said = answered(model, ABOUT_THINGS * N_EACH, is_chat, generator)
    n = len(said)
    return Shares(
        things=sum(answer_in(w) == q.truth for q, w in zip(ABOUT_THINGS * N_EACH, said, strict=True)) / n,
        unshown=right_share(model, UNSHOWN * N_EACH, is_chat, generator),
        hard=right_share(model, HARD * 3, is_chat, generator),
        friendly=sum(map(is_friendly, said)) / n,
        rude=sum(contains(words, RUDE) for words in said) / n,
    )


@torch.no_grad()
def right_probabilities(model: nn.Module, questions: Sequence[Question]) -> Float[Tensor, " B"]:
    """Return the probability of the right word as the answer, immediately or after "it is".

    Nothing is sampled. Other ways to begin an answer to a sum count as wrong; they are very rare.
    """
    prompts = prompts_of(questions)
    truth = torch.tensor([IDS[one.truth] for one in questions])
    rows = torch.arange(len(questions))
    it, is_ = IDS["it"], IDS["is"]
    longer = torch.cat([prompts, torch.tensor([[it, is_]]).expand(len(rows), 2)], 1)
    chances = model(longer).softmax(-1)[:, prompts.shape[1] - 1 :]  # (B, 3, V)
    return chances[rows, 0, truth] + chances[:, 0, it] * chances[:, 1, is_] * chances[rows, 2, truth]


def drawn(model: GPT, is_chat: bool = True, seed: int = 0) -> list[tuple[str, ...]]:
    """Sample an answer to each question about things."""
    return answered(model, ABOUT_THINGS, is_chat, torch.Generator().manual_seed(seed))
