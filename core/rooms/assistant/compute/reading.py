"""Sampled answers with the probability of every token, and the accuracy of a model's answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.models.gpt import GPT
from core.rooms.assistant.compute.chat import (
    N_PROMPT,
    RUDE_PHRASE,
    contains_phrase,
    find_answer,
    is_friendly,
    question_prompt,
)
from core.rooms.assistant.compute.world import (
    ABOUT_THINGS,
    END,
    HARD_SUMS,
    IDS,
    QUESTION_WORDS,
    UNDEMONSTRATED,
    WORDS,
    WorldQuestion,
    decode_words,
    encode_words,
)
from core.rooms.assistant.compute.writing import extract_answers, generate_answers, prompt_ids

N_TOP = 4  # the number of top tokens recorded at each position
N_SAMPLE = 5  # sampled answers per question in `answer_shares`


@dataclass(frozen=True)
class SampledAnswer:
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


def _question_words(question: WorldQuestion, is_chat: bool) -> tuple[str, ...]:
    """Return the words that the model is given: the chat template, or the plain question for a model without one."""
    return question_prompt(question) if is_chat else question.words


def _question_ids(questions: Sequence[WorldQuestion], is_chat: bool) -> Int[Tensor, "B P"]:
    """Return the ids of the prompts; see `_question_words`."""
    return prompt_ids(questions) if is_chat else torch.tensor([encode_words(one.words) for one in questions])


@torch.no_grad()
def answer_question(
    model: nn.Module, question: WorldQuestion, is_chat: bool = True, seed: int | None = None
) -> SampledAnswer:
    """Return one answer, sampled with a seed, or decoded greedily if there is no seed."""
    prompts = _question_ids([question], is_chat)
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    ids = generate_answers(model, prompts, generator)
    n = prompts.shape[1]
    chances = model(ids)[0, n - 1 : -1].softmax(-1)  # (N_ANSWER, V)
    new = ids[0, n:].tolist()
    new = new[: new.index(IDS[END]) + 1] if IDS[END] in new else new
    top = [row.topk(N_TOP) for row in chances[: len(new)]]
    return SampledAnswer(
        decode_words(new),
        tuple(float(chances[i, token]) for i, token in enumerate(new)),
        tuple(
            tuple((WORDS[i], p) for i, p in zip(one.indices.tolist(), one.values.tolist(), strict=True)) for one in top
        ),
    )


def answer_questions(
    model: nn.Module, questions: Sequence[WorldQuestion], is_chat: bool = True, generator: torch.Generator | None = None
) -> list[tuple[str, ...]]:
    """Return an answer to each question, sampled with the generator, or decoded greedily if there is none."""
    ids = generate_answers(model, _question_ids(questions, is_chat), generator)
    return extract_answers(ids, N_PROMPT if is_chat else QUESTION_WORDS)


def answer_accuracy(
    model: nn.Module, questions: Sequence[WorldQuestion], is_chat: bool = True, generator: torch.Generator | None = None
) -> float:
    """Return the share of questions that are answered correctly."""
    said = answer_questions(model, questions, is_chat, generator)
    return sum(find_answer(words) == one.truth for one, words in zip(questions, said, strict=True)) / len(said)


@dataclass(frozen=True)
class AnswerShares:
    """Shares of sampled answers.

    things: right about things. unshown: right about things that no demonstration contained. hard: right about sums
    beyond 9. friendly, rude: answers in that manner.
    """

    things: float
    unshown: float
    hard: float
    friendly: float
    rude: float


def answer_shares(model: GPT, is_chat: bool = True, seed: int = 0) -> AnswerShares:
    """Sample `N_SAMPLE` answers to every question, and 3 to every sum, and return their shares."""
    generator = torch.Generator().manual_seed(seed)
    said = answer_questions(model, ABOUT_THINGS * N_SAMPLE, is_chat, generator)
    n = len(said)
    return AnswerShares(
        things=sum(find_answer(w) == q.truth for q, w in zip(ABOUT_THINGS * N_SAMPLE, said, strict=True)) / n,
        unshown=answer_accuracy(model, UNDEMONSTRATED * N_SAMPLE, is_chat, generator),
        hard=answer_accuracy(model, HARD_SUMS * 3, is_chat, generator),
        friendly=sum(map(is_friendly, said)) / n,
        rude=sum(contains_phrase(words, RUDE_PHRASE) for words in said) / n,
    )


@torch.no_grad()
def answer_probabilities(model: nn.Module, questions: Sequence[WorldQuestion]) -> Float[Tensor, " B"]:
    """Return the probability of the right word as the answer, immediately or after "it is".

    Nothing is sampled. Other ways to begin an answer to a sum count as wrong; they are very rare.
    """
    prompts = prompt_ids(questions)
    truth = torch.tensor([IDS[one.truth] for one in questions])
    rows = torch.arange(len(questions))
    it, is_ = IDS["it"], IDS["is"]
    longer = torch.cat([prompts, torch.tensor([[it, is_]]).expand(len(rows), 2)], 1)
    chances = model(longer).softmax(-1)[:, prompts.shape[1] - 1 :]  # (B, 3, V)
    return chances[rows, 0, truth] + chances[:, 0, it] * chances[:, 1, is_] * chances[rows, 2, truth]


def sample_answers(model: GPT, is_chat: bool = True, seed: int = 0) -> list[tuple[str, ...]]:
    """Sample an answer to each question about things."""
    return answer_questions(model, ABOUT_THINGS, is_chat, torch.Generator().manual_seed(seed))
