"""A forward pass of a model that is too large for the browser, with parts of it ablated; and its generated text."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import nn

from core.data.checks import check_whole
from core.exhibit import memoize
from core.generate.decode import generate
from core.inspect.attention_record import to_numpy
from core.inspect.model_inputs.model_and_text import load_text_model, parse_ids_key
from core.inspect.model_inputs.model_key import ModelKey
from core.inspect.patch import ablation_edits
from core.models.configs.config_and_input_checks import ModelConfig
from core.nn.tap import Edit, Trace

HEAD_TENSORS = ("attn.q", "attn.k", "attn.scores", "attn.weights", "attn.v", "attn.heads")
MLP_TENSORS = ("mlp.pre", "mlp.act", "mlp.out")
LAYER_TENSORS = ("attn.out", "resid_mid", "resid_out")
END_TENSORS = ("embed", "final")
SCORE_TENSORS = ("logits", "probabilities")
_NAME = re.compile(r"blocks\.(\d{1,4})\.([a-z_.]{1,20})")
MOST_CHANGES = 2_000  # ablated heads and parts, and removed tokens


@dataclass(frozen=True)
class ModelChanges:
    """Edits to the model: ablated heads, ablated parts and removed tokens; none at the start."""

    heads: tuple[tuple[int, int], ...] = ()  # (layer, head) of the ablated heads
    attn: tuple[int, ...] = ()  # attn, mlp: layers with ablated attention or MLP
    mlp: tuple[int, ...] = ()
    tokens: tuple[int, ...] = ()  # positions of the removed tokens


@dataclass(frozen=True)
class MapRequest:
    """One request of the browser."""

    names: tuple[str, ...] = ()  # tensors whose exact numbers are requested
    layer: int | None = None  # the open layer; None: none
    head: int | None = None  # the open head of that layer; None: none
    focus: int | None = None  # the followed token, among those that are left; None: the last one
    changes: ModelChanges = ModelChanges()
    seed: int | None = None  # of the tokens to draw; None: none are drawn
    has: str = ""  # name of the pass that the browser has already


def parse_request(said: object, n_layer: int, n_head: int, n_token: int) -> MapRequest:
    """Parse a browser's message, which may be anything, and leave out what is invalid."""
    if not isinstance(said, Mapping):
        return MapRequest()
    place = said.get("place")
    place = place if isinstance(place, Mapping) else {}
    layer, head = _index(place.get("layer"), n_layer), _index(place.get("head"), n_head)
    head = None if layer is None else head
    changes = _changes(said.get("edits"), n_layer, n_head, n_token)
    seed = _index(said.get("seed"), 2**31)
    names = _names(place, layer, head, n_layer)
    focus = _index(said.get("focus"), n_token - len(changes.tokens))
    return MapRequest(names, layer, head, focus, changes, seed, str(said.get("has", ""))[:40])


def _names(place: Mapping[str, object], layer: int | None, head: int | None, n_layer: int) -> tuple[str, ...]:
    """Return the tensors of a place: the named one, or all of the open head or MLP."""
    name = place.get("name")
    if isinstance(name, str):
        found = _NAME.fullmatch(name)
        parts = (
            *LAYER_TENSORS,
            *MLP_TENSORS,
            *(HEAD_TENSORS if head is not None and found and int(found[1]) == layer else ()),
        )
        is_known = (
            name in END_TENSORS or name in SCORE_TENSORS or (found and int(found[1]) < n_layer and found[2] in parts)
        )
        return (name,) if is_known else ()
    if layer is None:
        return ()
    parts = HEAD_TENSORS if head is not None else MLP_TENSORS if place.get("part") == "mlp" else ()
    return tuple(f"blocks.{layer}.{part}" for part in parts)


