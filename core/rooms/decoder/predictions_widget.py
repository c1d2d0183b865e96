"""Pictures of what a decoder predicts: a frozen training step, the last row, the logit lens.

The scripts are `assets/widgets/decoder/`; hovering, stepping and scrubbing never ask the server, and commit nothing.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import ui
from core.browser.linked import first, over, stacked
from core.browser.message import pack
from core.rooms.decoder.compute.training_window import Teaching
from core.ui.widgets.mount import mount


def training_step(
    step: Teaching,
    untrained: Teaching | None,
    words: Sequence[str],
    *,
    vocab_size: int,
    key: str,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw a window as lessons: what is read, what is said, what was right, and what it costs.

    The losses and their mean are computed in the browser, with a line at ln vocab_size; at first the dearest lesson is
    looked at. `words` (V,) are all tokens as they can be read.
    """

    def top(one: Teaching | None) -> list[list[tuple[str, float]]] | None:
        rows = () if one is None else zip(one.top, one.top_probabilities, strict=True)
        found = [[(words[int(i)], float(share)) for i, share in zip(*row, strict=True)] for row in rows]
        return found or None

    header: dict[str, Any] = {
        "inputs": [words[int(i)] for i in step.inputs],
        "targets": [words[int(i)] for i in step.targets],
        "top": top(step),
        "untrained_top": top(untrained),
        "blind": math.log(vocab_size),
        "vocab_size": vocab_size,
        "first": int(np.argmax(step.loss)),
    }
    arrays = {"probability": step.probability.astype(np.float32)}
    if untrained is not None:
        arrays["untrained"] = untrained.probability.astype(np.float32)
    _draw("training_step", key, header, arrays, label, takeaway)


def unembed(
    row: Any,
    words: Sequence[str],
    *,
    key: str,
    truth: Any = None,
    has_bias: bool = False,
    label: Any = "",
    takeaway: Any = "",
) -> None:
    """Draw the logits of the shown tokens, each taken apart into the products it is the sum of; `truth` came.

    The `LastRow`, what came and the texts may depend on choices of the page.
    """
    largest = over(lambda one: float(one.logits.max()), row)
    header = {
        "tokens": over(lambda one: [words[int(i)] for i in one.shown], row),
        "largest": largest,
        "total": over(lambda one, most: float(np.exp(one.logits - most).sum()), row, largest),
        "vocab_size": over(lambda one: len(one.logits), row),
        "truth": truth,
        "has_bias": has_bias,
    }
    if (softcap := first(row).softcap) is not None:
        header["softcap"] = softcap
    arrays = {
        name: stacked(over(lambda one, name=name: getattr(one, name).astype(np.float32), row))
        for name in ("hidden", "rows", "biases")
    }
    _draw("unembed", key, header, arrays, label, takeaway)


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
    """Draw the logit lens; with several frames, a film over a training. Only words that are shown are sent.

    Args:
        top, probabilities: (N, R, T, n) ids of the likeliest tokens of each layer and position, and their shares.
        rank, truth: (N, R, T) place and probability of the token that came next; rank 0 where none is known.

    Raises ValueError: if the shapes differ.
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
    name: str, key: str, header: dict[str, Any], arrays: dict[str, Any], label: Any, takeaway: Any, **how: bool
) -> None:
    about = {"widget": name, "label": label, "takeaway": takeaway or label, "plain": not ui.at_least("numbers")}
    mount(name, key, pack(header | about, arrays, **how))
