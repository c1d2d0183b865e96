"""Counting further and further back: how good n-gram models of each order are, what they write, what they copy."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor

from core.generate.decode import generate
from core.models.ngram import NGram, Smoothing
from core.rooms.ngrams.compute.ngram_counts import Counts


@dataclass(frozen=True)
class Losses:
    """Mean surprise of the orders 1 to O, in nats per token; infinite where a token was impossible.

    Attributes:
        train, val: (O,) on the text that was counted, and on one that was not.
    """

    train: NDArray[np.float64]
    val: NDArray[np.float64]


@dataclass(frozen=True)
class Copied:
    """The longest piece of a new text that stands in the training text, word for word.

    Attributes:
        start: its place in the new text.
        length: in tokens.
        place: where it stands first in the training text; -1 if nothing was found.
    """

    start: int
    length: int
    place: int


@dataclass(frozen=True)
class Sample:
    """What a model wrote.

    Attributes:
        order: of the model.
        ids: the new tokens, the beginning that it was given left out.
        p: the probability each had when it was drawn.
        ended: whether it came to an end before its time, because nothing ever followed its last tokens.
        copied: the longest piece of `ids` that stands in the training text.
    """

    order: int
    ids: tuple[int, ...]
    p: tuple[float, ...]
    ended: bool
    copied: Copied


class _Window:
    """An n-gram model for `decode`: it is handed the tokens that it looks at, not the whole past at each step."""

    def __init__(self, model: NGram):
        self._model = model
        self.config = SimpleNamespace(context_length=max(1, model.order - 1))

    def __call__(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        return self._model.logits(ids)

    def parameters(self) -> Iterator[Tensor]:
        return self._model.parameters()


def losses(
    counts: Counts, smoothing: Smoothing, train: NDArray[np.int64], val: NDArray[np.int64], **options: float
) -> Losses:
    """The cross-entropy of the orders 1 to O on two texts; its exponential is the perplexity.

    Args:
        counts: of `train`.
        options: of the smoothing, as in `NGram`.
    """
    return Losses(*(_mean_surprise(counts, smoothing, ids, options) for ids in (train, val)))


def table(measured: Mapping[str, Losses], unseen: NDArray[np.float64]) -> dict[str, list[Any]]:
    """One line for each order: what was never seen, and the surprise under each smoothing, by its name."""
    columns: dict[str, list[Any]] = {
        "order": list(range(1, len(unseen) + 1)),
        "never-seen share": unseen.tolist(),
    }
    for name, one in measured.items():
        for part, nats in (("training", one.train), ("validation", one.val)):
            columns[f"{name}: {part} nats per token"] = nats.tolist()
            columns[f"{name}: {part} perplexity"] = np.exp(nats).tolist()
    return columns


def _mean_surprise(
    counts: Counts, smoothing: Smoothing, ids: NDArray[np.int64], options: dict[str, float]
) -> NDArray[np.float64]:
    """(O,) nats per token."""
    n_order = len(counts.plain)
    if smoothing == "kneser_ney":  # whose lower levels are counted in another way than the highest one
        models = [counts.model(order, smoothing, **options) for order in range(1, n_order + 1)]
        return np.array([-float(model.log_probs(ids).mean()) for model in models])
    levels = counts.model(n_order, smoothing, **options).evidence(ids)  # level n is the model of order n + 1
    with np.errstate(divide="ignore"):
        return np.array([-float(np.log(level.p).mean()) for level in levels])


def never_seen(counts: Counts, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """(O,) for each length the share of a text's n-grams that the counted text does not have; nan if it has none."""
    model = counts.model(len(counts.plain), "mle")
    shares = []
    for n, level in enumerate(model.evidence(ids)):
        here = level.counts[n:]
        shares.append(float((here == 0).mean()) if len(here) else np.nan)
    return np.array(shares)


def beginning(train: NDArray[np.int64], newlines: NDArray[np.int64], length: int, seed: int) -> list[int]:
    """The first tokens of a random line of the training text.

    Args:
        train: (T,) the text.
        newlines: ids of the tokens that end a line; without one, any place is a beginning.
        length: how many tokens.
        seed: of the draw.
    """
    last = len(train) - length
    starts = np.flatnonzero(np.isin(train[:last], newlines)) + 1
    starts = np.append(starts, 0) if len(starts) else np.arange(max(1, last))
    at = int(np.random.default_rng(seed).choice(starts))
    return train[at : at + length].tolist()


def sample(model: NGram, prompt: Sequence[int], n_token: int, seed: int, train: "Searchable") -> Sample:
    """Let a model write on.

    Where nothing ever followed the last tokens, a model without smoothing gives every token the probability 0: then
    it stops.

    Args:
        prompt: at least one token.
        n_token: how many to draw at most.
        seed: of the draws: models of different orders given one seed meet the same random numbers.
        train: the text that the model was fitted on, to look for copies.
    """
    ids: list[int] = []
    p: list[float] = []
    window: Any = _Window(model)
    look_at = list(prompt)
    ended = False
    with torch.no_grad():
        steps = generate(window, look_at, n_token, seed=seed)
        while len(ids) < n_token:
            if not _can_go_on(model, [*look_at, *ids]):
                ended = True
                break
            step = next(steps)
            ids.append(int(step.token))
            p.append(float(step.log_prob.exp()))
    return Sample(model.order, tuple(ids), tuple(p), ended, longest_copy(ids, train))


def _can_go_on(model: NGram, ids: Sequence[int]) -> bool:
    """Whether any token can follow. Only a model without smoothing may say no."""
    if model.smoothing != "mle":
        return True
    return bool(model.probabilities(ids).sum() > 0)


class Searchable:
    """A text of ids in which pieces are found fast: one letter for each token.

    Args:
        ids: (T,) the text.
    """

    def __init__(self, ids: NDArray[np.int64]):
        self.letters = _letters(ids)


def longest_copy(ids: Sequence[int], train: Searchable) -> Copied:
    """The longest run of a new text that stands in the training text; the first of equals."""
    letters = _letters(np.asarray(ids, dtype=np.int64))
    best = Copied(0, 0, -1)
    for start in range(len(letters)):
        while start + best.length < len(letters):
            place = train.letters.find(letters[start : start + best.length + 1])
            if place < 0:
                break
            best = Copied(start, best.length + 1, place)
    return best


def _letters(ids: NDArray[np.int64]) -> str:
    """One letter for each id; the surrogates, which are none, are left out."""
    codes = np.where(ids < 0xD800, ids, ids + 0x800).astype("<u4")
    return codes.tobytes().decode("utf-32-le")
