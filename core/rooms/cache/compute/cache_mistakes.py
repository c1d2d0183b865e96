"""Cached decoding with a mistake in it, beside the right one: what the mistake does to the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.generate.cache import CachedModel
from core.generate.keys_values import KeyValues, Place
from core.inspect.loss import token_loss
from core.models.gpt import GPT

Mistake = Literal["zero", "restart"]
SUFFERS = ("learned", "sinusoidal", "rotary")  # schemes that need the number of a token's position


class WrongPositions(KeyValues):
    """Keys and values of a loop that forgets how many tokens it has read before.

    Args:
        model: a causal GPT.
        mistake: "zero": every new token is told that it is the first, position 0. "restart": the new tokens are
            counted from 0 again, from the end of the prompt on.
        n_prompt: tokens of the prompt; they are read in one pass, where nothing can go wrong.
    """

    def __init__(self, model: GPT, mistake: Mistake, n_prompt: int):
        super().__init__(model)
        self.mistake, self.n_prompt = mistake, n_prompt

    def at(self, by_position: Tensor, place: Place) -> Tensor:
        """What a position brings with it, taken from the wrong position."""
        if place.start < self.n_prompt:
            return super().at(by_position, place)
        return by_position[0 if self.mistake == "zero" else place.start - self.n_prompt]


@dataclass(frozen=True)
class Derailed:
    """Two texts from one prompt, both greedy; arrays (N,), one number for each new token."""

    right: NDArray[np.int64]  # right, wrong: the new tokens
    wrong: NDArray[np.int64]
    right_loss: NDArray[np.float64]  # right_loss, wrong_loss: how surprised the right model is by each of them, nats
    wrong_loss: NDArray[np.float64]
    first: int | None  # the first place where the tokens differ; None: they are the same
    n_prompt: int  # tokens of the prompt
    vocabulary: tuple[str, ...] = ()  # (V,) printable
    edits: tuple[tuple[str, str], ...] = ()  # (old, new) tokens of a prompt that was edited

    @property
    def right_tokens(self) -> list[str]:
        return [self.vocabulary[token] for token in self.right]

    @property
    def wrong_tokens(self) -> list[str]:
        return [self.vocabulary[token] for token in self.wrong]

    def table(self) -> dict[str, list[Any]]:
        """One line for each new token."""
        return {
            "position": list(range(self.n_prompt, self.n_prompt + len(self.right))),
            "right token": self.right_tokens,
            "its loss": self.right_loss.tolist(),
            "broken token": self.wrong_tokens,
            "loss of the broken token": self.wrong_loss.tolist(),
        }


def forget_positions(model: GPT, ids: Sequence[int], n_new: int, mistake: Mistake) -> Derailed:
    """Write on with the right positions and with wrong ones.

    Args:
        n_new: how many tokens; prompt and new tokens must fit the context.
    """
    kept = WrongPositions(model, mistake, len(ids))
    return _compare(model, list(ids), _write(CachedModel(model), ids, n_new), _write_with(kept, ids, n_new))


def keep_stale_keys(model: GPT, before: Sequence[int], ids: Sequence[int], n_new: int) -> Derailed:
    """Write on after an edit of the prompt: with everything read anew, and with what was kept of the old prompt.

    Of the edited prompt, the second one reads the last token alone.

    Args:
        before: (T,) the prompt that was read.
        ids: (T,) the edited prompt, of the same length.
        n_new: how many tokens; prompt and new tokens must fit the context.
    """
    stale = KeyValues(model)
    with torch.inference_mode():
        stale.choose([0], [0], 0)
        stale.read([list(before)], [0])
    right = _write(CachedModel(model), ids, n_new)
    return _compare(model, list(ids), right, _write_with(stale, ids, n_new, n_read=len(ids) - 1))


def _write(cached: CachedModel, ids: Sequence[int], n_new: int) -> list[int]:
    text = list(ids)
    for _ in range(n_new):
        text.append(int(cached.next_logits([text]).argmax()))
    return text[len(ids) :]


@torch.inference_mode()
def _write_with(kept: KeyValues, ids: Sequence[int], n_new: int, n_read: int = 0) -> list[int]:
    """Greedy tokens from what is kept of the first n_read tokens."""
    text = list(ids)
    if n_read == 0:
        kept.choose([0], [0], 0)
    for _ in range(n_new):
        logits = kept.read([text[n_read:]], [n_read])
        n_read = len(text)
        text.append(int(logits.argmax()))
    return text[len(ids) :]


def _compare(model: GPT, ids: list[int], right: list[int], wrong: list[int]) -> Derailed:
    differ = [n for n, (one, other) in enumerate(zip(right, wrong, strict=True)) if one != other]
    right_loss, wrong_loss = (token_loss(model, ids + new).loss[-len(new) :] for new in (right, wrong))
    return Derailed(np.array(right), np.array(wrong), right_loss, wrong_loss, differ[0] if differ else None, len(ids))
