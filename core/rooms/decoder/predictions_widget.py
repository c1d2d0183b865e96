"""Pictures of what a decoder predicts: a frozen training step, the last row, the logit lens.

The scripts are `assets/widgets/decoder/`; hovering, stepping and scrubbing never ask the server.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.ui.frame import depth
from core.ui.text import plural
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

# (token, probability), best first
Top = Sequence[tuple[str, float]]


def training_step(
    *,
    inputs: Sequence[str],
    targets: Sequence[str],
    top: Sequence[Top],
    probability: ArrayLike,
    vocab_size: int,
    key: str,
    untrained_top: Sequence[Top] | None = None,
    untrained: ArrayLike | None = None,
    first: int = 0,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw a window as lessons: what is read, what is said, what was right, and what it costs. Nothing is committed.

    Args:
        inputs, targets: T tokens each, the targets shifted by one.
        top: for each position, the most probable tokens.
        probability: (T,) what the target was given; the losses and their mean are computed in the browser.
        vocab_size: V; ln V is drawn as a line.
        untrained_top, untrained: the same of an untrained copy, if there is one.
        first: the position looked at in the beginning.

    Raises:
        ValueError: if the lengths differ.
    """
    n = len(inputs)
    arrays = {"probability": np.asarray(probability, dtype=np.float32)}
    if untrained is not None:
        arrays["untrained"] = np.asarray(untrained, dtype=np.float32)
    lengths = {len(targets), len(top), *(len(one) for one in arrays.values())}
    if not n or lengths != {n}:
        raise ValueError(f"{n} inputs do not match the lengths {sorted(lengths)}")
    header: dict[str, Any] = {
        "widget": "training_step",
        "inputs": list(inputs),
        "targets": list(targets),
        "top": [[list(pair) for pair in one] for one in top],
        "untrained_top": None if untrained_top is None else [[list(pair) for pair in one] for one in untrained_top],
        "plain": not depth.at_least("numbers"),
        "blind": math.log(vocab_size),
        "vocab_size": vocab_size,
        "first": first,
        "label": label,
        "takeaway": takeaway or f"{label or 'A training step'}: {n} positions with input, output, target and loss.",
    }
    mount("training_step", key, pack(header, arrays))


def unembed(
    *,
    hidden: ArrayLike,
    rows: ArrayLike,
    biases: ArrayLike,
    tokens: Sequence[str],
    largest: float,
    total: float,
    vocab_size: int,
    key: str,
    truth: int | None = None,
    selected: int = 0,
    has_bias: bool = False,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw some tokens' logits, each taken apart into the products it is the sum of. Nothing is committed.

    Args:
        hidden: (D,) the last hidden row.
        rows, biases: (n, D) and (n,) of the output layer, for the n tokens.
        largest: of all V logits; total: the sum of e^(logit - largest) over all of them.
        truth: which of the tokens really came, if it is known.

    Raises:
        ValueError: if the shapes differ.
    """
    arrays = {
        "hidden": np.asarray(hidden, dtype=np.float32),
        "rows": np.asarray(rows, dtype=np.float32),
        "biases": np.asarray(biases, dtype=np.float32),
    }
    if arrays["rows"].shape != (len(tokens), *arrays["hidden"].shape) or arrays["biases"].shape != (len(tokens),):
        raise ValueError(
            f"rows {arrays['rows'].shape} and biases {arrays['biases'].shape} do not match {len(tokens)} tokens of "
            f"{arrays['hidden'].shape}"
        )
    header = {
        "widget": "unembed",
        "plain": not depth.at_least("numbers"),
        "tokens": list(tokens),
        "largest": float(largest),
        "total": float(total),
        "vocab_size": vocab_size,
        "truth": truth,
        "selected": selected,
        "has_bias": has_bias,
        "label": label,
        "takeaway": takeaway or f"{label or 'Logits'}: {plural(len(tokens), 'token')}.",
    }
    mount("unembed", key, pack(header, arrays))


def lens(
    *,
    top: ArrayLike,
    probabilities: ArrayLike,
    rank: ArrayLike,
    truth: ArrayLike,
    rows: Sequence[str],
    tokens: Sequence[str],
    vocabulary: Sequence[str],
    key: str,
    steps: Sequence[int] = (0,),
    notes: Sequence[str] = (),
    next_token: str = "",
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the logit lens; with several frames, a film over a training. Nothing is committed.

    Args:
        top, probabilities: (N, R, T, n) ids of the likeliest tokens of each layer and position, and their shares.
        rank, truth: (N, R, T) place and probability of the token that came next; rank 0 where none is known.
        rows: R names of layers.
        tokens: T tokens that have been read.
        vocabulary: all tokens; only those that are shown are sent.
        steps, notes: (N,) of the frames.
        next_token: what follows the last token, if it is known.

    Raises:
        ValueError: if the shapes differ.
    """
    ids = np.asarray(top)
    shape = (len(steps), len(rows), len(tokens))
    used, places = np.unique(ids, return_inverse=True)
    arrays: dict[str, NDArray[Any]] = {
        "top": places.reshape(ids.shape).astype(np.int32),
        "probabilities": np.asarray(probabilities, dtype=np.float16),
        "rank": np.asarray(rank).astype(np.int32),
        "truth": np.nan_to_num(np.asarray(truth, dtype=np.float32)),
    }
    for name, array in arrays.items():
        if array.shape[:3] != shape:
            raise ValueError(f"{name} {array.shape} does not match {shape}: frames, layers, tokens")
    header: dict[str, Any] = {
        "widget": "lens",
        "steps": [int(step) for step in steps],
        "notes": list(notes) or [""] * len(steps),
        "rows": list(rows),
        "tokens": list(tokens),
        "words": [vocabulary[int(i)] for i in used],
        "next": next_token,
        "label": label,
        "takeaway": takeaway
        or f"{label or 'Logit lens'}: {plural(len(rows), 'layer')}, {plural(len(tokens), 'position')}.",
    }
    mount("lens", key, pack(header, arrays, compress=len(steps) > 1))
