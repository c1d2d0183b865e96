"""What a model writes, token by token with its probabilities, and how often it is right."""

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

N_TOP = 4  # tokens told at each place
N_EACH = 5  # answers drawn to each question, where shares are counted


@dataclass(frozen=True)
class Answer:
    """What came behind a question."""

    words: tuple[str, ...]  # one for each token, the end included where it came
    probabilities: tuple[float, ...]  # of each, when it was written
    top: tuple[tuple[tuple[str, float], ...], ...]  # the likeliest tokens at each place, with their probabilities

    @property
    def said(self) -> str:
        """As a text, without its end."""
        return " ".join(word for word in self.words if word != END)

    @property
    def details(self) -> list[str]:
        """A line for each token: what else could have come."""
        return [", ".join(f"{word} {p:.1%}" for word, p in places) for places in self.top]


def words_before(question: Question, is_chat: bool) -> tuple[str, ...]:
    """What the model reads: the template, or the plain question where it knows no template."""
    return prompt(question) if is_chat else question.words


def asked_of(questions: Sequence[Question], is_chat: bool) -> Int[Tensor, "B P"]:
    """The same as ids."""
    return prompts_of(questions) if is_chat else torch.tensor([encode(one.words) for one in questions])


@torch.no_grad()
def answer_to(model: nn.Module, question: Question, is_chat: bool = True, seed: int | None = None) -> Answer:
    """One answer, drawn with a seed; the likeliest token each time where there is none."""
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
    """What it writes behind each question: drawn, or the likeliest where there is no generator."""
    ids = write(model, asked_of(questions, is_chat), generator)
    return answers(ids, N_PROMPT if is_chat else QUESTION_WORDS)


def right_share(
    model: nn.Module, questions: Sequence[Question], is_chat: bool = True, generator: torch.Generator | None = None
) -> float:
    """The share of questions answered rightly."""
    said = answered(model, questions, is_chat, generator)
    return sum(answer_in(words) == one.truth for one, words in zip(questions, said, strict=True)) / len(said)


@dataclass(frozen=True)
class Shares:
    """Of drawn answers: right about things, right about things that no demonstration had, right of the sums beyond 9,
    friendly, and rude."""

    things: float
    unshown: float
    hard: float
    friendly: float
    rude: float


def shares(model: GPT, is_chat: bool = True, seed: int = 0) -> Shares:
    """`N_EACH` answers to every question, sums three."""
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
    """How probable the right word is as the answer: said at once, or behind "it is".

    Nothing is drawn; other ways to begin an answer to a sum count as wrong, and hardly ever come.
    """
    prompts = prompts_of(questions)
    truth = torch.tensor([IDS[one.truth] for one in questions])
    rows = torch.arange(len(questions))
    it, is_ = IDS["it"], IDS["is"]
    longer = torch.cat([prompts, torch.tensor([[it, is_]]).expand(len(rows), 2)], 1)
    chances = model(longer).softmax(-1)[:, prompts.shape[1] - 1 :]  # (B, 3, V)
    return chances[rows, 0, truth] + chances[:, 0, it] * chances[:, 1, is_] * chances[rows, 2, truth]


def drawn(model: GPT, is_chat: bool = True, seed: int = 0) -> list[tuple[str, ...]]:
    """An answer to each question about things, drawn."""
    return answered(model, ABOUT_THINGS, is_chat, torch.Generator().manual_seed(seed))
