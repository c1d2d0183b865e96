"""The answer to a request for a pass: pictures as bytes, and exact numbers only for the open part.

A picture shows few of the ten million numbers of a text of twelve tokens: weights and tiles are sent as bytes, and of
a vocabulary only the most probable tokens. All come from the model itself: a byte is a number rounded to one of 256
steps, and if there are too many numbers to see, a subset is shown. Nothing is averaged.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from core.exhibit import content_key
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.gpt import GPT
from core.rooms.model_map.compute.whole_pass import (
    HEAD_TENSORS,
    SCORE_TENSORS,
    MapRequest,
    ModelChanges,
    WholePass,
    compute_pass,
    generate_text,
    softmax_float64,
)

N_LIKELY, N_COLUMN = 12, 40  # tokens that represent the vocabulary: in the bars, and in a matrix
MOST_COLUMNS = 256  # columns of a matrix, those with the largest numbers: more can't be distinguished
TILE, SMALL_TILE, FEW_LAYERS = 640, 48, 8  # numbers of a tile; of a tile in a closed layer; layers that are wide
COLOR_SPREAD = 2.5  # root mean squares of a tensor at which its colors saturate
CHANGE_THRESHOLD = 0.02  # relative to a vector's size: larger differences count as a change

Arrays = dict[str, NDArray[np.generic]]


def build_response(
    key: ModelKey, ids: Sequence[int], question: MapRequest, most: int
) -> tuple[dict[str, object], Arrays]:
    """Return everything that the map shows now: the whole pass, unless the browser has it, and the numbers of a part.

    Args:
        ids: the whole text.
        most: the most tokens of the text and of generated text together.
    """
    changes, parts = question.changes, replace(question.changes, tokens=())
    stay = [t for t in range(len(ids)) if t not in changes.tokens]
    new: tuple[int, ...] = ()
    if question.seed is not None:
        new = generate_text(key, _packed(ids[t] for t in stay), parts, question.seed, most)
    stay += range(len(ids), len(ids) + len(new))
    whole_ids = [*ids, *new]
    kept = [whole_ids[t] for t in stay]
    whole = compute_pass(key, _packed(kept), parts)
    name = content_key(key, _packed(whole_ids), repr(changes), repr(question.seed))[:16]
    header: dict[str, Any] = {"pass": name, "layer": question.layer, "head": question.head, "focus": question.focus}
    arrays: Arrays = {}
    if question.has != name:
        before = whole if changes == ModelChanges() else compute_pass(key, _packed(whole_ids), ModelChanges())
        arrays = _pictures(cast(GPT, load_text_model(key).model), whole, before, stay, len(kept) - len(new))
        last = len(kept) - len(new)
        header["whole"] = {
            "ids": kept,
            "text": list(ids),
            "stay": stay,
            "n_drawn": len(new),
            "drawn": [float(whole.probabilities(last + i - 1)[one]) for i, one in enumerate(new)],
            "seed": question.seed,
            "is_changed": changes != ModelChanges(),
            "taps": {tap: list(array.shape) for tap, array in whole.taps.items()}
            | {"logits": list(whole.logits.shape)},
        }
    details, header["columns"] = _details(whole, question, len(kept) - len(new))
    used = {i for tap in SCORE_TENSORS for i in header["columns"].get(tap, [])} | {
        *arrays.get("top", np.zeros(0)).ravel().tolist()
    }
    vocabulary = load_text_model(key).vocabulary
    header["names"] = {str(i): vocabulary[i] for i in sorted({*used, *(whole_ids if question.has != name else [])})}
    return header, arrays | details


def _packed(ids: Any) -> str:
    return ",".join(map(str, ids))


def _pictures(model: GPT, whole: WholePass, before: WholePass, stay: Sequence[int], n_read: int) -> Arrays:
    """Return the overview of the whole model."""
    layers = range(len(model.blocks))
    streams = [f"blocks.{layer}.{part}" for layer in layers for part in ("resid_mid", "resid_out", "mlp.out")]
    sized = [name for name in ("embed", *streams, "final") if name in whole.taps]
    weights = np.stack([whole.taps[f"blocks.{layer}.attn.weights"] for layer in layers])  # (L, H, T, T)
    arrays: Arrays = {
        "weights": _weights_to_bytes(weights),
        **{f"size {name}": whole.size(name).astype(np.float32) for name in sized},
        **_strongest(weights),
        **_likeliest(model, whole, before, stay, n_read),
        "differs": _differs(whole, before, stay),
        **{f"tile {name}": _sample_tile(whole, name, TILE) for name in ("embed", "final")},
    }
    for layer in layers:
        act = f"blocks.{layer}.mlp.act"
        if act in whole.taps:
            arrays[f"tile {act}"] = _sample_tile(whole, act, TILE if len(layers) <= FEW_LAYERS else SMALL_TILE)
            arrays[f"active {act}"] = (whole.taps[act] > 0).sum(-1).astype(np.int32)
        if len(layers) <= FEW_LAYERS:
            arrays[f"tile blocks.{layer}.resid_out"] = _sample_tile(whole, f"blocks.{layer}.resid_out", TILE)
    return arrays


def _weights_to_bytes(weights: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Convert weights from 0 to 1 to 256 steps."""
    return np.rint(np.clip(weights, 0, 1) * 255).astype(np.uint8)


