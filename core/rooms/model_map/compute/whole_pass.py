"""A text through a whole model that is too large for the browser, with parts of it off; and what it writes on."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import nn

from core.exhibit import memoize
from core.generate.decode import generate
from core.inspect.patch import ablation
from core.inspect.reading.model_and_text import load, parse_ids
from core.inspect.reading.model_key import ModelKey
from core.inspect.trace import to_numpy
from core.nn.tap import Edit, Trace
from core.rooms.model_map.compute.asked import Changes

MOST_WRITTEN = 10  # tokens that Play draws; it ends before, at the end of a sentence
MOST_WEIGHTS = 2_000_000  # of all heads: a byte each, of which half are hidden
_PASSES = 4


@dataclass(frozen=True)
class WholePass:
    """Every tensor of one pass over a text."""

    ids: tuple[int, ...]  # (T,) of the tokens
    taps: Mapping[str, NDArray[np.float32]]  # every tensor by its name, without the dimension B
    logits: Float[NDArray[np.float32], "T V"]  # (T, V)

    def probabilities(self, t: int) -> Float[NDArray[np.float64], " V"]:
        """(V,) of the token after token t."""
        return softmax(self.logits[t])

    def size(self, name: str) -> Float[NDArray[np.float64], " T"]:
        """(T,) root mean square of each row."""
        return np.asarray(np.sqrt((self.taps[name].astype(np.float64) ** 2).mean(-1)))


def softmax(logits: NDArray[Any]) -> NDArray[np.float64]:
    """Along the last axis, in float64."""
    powers = np.exp(logits.astype(np.float64) - logits.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def most_tokens(config: Any, most: int) -> int:
    """The number of tokens that are read: fewer if a model has very many heads."""
    return max(8, min(most, math.isqrt(MOST_WEIGHTS // (config.n_layer * config.n_head))))


def edits_of(model: nn.Module, changes: Changes) -> dict[str, Edit]:
    """The edits that switch off what is off, for `Trace`."""
    found = ablation(model, changes.heads)
    for part, layers in (("attn", changes.attn), ("mlp", changes.mlp)):
        found |= {f"blocks.{layer}.{part}.out": torch.zeros_like for layer in layers}
    return found


@memoize(_PASSES)
def read_pass(key: ModelKey, ids_key: str, changes: Changes) -> WholePass:
    """One pass; its changes name heads and parts alone."""
    model, ids = load(key).model, parse_ids(ids_key)
    with torch.no_grad(), Trace(model, edits_of(model, changes)) as trace:
        model(torch.tensor([ids]))
    taps = {name: to_numpy(trace[name][0]) for name in trace if name != "logits"}
    return WholePass(tuple(ids), MappingProxyType(taps), to_numpy(trace["logits"][0]))


@memoize(64)
def written(key: ModelKey, ids_key: str, changes: Changes, seed: int, most: int) -> tuple[int, ...]:
    """The tokens that Play draws, until a sentence or the text ends."""
    found, ids = load(key), parse_ids(ids_key)
    tokenizer: Any = found.tokenizer
    new: list[int] = []
    with Trace(found.model, edits_of(found.model, changes), keep=()) if changes != Changes() else torch.no_grad():
        for step in generate(found.model, ids, max(1, min(MOST_WRITTEN, most - len(ids))), seed=seed):
            new.append(int(step.token))
            known = [one for one in new[-1:] if one < tokenizer.vocab_size]  # a model may have more outputs
            if new[-1] in found.end_ids or re.search(r"[.!?\n]", tokenizer.decode(known)):
                break
    return tuple(new)
