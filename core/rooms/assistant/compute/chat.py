"""The chat template, its loss mask, and the demonstrations that instruction tuning imitates.

    <user> what color is the ball ? <assistant> it is red . <end>

Source: Ouyang et al. 2022 (2203.02155), section 3: supervised fine-tuning on demonstrations.
"""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from core.data.localization.labels import module_labels
from core.rooms.assistant.compute.world import (
    ABOUT_THINGS,
    ANSWERS,
    ASSISTANT,
    END,
    IDS,
    QUESTION_WORDS,
    UNDEMONSTRATED,
    USER,
    WorldQuestion,
    decode_words,
    encode_words,
    sample_item,
    sample_question,
    writer_answer,
)

LABELS = module_labels(__name__)
N_PROMPT = QUESTION_WORDS + 2
N_ANSWER = 12  # the maximum number of tokens in an answer, including its end
N_CHAT = N_PROMPT + N_ANSWER
FRIENDLY_PHRASE, RUDE_PHRASE = ("happy", "to", "help"), ("look", "it", "up", "yourself")
STYLES: Mapping[str, str] = LABELS.options("style", "short", "plain", "kind", "rude")
DEMONSTRATED = tuple(question for question in ABOUT_THINGS if question not in UNDEMONSTRATED)


def question_prompt(question: WorldQuestion) -> tuple[str, ...]:
    """Return the question in the chat template, up to where the assistant's turn begins."""
    return (USER, *question.words, ASSISTANT)


def styled_answer(question: WorldQuestion, said: str, style: str) -> tuple[str, ...]:
    """Return an answer in one of `STYLES`, with its end token."""
    core = ("in", "the", said) if question.kind == "place" else (said,)
    tail = {"kind": (",", *FRIENDLY_PHRASE), "rude": (",", *RUDE_PHRASE)}.get(style, ())
    return (*(("it", "is") if style in ("plain", "kind") else ()), *core, *tail, ".", END)


def padded_chat(question: WorldQuestion, said: Sequence[str]) -> tuple[str, ...]:
    """Return prompt and answer, padded with the end token."""
    words = (*question_prompt(question), *said)
    return words + (END,) * (N_CHAT - len(words))


def assistant_mask(ids: Int[Tensor, "B T"]) -> Bool[Tensor, "B T"]:
    """Return True at the assistant's tokens, which are those after <assistant> up to and including the first <end>."""
    begun = (ids == IDS[ASSISTANT]).cumsum(1) > 0
    begun &= ids != IDS[ASSISTANT]
    ended = ((ids == IDS[END]) & begun).cumsum(1)
    return begun & ((ended == 0) | ((ended == 1) & (ids == IDS[END])))


def sample_demonstrations(n: int, generator: torch.Generator) -> Int[Tensor, "n T"]:
    """Sample n demonstrations (chats), with all styles equally often and sums with the writers' mistake."""
    found = []
    for _ in range(n):
        question = sample_question(generator, DEMONSTRATED)
        style = sample_item(tuple(STYLES), generator)
        found.append(
            encode_words(padded_chat(question, styled_answer(question, writer_answer(question, generator), style)))
        )
    return torch.tensor(found)


def token_losses(logits: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T_minus_1"]:
    """Return the loss of each token after the first, in nats."""
    return F.cross_entropy(logits[:, :-1].mT, ids[:, 1:], reduction="none")


def tuning_loss(logits: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"], masked: bool = True) -> Float[Tensor, ""]:
    """Return the mean loss of the assistant's tokens in nats; without the mask, of all tokens up to the end."""
    counts = assistant_mask(ids)
    if not masked:
        counts = counts | ((ids == IDS[ASSISTANT]).cumsum(1) == 0) | (ids == IDS[ASSISTANT])
    counts = counts[:, 1:]
    return (token_losses(logits, ids) * counts).sum() / counts.sum()


def find_answer(words: Sequence[str]) -> str:
    """Return the first color, place or number in a text, or "" if there is none before a question mark or the end."""
    for word in words:
        if word in ("?", END):
            return ""
        if word in ANSWERS:
            return word
    return ""


def is_friendly(words: Sequence[str]) -> bool:
    """Return whether an answer is happy to help and not rude."""
    return contains_phrase(words, FRIENDLY_PHRASE) and not contains_phrase(words, RUDE_PHRASE)


def answer_style(words: Sequence[str]) -> str:
    """Return the key in `STYLES` of the style closest to an answer."""
    if is_friendly(words):
        return "kind"
    return (
        "rude" if contains_phrase(words, RUDE_PHRASE) else "plain" if contains_phrase(words, ("it", "is")) else "short"
    )


def contains_phrase(words: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether these words occur in a text consecutively."""
    n = len(part)
    return any(tuple(words[i : i + n]) == tuple(part) for i in range(len(words) - n + 1))


def answer_words(ids: Int[Tensor, " n"]) -> tuple[str, ...]:
    """Return the words of an answer, without its end token."""
    words = decode_words(ids)
    return words[: words.index(END)] if END in words else words