def _changes(said: object, n_layer: int, n_head: int, n_token: int) -> ModelChanges:
    heads = set[tuple[int, int]]()
    attn, mlp, tokens = set[int](), set[int](), set[int]()
    for one in said[:MOST_CHANGES] if isinstance(said, list) else []:
        if not isinstance(one, Mapping):
            continue
        layer, head = _index(one.get("layer"), n_layer), _index(one.get("head"), n_head)
        position = _index(one.get("position"), n_token)
        part = one.get("part")
        if part == "head" and layer is not None and head is not None:
            heads.add((layer, head))
        elif part in ("attn", "mlp") and layer is not None:
            (attn if part == "attn" else mlp).add(layer)
        elif part == "token" and position is not None and len(tokens) < n_token - 1:
            tokens.add(position)
    return ModelChanges(tuple(sorted(heads)), tuple(sorted(attn)), tuple(sorted(mlp)), tuple(sorted(tokens)))


def _index(value: object, n: int) -> int | None:
    try:
        number = check_whole("", value)
    except TypeError:
        return None
    return number if 0 <= number < n else None


MOST_WRITTEN = 10  # tokens that Play draws; it ends earlier at the end of a sentence
MOST_WEIGHTS = 2_000_000  # of all heads: a byte each, half of them masked
_PASSES = 4


@dataclass(frozen=True)
class WholePass:
    """Every tensor of one forward pass over a text."""

    ids: tuple[int, ...]  # (T,) of the tokens
    taps: Mapping[str, NDArray[np.float32]]  # every tensor by its name, without the dimension B
    logits: Float[NDArray[np.float32], "T V"]  # (T, V)

    def probabilities(self, t: int) -> Float[NDArray[np.float64], " V"]:
        """Return (V,) the distribution of the token after token t."""
        return softmax_float64(self.logits[t])

    def size(self, name: str) -> Float[NDArray[np.float64], " T"]:
        """Return (T,) the root mean square of each row."""
        return np.asarray(np.sqrt((self.taps[name].astype(np.float64) ** 2).mean(-1)))


def softmax_float64(logits: NDArray[np.generic]) -> NDArray[np.float64]:
    """Compute the softmax along the last axis in float64."""
    powers = np.exp(logits.astype(np.float64) - logits.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def max_pass_tokens(config: ModelConfig, most: int) -> int:
    """Return the number of tokens that are read: fewer if a model has very many heads."""
    return max(8, min(most, math.isqrt(MOST_WEIGHTS // (config.n_layer * config.n_head))))


def _ablation_edits(model: nn.Module, changes: ModelChanges) -> dict[str, Edit]:
    """Return the edits for `Trace` that ablate these parts."""
    found = ablation_edits(model, changes.heads)
    for part, layers in (("attn", changes.attn), ("mlp", changes.mlp)):
        found |= {f"blocks.{layer}.{part}.out": torch.zeros_like for layer in layers}
    return found


@memoize(_PASSES)
def compute_pass(key: ModelKey, ids_key: str, changes: ModelChanges) -> WholePass:
    """Compute one pass; its changes name heads and parts only."""
    model, ids = load_text_model(key).model, parse_ids_key(ids_key)
    with torch.no_grad(), Trace(model, _ablation_edits(model, changes)) as trace:
        model(torch.tensor([ids]))
    taps = {name: to_numpy(trace[name][0]) for name in trace if name != "logits"}
    return WholePass(tuple(ids), MappingProxyType(taps), to_numpy(trace["logits"][0]))


@memoize(64)
def generate_text(key: ModelKey, ids_key: str, changes: ModelChanges, seed: int, most: int) -> tuple[int, ...]:
    """Generate the tokens that Play draws, until a sentence or the text ends."""
    found, ids = load_text_model(key), parse_ids_key(ids_key)
    tokenizer = found.text_tokenizer
    new: list[int] = []
    with (
        Trace(found.model, _ablation_edits(found.model, changes), keep=())
        if changes != ModelChanges()
        else torch.no_grad()
    ):
        for step in generate(found.model, ids, max(1, min(MOST_WRITTEN, most - len(ids))), seed=seed):
            new.append(int(step.token))
            known = [one for one in new[-1:] if one < tokenizer.vocab_size]  # a model may have more outputs
            if new[-1] in found.end_ids or re.search(r"[.!?\n]", tokenizer.decode(known)):
                break
    return tuple(new)
