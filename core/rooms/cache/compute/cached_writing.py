"""Writing with and without kept keys and values: the same words, the same logits, and how much work each step is."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core.generate.cache import CachedModel
from core.models.gpt import GPTConfig


@dataclass(frozen=True)
class Race:
    """One text written twice, greedily; all arrays (N,), one number for each new token.

    Args:
        tokens: the new tokens, as written with the cache.
        tokens_anew: as written by reading everything anew.
        difference: largest difference of any logit between the two, on the same text.
        work, work_anew: multiply-adds of each step, see `step_work`.
        seconds, seconds_anew: measured, the shortest of the repeats: what a step takes when nothing else disturbs it.
        n_token, n_token_anew: how many tokens the model computed in all.
    """

    tokens: NDArray[np.int64]
    tokens_anew: NDArray[np.int64]
    difference: NDArray[np.float64]
    work: NDArray[np.int64]
    work_anew: NDArray[np.int64]
    seconds: NDArray[np.float64]
    seconds_anew: NDArray[np.float64]
    n_token: int
    n_token_anew: int

    def table(self, n_prompt: int) -> dict[str, Any]:
        """One line for each new token after a prompt of n_prompt tokens."""
        return {
            "length": [n_prompt + step for step in range(len(self.tokens))],
            "token": self.tokens,
            "token without the cache": self.tokens_anew,
            "largest difference of a logit": self.difference,
            "multiply-adds with": self.work,
            "multiply-adds without": self.work_anew,
            "seconds with": np.round(self.seconds, 6),
            "seconds without": np.round(self.seconds_anew, 6),
        }


def race(model: nn.Module, ids: Sequence[int], n_new: int, *, n_repeat: int = 5, most_seconds: float = 3.0) -> Race:
    """Write new tokens with the cache and without, step by step in turns, and compare.

    Args:
        model: a causal GPT.
        ids: (T,) the prompt.
        n_new: how many tokens; fewer are written where the first of the repeats takes too long.
        n_repeat: how often everything is timed, while there is time.
        most_seconds: for everything together, about; at least two tokens are written.
    """
    began = time.perf_counter()
    turns: list[_Turn] = []
    while not turns or (len(turns) < n_repeat and time.perf_counter() - began < most_seconds / 2):
        turns.append(_turn(model, ids, len(turns[0].tokens) if turns else n_new, began + most_seconds))
        turns = [one for one in turns if len(one.tokens) == len(turns[0].tokens)]
    first = turns[0]
    config: Any = model.config
    n_prompt, limit = len(ids), config.context_length
    lengths = [min(n_prompt + n, limit) for n in range(len(first.tokens))]
    computed = [length if n == 0 or n_prompt + n > limit else 1 for n, length in enumerate(lengths)]
    return Race(
        tokens=np.array(first.tokens),
        tokens_anew=np.array(first.tokens_anew),
        difference=np.array(first.difference),
        work=np.array([step_work(config, new, length - new) for new, length in zip(computed, lengths, strict=True)]),
        work_anew=np.array([step_work(config, length, 0, n_logit=length) for length in lengths]),
        seconds=np.array([min(step) for step in zip(*(one.seconds for one in turns), strict=True)]),
        seconds_anew=np.array([min(step) for step in zip(*(one.anew for one in turns), strict=True)]),
        n_token=first.n_token,
        n_token_anew=first.n_token_anew,
    )


@dataclass
class _Turn:
    """One time through the text."""

    tokens: list[int] = field(default_factory=list)
    tokens_anew: list[int] = field(default_factory=list)
    difference: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    anew: list[float] = field(default_factory=list)
    n_token: int = 0
    n_token_anew: int = 0


def _turn(model: nn.Module, ids: Sequence[int], n_new: int, end: float) -> _Turn:
    turn, kept, anew = _Turn(), CachedModel(model), CachedModel(model, cached=False)
    while len(turn.tokens) < n_new and (len(turn.tokens) < 2 or time.perf_counter() < end):
        start = time.perf_counter()
        logits = kept.next_logits([[*ids, *turn.tokens]])[0]
        middle = time.perf_counter()
        logits_anew = anew.next_logits([[*ids, *turn.tokens_anew]])[0]
        turn.anew.append(time.perf_counter() - middle)
        turn.seconds.append(middle - start)
        turn.difference.append(float((logits - logits_anew).abs().max()))
        turn.tokens.append(int(logits.argmax()))
        turn.tokens_anew.append(int(logits_anew.argmax()))
    turn.n_token, turn.n_token_anew = kept.n_token, anew.n_token
    return turn


def step_work(config: GPTConfig, n_new: int, n_kept: int, n_logit: int = 1) -> int:
    """Multiply-adds of one pass: the matrix products, where nearly all the work is.

    Args:
        config: of a GPT.
        n_new: tokens that are computed.
        n_kept: tokens whose keys and values are kept: they are read, and not computed.
        n_logit: at how many places the output layer is asked.
    """
    d, f = config.d_model, config.d_ff or 4 * config.d_model
    n_feed = (3 if config.block.activation == "swiglu" else 2) if config.block.feed_forward else 0
    projections = 4 * n_new * d * d
    attention = 2 * n_new * (n_new + n_kept) * d  # scores and mixtures: each new query with every key
    feed_forward = n_feed * n_new * d * f
    return config.n_layer * (projections + attention + feed_forward) + n_logit * d * config.vocab_size


def cache_bytes(n_layer: int, n_head: int, d_head: int, n_token: int, n_byte: int, n_text: int = 1) -> int:
    """Memory of keys and values: 2 L H K N numbers for each text.

    Args:
        n_layer, n_head, d_head: L; H, heads that have keys and values of their own; K.
        n_token: N, the length.
        n_byte: of one number.
        n_text: texts that are written at once.

    Source: Pope et al. 2022 (2211.05102), section 2.1; heads that share keys and values: Shazeer 2019 (1911.02150),
    Ainslie et al. 2023 (2305.13245).
    """
    return 2 * n_layer * n_head * d_head * n_token * n_byte * n_text


def state_bytes(n_layer: int, n_unit: int, n_byte: int, n_text: int = 1) -> int:
    """Memory of the states of a GRU or a plain recurrent net: L D numbers for each text, however long it is.

    Args:
        n_layer, n_unit: L; D, numbers in the state of a layer.
        n_byte: of one number.
        n_text: texts that are written at once.
    """
    return n_layer * n_unit * n_byte * n_text


@dataclass(frozen=True)
class Shape:
    """Of a model, as far as its cache is concerned; `n_kept` heads have keys and values of their own."""

    n_layer: int
    n_head: int
    n_kept: int
    d_head: int
    context: int

    @classmethod
    def of(cls, config: GPTConfig) -> "Shape":
        """Of a GPT, whose heads all have keys and values of their own."""
        d_head = config.d_model // config.n_head
        return cls(config.n_layer, config.n_head, config.n_head, d_head, config.context_length)

    def needs(self, n_token: int, n_byte: int, n_text: int = 1) -> int:
        """Bytes of the keys and values of so many texts."""
        return cache_bytes(self.n_layer, self.n_kept, self.d_head, n_token, n_byte, n_text)

    def factors(self, n_token: int, n_byte: int, n_text: int) -> dict[str, int]:
        """What is multiplied, by name."""
        names = (
            "2: keys and values", "L: layers", "H: heads with keys of their own", "d_k: numbers in each", "N: tokens",
            "bytes per number", "texts",
        )  # fmt: skip
        values = (2, self.n_layer, self.n_kept, self.d_head, n_token, n_byte, n_text)
        return dict(zip(names, values, strict=True))

    def by_length(self, lengths: Sequence[int], kinds: Sequence[int], n_text: int) -> dict[str, list[Any]]:
        """The bytes of texts of these lengths, a column for each number of bytes that one number takes."""
        return _by_length(self.needs, lengths, kinds, n_text)


@dataclass(frozen=True)
class StateShape:
    """Of a recurrent net with one state a layer: a GRU or a plain one."""

    n_layer: int
    n_unit: int
    context: int

    def needs(self, n_token: int, n_byte: int, n_text: int = 1) -> int:
        """Bytes of the states: the length makes no difference."""
        return state_bytes(self.n_layer, self.n_unit, n_byte, n_text)

    def factors(self, n_token: int, n_byte: int, n_text: int) -> dict[str, int]:
        """What is multiplied, by name: the length is not among it."""
        names = ("L: layers", "D: numbers in the state of each", "bytes per number", "texts")
        return dict(zip(names, (self.n_layer, self.n_unit, n_byte, n_text), strict=True))

    def by_length(self, lengths: Sequence[int], kinds: Sequence[int], n_text: int) -> dict[str, list[Any]]:
        """The bytes of texts of these lengths, a column for each number of bytes that one number takes."""
        return _by_length(self.needs, lengths, kinds, n_text)


def _by_length(
    needs: Callable[[int, int, int], int], lengths: Sequence[int], kinds: Sequence[int], n_text: int
) -> dict[str, list[Any]]:
    columns = {f"bytes, {kind} for each number": [needs(n, kind, n_text) for n in lengths] for kind in kinds}
    return {"length N (tokens)": list(lengths), **columns}