def _sample_tile(whole: WholePass, name: str, most: int) -> NDArray[np.uint8]:
    """Return (T, n) evenly spaced numbers of each row as 256 steps of the color range; all if there are few."""
    rows = whole.taps[name]
    limit = COLOR_SPREAD * (float(np.sqrt((rows.astype(np.float64) ** 2).mean())) or 1.0)
    some = np.unique(np.linspace(0, rows.shape[1] - 1, min(most, rows.shape[1])).round().astype(int))
    return np.rint(127.5 * (1 + np.clip(rows[:, some] / limit, -1, 1))).astype(np.uint8)


def _strongest(weights: NDArray[np.float32]) -> Arrays:
    """Return each layer's and token's strongest weight except on itself: head, token and weight, (L, T) each."""
    n_layer, _, n_token, _ = weights.shape
    others = np.where(np.eye(n_token, dtype=bool), -1, weights).transpose(0, 2, 1, 3).reshape(n_layer, n_token, -1)
    at = others.argmax(-1)
    largest = np.take_along_axis(others, at[..., None], -1)[..., 0]
    return {
        "most head": (at // n_token).astype(np.int32),
        "most from": (at % n_token).astype(np.int32),
        "most weight": np.maximum(largest, 0).astype(np.float32),
    }


def _likeliest(model: GPT, whole: WholePass, before: WholePass, stay: Sequence[int], n_read: int) -> Arrays:
    """Return the most probable tokens after each token, plus the most probable before the changes, or the drawn one.

    top: (T, n) ids; top p, top logit, and top before: their probabilities, their logits, their probabilities before.
    early: (S, n) probabilities of these after the text's last token, if the model ended at each tensor of `stages`.
    """
    top, shares, befores = [], [], []
    for t, place in enumerate(stay):
        p, past = whole.probabilities(t), before.probabilities(place)
        ids = _largest_indices(p, N_LIKELY)
        must = whole.ids[t + 1] if n_read <= t + 1 < len(stay) else int(past.argmax())
        ids = ids if must in ids else np.append(ids[:-1], must)
        top.append(ids)
        shares.append(p[ids])
        befores.append(past[ids])
    found = np.array(top)
    stages = [name for name in whole.taps if name == "embed" or name.endswith(("resid_mid", "resid_out"))]
    x = torch.from_numpy(np.stack([whole.taps[name][n_read - 1] for name in stages]))
    with torch.no_grad():
        logits = model.soft_capped(model.unembed(model.norm(x.to(next(model.norm.parameters(), x).dtype))))
    return {
        "top": found.astype(np.int32),
        "top p": np.array(shares, dtype=np.float32),
        "top logit": np.take_along_axis(whole.logits, found, -1).astype(np.float32),
        "top before": np.array(befores, dtype=np.float32),
        "early": softmax_float64(logits.float().numpy())[:, found[n_read - 1]].astype(np.float32),
    }


def _largest_indices(p: NDArray[np.floating], n: int) -> NDArray[np.int64]:
    """Return the indices of the n largest, the largest first."""
    n = min(n, len(p))
    some = np.argpartition(-p, n - 1)[:n]
    return np.asarray(some[np.lexsort((some, -p[some]))])


def _differs(whole: WholePass, before: WholePass, stay: Sequence[int]) -> NDArray[np.uint8]:
    """Return (T,) True if a token's last vector differs from the one without the changes."""
    after, past = whole.taps["final"], before.taps["final"][list(stay)]
    change = np.sqrt(((after - past) ** 2).mean(-1))
    return (change > CHANGE_THRESHOLD * np.sqrt((past**2).mean(-1))).astype(np.uint8)


def _details(whole: WholePass, question: MapRequest, n_read: int) -> tuple[Arrays, dict[str, list[int]]]:
    """Return the numbers of a part, and the columns included of tensors with too many or with vocabulary scores."""
    arrays: Arrays = {}
    columns: dict[str, list[int]] = {}
    layer = question.layer
    for name in (f"blocks.{layer}.resid_out", f"blocks.{layer}.mlp.act"):
        if layer is not None and name in whole.taps:
            arrays[f"open {name}"] = _sample_tile(whole, name, TILE)
    for name in question.names:
        if name in SCORE_TENSORS:
            t = n_read - 1 if question.focus is None else question.focus
            ids = _largest_indices(whole.logits[t], N_COLUMN)
            numbers = softmax_float64(whole.logits) if name == "probabilities" else whole.logits
            arrays[f"number {name}"] = numbers[:, ids].astype(np.float32)
            columns[name] = ids.tolist()
        elif name in whole.taps:
            numbers = whole.taps[name]
            numbers = numbers[question.head] if name.split(".", 2)[-1] in HEAD_TENSORS else numbers
            if numbers.shape[1] > MOST_COLUMNS and not name.endswith(("attn.scores", "attn.weights")):
                some = np.sort(_largest_indices((numbers.astype(np.float64) ** 2).mean(0), MOST_COLUMNS))
                columns[name], numbers = some.tolist(), numbers[:, some]
            arrays[f"number {name}"] = numbers.astype(np.float32)
    return arrays, columns
