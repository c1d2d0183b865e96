"""A first look whether an opened model works: what it makes of a text, against guessing blindly."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.printable import visible
from core.data.tokenizers.base import until
from core.generate import seq2seq
from core.inspect.loss import from_logits
from core.inspect.readers import predicts
from core.inspect.trace import as_batch
from core.models import pretrained
from core.models.registry import family_of

MOST_WRITTEN = 24  # tokens that an encoder-decoder writes
MUCH = 0.8  # of the blind surprise: what lies above has learned next to nothing of texts like this


@dataclass(frozen=True)
class Guess:
    """What a model says of one place."""

    section = "guess"  # of the words, here and below

    place: int  # the token that is asked for, its place in the text; one more than the last for what follows
    probabilities: NDArray[np.float32]  # (V,) of all tokens there
    true: int | None  # id of the token that stands there, None for what follows
    # mean surprise at the text's tokens, in nats: of a decoder at each after those before it, of an encoder at each
    # when it alone is hidden
    loss: float
    blind: float  # ln V: the surprise of who gives all tokens the same probability
    n_token: int  # in that mean
    vocabulary: Sequence[str] = ()  # (V,) tokens as they can be read

    @property
    def is_next(self) -> bool:
        """Whether it is about what follows the text."""
        return self.true is None

    @property
    def has_learned(self) -> bool:
        """Whether the text surprises it clearly less than a blind guesser."""
        return self.loss < MUCH * self.blind

    def table(self) -> dict[str, list[Any]]:
        """All tokens, the likeliest first."""
        order = np.argsort(-self.probabilities, kind="stable")
        return {
            "id": order.tolist(),
            "token": [self.vocabulary[i] for i in order],
            "probability": self.probabilities[order].tolist(),
        }


@dataclass(frozen=True)
class Tokens:
    """What an encoder-decoder writes; or what a model reads that cannot be asked about a text."""

    section: str  # the words that say which, and why
    ids: Sequence[int]
    tokens: Sequence[str]
    text: str = ""  # the tokens as one text

    def table(self) -> dict[str, list[Any]]:
        """One line for each token."""
        return {"id": list(self.ids), "token": list(self.tokens)}


@dataclass(frozen=True)
class Labels:
    """What a BERT that was taught a task answers."""

    section = "labels"
    answers: NDArray[np.float32]  # (C,) for the whole text, or (T, C) for each token
    names: Sequence[str]  # (C,) of the labels
    tokens: Sequence[str]  # (T,) of the text

    @property
    def is_whole(self) -> bool:
        """Whether it answers for the whole text."""
        return self.answers.ndim == 1

    @property
    def best(self) -> list[tuple[str, str]]:
        """Each token as it can be read, and its likeliest label; none for the whole text."""
        likeliest = [] if self.is_whole else zip(self.tokens, self.answers.argmax(-1), strict=True)
        return [(visible(token), self.names[i]) for token, i in likeliest]

    @property
    def are_named(self) -> bool:
        """Whether the names say more than a number: "LABEL_0" is written where nobody named anything."""
        return not all(name.upper() in (f"LABEL_{i}", f"LABEL {i}") for i, name in enumerate(self.names))

    def table(self) -> dict[str, list[Any]]:
        """One line for each label, or for each token with its likeliest label."""
        if self.is_whole:
            return {"label": list(self.names), "probability": self.answers.tolist()}
        best = [name for _, name in self.best]
        return {"token": list(self.tokens), "label": best, "probability": self.answers.max(-1).tolist()}


@torch.no_grad()
def next_token(model: nn.Module, ids: list[int], vocabulary: Sequence[str] = ()) -> Guess:
    """What a model that writes expects after a text. Raises ValueError if the text does not fit the model."""
    logits = model(as_batch(model, ids))[0]
    blind = math.log(logits.shape[-1])
    loss = from_logits(logits, torch.tensor(ids)).mean if len(ids) > 1 else float("nan")
    return Guess(len(ids), _softmax(logits[-1]), None, loss, blind, len(ids) - 1, vocabulary)


@torch.no_grad()
def gaps(
    model: nn.Module, ids: list[int], mask_id: int, at: int, asked: list[int], vocabulary: Sequence[str] = ()
) -> Guess:
    """What a model that fills gaps expects where a token is hidden; and its surprise at each of them in turn.

    Args:
        ids: (T,) the text, with what the tokenizer lays around it.

    Raises:
        ValueError: if the text does not fit the model.
    """
    batch = as_batch(model, ids)
    losses, shown = [], np.zeros(0, np.float32)
    for place in dict.fromkeys([at, *asked]):
        hidden = batch.clone()
        hidden[0, place] = mask_id
        scores = model(hidden)[0, place].float()
        if place == at:
            shown = _softmax(scores)
        if place in asked:
            losses.append(-float(scores.log_softmax(-1)[ids[place]]))
    mean = float(np.mean(losses)) if losses else float("nan")
    return Guess(at, shown, ids[at], mean, math.log(len(shown)), len(losses), vocabulary)


@torch.no_grad()
def label_probabilities(model: nn.Module, ids: list[int]) -> NDArray[np.float32]:
    """What a BERT that was taught a task answers: (C,) for the whole text, or (T, C) for each token."""
    return np.asarray(model(as_batch(model, ids))[0].float().softmax(-1).numpy())


def answer_names(folder: Path | str, n_label: int) -> tuple[str, ...]:
    """What a task's answers are called in the model's config, else "label 0" and so on."""
    try:
        names = pretrained.labels(folder)
    except (pretrained.ImportRefused, OSError):
        names = ()
    return names if len(names) == n_label else tuple(f"label {i}" for i in range(n_label))


@torch.no_grad()
def written(model: nn.Module, ids: list[int], start_id: int, end_id: int) -> list[int]:
    """What an encoder-decoder writes for a source, the likeliest token each time; without the end token."""
    answer = seq2seq.greedy(
        model,  # type: ignore[arg-type]
        torch.tensor([ids]),
        start_id=start_id,
        end_id=end_id,
        max_new_tokens=MOST_WRITTEN,
    )[0].tolist()
    return until(answer, end_id)


def start_and_end(model: nn.Module, tokenizer: Any) -> tuple[int, int] | None:
    """The tokens that begin and end what an encoder-decoder writes, where its files tell; a T5 begins with padding."""
    end = getattr(tokenizer, "end_id", None)
    start = getattr(tokenizer, family_of(model).starts_with, None)
    return None if start is None or end is None else (int(start), int(end))


def can_fill(model: nn.Module, tokenizer: Any) -> bool:
    """Whether the model fills gaps, and its tokenizer has a token for one."""
    return predicts(model) == "here" and getattr(tokenizer, "mask_id", None) is not None


def _softmax(logits: Tensor) -> NDArray[np.float32]:
    return np.asarray(logits.float().softmax(-1).numpy())
