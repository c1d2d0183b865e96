"""Who reads whom in a decoder, an encoder and an encoder-decoder: their attention on the same question."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.models.transformer import Transformer
from core.nn.masks import causal, full
from core.nn.tap import Trace
from core.rooms.families.compute import family_answers as asking
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import Three
from core.rooms.families.compute.walks import FRENCH, WORDS, Walk


@dataclass(frozen=True)
class Reading:
    """One attention of one family, all its layers and heads."""

    rows: tuple[str, ...]  # rows, columns: the tokens that ask, and those that are read
    columns: tuple[str, ...]
    weights: NDArray[np.float32]  # (L, H, T, S) rows sum to 1
    mask: NDArray[np.bool_]  # (T, S) True where a row may read
    # (T, S) True where the word that a row has to name stands; nowhere if the answer is no single place
    truth: NDArray[np.bool_]

    @property
    def scores(self) -> NDArray[np.float32]:
        """(L, H) how much of its weight a row gives to the known truth, on the mean; 0 where there is none."""
        on_truth = np.where(self.truth, self.weights, 0).sum(-1)  # (L, H, T)
        return np.asarray(on_truth.sum(-1) / max(1, int(self.truth.any(-1).sum())), np.float32)

    @property
    def best(self) -> tuple[int, int]:
        """The head that reads the truth most: (layer, head)."""
        layer, head = np.unravel_index(int(self.scores.argmax()), self.scores.shape)
        return int(layer), int(head)

    def place_of(self, head: str) -> tuple[int, int]:
        """(layer, head) of a choice: "best", or a number of a head of the last layer; its head 0 where none is best."""
        if head == "best" and self.truth.any():
            return self.best
        return len(self.weights) - 1, 0 if head == "best" else int(head)


@dataclass(frozen=True)
class Readings:
    maps: Mapping[str, Reading]  # "decoder", "encoder", "source", "target" and "cross"

    def table(self) -> dict[str, list[Any]]:
        maps = self.maps.values()
        return {
            "map": list(self.maps),
            "layers": [one.weights.shape[0] for one in maps],
            "rows": [len(one.rows) for one in maps],
            "columns": [len(one.columns) for one in maps],
            "cells that may be read": [int(one.mask.sum()) for one in maps],
            "best head's weight on the truth": [float(one.scores.max()) for one in maps],
        }


def readings(three: Three, walk: Walk, task: str) -> Readings:
    """All attention of the three on one question."""
    source, target, cross = encoder_decoder_readings(three.encoder_decoder.model, walk, task)
    return Readings(
        {
            "decoder": decoder_reading(three.decoder.model, walk, task),
            "encoder": encoder_reading(three.encoder.models[task], walk, task),
            "source": source,
            "target": target,
            "cross": cross,
        }
    )


def decoder_reading(model: nn.Module, walk: Walk, task: str) -> Reading:
    """The decoder over walk, question and the answer that it writes."""
    read = asking.read_by_decoder(walk, task)
    answer = asking.decoder_answers(model, [walk], task)[0]
    ids = [*read, *walks.encode(answer)]
    truth = np.zeros((len(ids), len(ids)), bool)
    for place, source in enumerate(_sources(walk, task)):
        if len(read) - 1 + place < len(ids):
            truth[len(read) - 1 + place, source] = True  # the row before a word is the one that names it
    words = _words(ids)
    weights = _weights(model, "blocks.{}.attn.weights", torch.tensor([ids]))
    return Reading(words, words, weights, causal(len(ids)).numpy(), truth)


def encoder_reading(model: nn.Module, walk: Walk, task: str) -> Reading:
    """The encoder over what it reads, in its last look: to continue, all masks but one are filled by then."""
    filled: list[int] = []
    if task == "continue":
        filled = walks.encode(asking.encoder_answers(model, [walk], task)[0])[:-1]
    ids = asking.read_by_encoder(walk, task, filled)
    truth = np.zeros((len(ids), len(ids)), bool)
    sources = _sources(walk, task)
    first = 1 + (len(walk.things) if task == "continue" else 0)
    for place, source in enumerate(sources[: len(ids) - first]):
        truth[first + place, 1 + source] = True
    words = _words(ids)
    weights = _weights(model, "blocks.{}.attn.weights", torch.tensor([ids]))
    return Reading(words, words, weights, full(len(ids)).numpy(), truth)


def encoder_decoder_readings(model: Transformer, walk: Walk, task: str) -> tuple[Reading, Reading, Reading]:
    """The encoder over the source, the decoder over its answer, and the decoder's rows over the source."""
    source = asking.read_by_encoder_decoder(walk, task)
    answer = walks.encode(asking.encoder_decoder_answers(model, [walk], task)[0])
    written = [walks.START, *answer]
    n, m = len(written), len(source)
    truth = np.zeros((n, m), bool)
    for place, one in enumerate(_sources(walk, task)[:n]):
        truth[place, 1 + one] = True
    both = torch.tensor([source]), torch.tensor([written])
    keys = ("encoder.blocks.{}.attn.weights", "decoder.blocks.{}.attn.weights", "decoder.blocks.{}.cross_attn.weights")
    inside, own, cross = (_weights(model, key, *both) for key in keys)
    reads, writes = _words(source), _words(written)
    nothing = np.zeros((m, m), bool), np.zeros((n, n), bool)
    return (
        Reading(reads, reads, inside, full(m).numpy(), nothing[0]),
        Reading(writes, writes, own, causal(n).numpy(), nothing[1]),
        Reading(writes, reads, cross, full(n, m).numpy(), truth),
    )


def _sources(walk: Walk, task: str) -> list[int]:
    """For each word of the right answer, the thing of the walk that it comes from."""
    n = len(walk.things)
    if task == "continue":
        return [i % n for i in range(walks.N_NEXT)]
    if task == "translate":
        return [i for i in reversed(range(n)) for _ in FRENCH[walk.things[i]]]
    return []


def _weights(model: nn.Module, key: str, *inputs: torch.Tensor) -> NDArray[np.float32]:
    with torch.no_grad(), Trace(model) as trace:
        model(*inputs)
    found: list[torch.Tensor] = []
    while (name := key.format(len(found))) in trace:
        found.append(trace[name][0])
    return torch.stack(found).numpy()


def _words(ids: Sequence[int]) -> tuple[str, ...]:
    return tuple(WORDS[i] for i in ids)
