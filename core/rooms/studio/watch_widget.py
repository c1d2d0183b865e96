"""The picture of what was watched: `assets/widgets/studio/watch.js`."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.browser.message import pack
from core.rooms.studio.watching import MEASURES, NUMBERS, Series
from core.ui.widgets.mount import mount

_TOLD = {**MEASURES, "mean": "mean", "deviation": "spread", "low": "least", "high": "most"}
_EACH = {"weights": "head", "scores": "head", "q": "head", "k": "head", "v": "head", "heads": "head", "gate": "head"}


def watched(
    series: Mapping[str, Series],
    steps: Sequence[int],
    *,
    key: str,
    view: Any,
    measure: Any,
    tokens: Sequence[str] = (),
    together: str = "",
    label: str = "",
) -> None:
    """Play, step and scrub through what was watched.

    Args:
        series: by name, at least one.
        steps: (N,) at which they were kept.
        view: "map", "histogram" or "time"; it may be a choice of the page.
        measure: of `MEASURES`, over time; it, too.
        tokens: of the probe sentence.
        together: as of `ui.scrubber`.
    """
    about, at = [], 0
    for name, one in series.items():
        about.append(_about(name, one, at, tokens))
        at += one.map.size
    arrays: dict[str, Any] = {
        "levels": np.concatenate([one.map.ravel() for one in series.values()]),
        "histogram": np.stack([one.histogram for one in series.values()], 1),  # (N, K, 41)
    }
    for name in NUMBERS:
        arrays[name] = np.stack([one.numbers[name] for one in series.values()], 1)  # (N, K)
    header = {
        "widget": "watch",
        "steps": [int(step) for step in steps],
        "tensors": about,
        "tokens": list(tokens),
        "view": view,
        "measure": measure,
        "measures": _TOLD,
        "together": together,
        "label": label,
        "takeaway": f"{len(series)} tensors that were watched, at {len(steps)} steps from {steps[0]} to {steps[-1]}.",
    }
    mount("watch", key, pack(header, arrays, compress=True), height=420)


def _about(name: str, one: Series, at: int, tokens: Sequence[str]) -> dict[str, Any]:
    last, plain = one.last, name.rpartition(":")[2].rpartition(".")[2]
    is_attention = name.endswith(".weights") and ":" not in name
    low, high = one.numbers["low"], one.numbers["high"]
    known = np.flatnonzero(np.isfinite(low))
    limits = one.numbers["limit"]
    most = 1.0 if is_attention else float(np.nanmax(limits, initial=0)) or 1.0
    square = last.shape[-2:] == (len(tokens), len(tokens))
    return {
        "name": name,
        "at": at,
        "maps": list(last.map.shape),
        "stride": list(last.stride),
        "signed": last.is_signed,
        "most": most,
        "shrinks": ":" in name,
        "each": _EACH.get(plain, "part"),
        "tokens": bool(is_attention and square and len(tokens)),
        "range": [float(low[known].min()), float(high[known].max())] if len(known) else [0.0, 1.0],
        "first": int(known[0]) if len(known) else 0,
        "note": _note(one),
    }


def _note(one: Series) -> str:
    """What of a tensor its map shows."""
    _, row, column = one.last.stride
    said = [f"{_th(n)} {what}" for n, what in ((row, "row"), (column, "column")) if n > 1]
    n_map = math.prod(one.last.shape[:-2])
    parts = [f"every {', '.join(said)}"] if said else []
    if n_map > one.last.map.shape[0]:
        parts.append(f"the first {one.last.map.shape[0]} of {n_map}")
    return ", ".join(parts)


def _th(n: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(n % 10 if n % 100 not in (11, 12, 13) else 0, "th")
    return f"{n}{ending}"
