"""A browser's request about a model that the server runs: the open place, what is ablated, and what is sampled."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.data.checks import whole

OF_HEAD = ("attn.q", "attn.k", "attn.scores", "attn.weights", "attn.v", "attn.heads")
OF_MLP = ("mlp.pre", "mlp.act", "mlp.out")
OF_LAYER = ("attn.out", "resid_mid", "resid_out")
ENDS = ("embed", "final")
SCORES = ("logits", "probabilities")
_NAME = re.compile(r"blocks\.(\d{1,4})\.([a-z_.]{1,20})")
MOST_CHANGES = 2_000  # heads and parts that are off, and tokens left out


@dataclass(frozen=True)
class Changes:
    """Edits to the model: what is ablated or left out; none at the start.

    Attributes:
        heads: (layer, head) of those that are off.
        attn, mlp: layers whose attention or MLP is off.
        tokens: positions of the text that are left out.
    """

    heads: tuple[tuple[int, int], ...] = ()
    attn: tuple[int, ...] = ()
    mlp: tuple[int, ...] = ()
    tokens: tuple[int, ...] = ()


@dataclass(frozen=True)
class Asked:
    """One question."""

    names: tuple[str, ...] = ()  # the tensors that are to be told number by number
    layer: int | None = None  # that is looked into; None: none
    head: int | None = None  # of that layer; None: none
    focus: int | None = None  # the token that is followed, among those that stay; None: the last one
    changes: Changes = Changes()
    seed: int | None = None  # of the tokens to draw; None: none are drawn
    has: str = ""  # the pass that the browser has already, by its name


def asked(said: Any, n_layer: int, n_head: int, n_token: int) -> Asked:
    """Read what a browser sent, which may be anything; leave out what cannot be."""
    if not isinstance(said, Mapping):
        return Asked()
    place = said.get("place")
    place = place if isinstance(place, Mapping) else {}
    layer, head = _index(place.get("layer"), n_layer), _index(place.get("head"), n_head)
    head = None if layer is None else head
    changes = _changes(said.get("edits"), n_layer, n_head, n_token)
    seed = _index(said.get("seed"), 2**31)
    names = _names(place, layer, head, n_layer)
    focus = _index(said.get("focus"), n_token - len(changes.tokens))
    return Asked(names, layer, head, focus, changes, seed, str(said.get("has", ""))[:40])


def _names(place: Mapping[str, object], layer: int | None, head: int | None, n_layer: int) -> tuple[str, ...]:
    """The tensors of a place: of a part all that there are, else its own."""
    name = place.get("name")
    if isinstance(name, str):
        found = _NAME.fullmatch(name)
        parts = (*OF_LAYER, *OF_MLP, *(OF_HEAD if head is not None and found and int(found[1]) == layer else ()))
        is_known = name in ENDS or name in SCORES or (found and int(found[1]) < n_layer and found[2] in parts)
        return (name,) if is_known else ()
    if layer is None:
        return ()
    parts = OF_HEAD if head is not None else OF_MLP if place.get("part") == "mlp" else ()
    return tuple(f"blocks.{layer}.{part}" for part in parts)


def _changes(said: object, n_layer: int, n_head: int, n_token: int) -> Changes:
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
    return Changes(tuple(sorted(heads)), tuple(sorted(attn)), tuple(sorted(mlp)), tuple(sorted(tokens)))


def _index(value: object, n: int) -> int | None:
    try:
        number = whole("", value)
    except TypeError:
        return None
    return number if 0 <= number < n else None
