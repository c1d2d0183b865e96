"""The browser widget of one step: logits through every knob to the token that a random number picks."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

N_SHOWN = 10
MAX_TEXT = 200  # characters of knobs that a browser may send back


def microscope(
    logits: ArrayLike,
    *,
    tokens: Sequence[str],
    ids: Sequence[int],
    knobs: Mapping[str, float],
    draws: Sequence[float],
    seed: int,
    key: str,
    label: str,
) -> None:
    """Draw one step whose knobs follow the finger. The browser computes with the rules of `core.generate.filters`.

    Args:
        logits: (V,) of the model.
        tokens: the V strings of the vocabulary.
        ids: the tokens so far, for the knobs that look at them.
        knobs: by letter (`core.rooms.strategies.spelling`), to begin with; changed ones are taken over.
        draws: uniform numbers, one after the other for each press of “Draw again”.
        seed: that they come from.
    """
    header: dict[str, Any] = {
        "widget": "microscope",
        "tokens": list(tokens),
        "ids": [int(one) for one in ids],
        "knobs": dict(knobs),
        "text": repr(sorted(knobs.items())),
        "draws": [float(one) for one in draws],
        "seed": seed,
        "n_shown": min(N_SHOWN, len(tokens)),
        "label": label,
        "takeaway": f"{label}: {len(tokens)} tokens, the knobs, and the draw.",
    }
    mount("microscope", key, pack(header, {"logits": np.asarray(logits, dtype=np.float32)}), knobs=None)
