"""Pictures of what a decoder predicts: a frozen training step, the last row, the logit lens.

The scripts are `assets/widgets/decoder/`; hovering, stepping and scrubbing never ask the server, and commit nothing.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import ui
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
    """Draw a window as lessons: what is read, what is said, what was right, and what it costs.

    Args:
        inputs, targets: T tokens each, the targets shifted by one.
        top: for each position, the most probable tokens.
        probability: (T,) what the target was given; the losses and their mean are computed in the browser.
        vocab_size: V; ln V is drawn as a line.
        untrained_top, untrained: the same of an untrained copy, if there is one.
        first: the position looked at in the beginning.
    """
    header: dict[str, Any] = {
        "inputs": list(inputs),
        "targets": list(targets),
        "top": [[list(pair) for pair in one] for one in top],
        "untrained_top": untrained_top and [[list(pair) for pair in one] for one in untrained_top],
        "blind": math.log(vocab_size),
        "vocab_size": vocab_size,
        "first": first,
    }
    arrays = {"probability": np.asarray(probability, np.float32)}
    if untrained is not None:
        arrays["untrained"] = np.asarray(untrained, np.float32)
    _draw("training_step", key, header, arrays, label, takeaway)


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
    has_bias: bool = False,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw some tokens' logits, each taken apart into the products it is the sum of.

    Args:
        hidden: (D,) the last hidden row.
        rows, biases: (n, D) and (n,) of the output layer, for the n tokens.
        largest: of all V logits; total: the sum of e^(logit - largest) over all of them.
        truth: which of the tokens really came, if it is known.
    """
    header = {
        "tokens": list(tokens),
        "largest": largest,
        "total": total,
        "vocab_size": vocab_size,
        "truth": truth,
        "has_bias": has_bias,
    }
    arrays = {"hidden": hidden, "rows": rows, "biases": biases}
    arrays32 = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
    _draw("unembed", key, header, arrays32, label, takeaway)


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
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the logit lens; with several frames, a film over a training.

    Args:
        top, probabilities: (N, R, T, n) ids of the likeliest tokens of each layer and position, and their shares.
        rank, truth: (N, R, T) place and probability of the token that came next; rank 0 where none is known.
        rows: R names of layers.
        tokens: T tokens that have been read.
        vocabulary: all tokens; only those that are shown are sent.
        steps, notes: (N,) of the frames.

    Raises:
        ValueError: if the shapes differ.
    """
    ids = np.asarray(top)
    shape = (len(steps), len(rows), len(tokens))
    used, places = np.unique(ids, return_inverse=True)
    arrays: dict[str, NDArray[Any]] = {
        "top": places.reshape(ids.shape).astype(np.int32),
        "probabilities": np.asarray(probabilities, np.float16),
        "rank": np.asarray(rank).astype(np.int32),
        "truth": np.nan_to_num(np.asarray(truth, np.float32)),
    }
    for name, array in arrays.items():
        if array.shape[:3] != shape:
            raise ValueError(f"{name} {array.shape} does not match {shape}: frames, layers, tokens")
    header: dict[str, Any] = {
        "steps": [int(step) for step in steps],
        "notes": list(notes) or [""] * len(steps),
        "rows": list(rows),
        "tokens": list(tokens),
        "words": [vocabulary[int(i)] for i in used],
    }
    _draw("lens", key, header, arrays, label, takeaway, compress=len(steps) > 1)


def _draw(
    name: str, key: str, header: dict[str, Any], arrays: dict[str, NDArray[Any]], label: str, takeaway: str, **how: bool
) -> None:
    about = {"widget": name, "label": label, "takeaway": takeaway or label, "plain": not ui.at_least("numbers")}
    mount(name, key, pack(header | about, arrays, **how))
