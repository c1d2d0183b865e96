"""One matrix over a training: its frames, played and scrubbed in the browser; see `assets/widgets/shared/film.js`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.browser.linked import Along, over
from core.browser.message import as_levels, pack
from core.ui.widgets.mount import mount


def film(
    frames: Any,
    *,
    steps: Sequence[int],
    rows: Sequence[str],
    columns: Sequence[str],
    key: str,
    notes: Sequence[str] = (),
    truth: ArrayLike | None = None,
    truth_title: str = "",
    row_title: str = "writes",
    column_title: str = "reads",
    value_title: str = "weight",
    label: Any = "",
    takeaway: str = "",
) -> None:
    """Draw the newest frame; nothing is committed.

    Args:
        frames: (N, T, S) weights between 0 and 1, or bytes; or what `value_title` says. They and `label` may depend
            on choices of the page.
        steps: (N,) training steps.
        rows, columns: T and S tokens.
        notes: (N,) a few words beside each step.
        truth: (T, S) booleans, drawn as rings; `truth_title` says what they mark.

    Raises:
        ValueError: if the shapes do not match.
    """
    linked = frames if isinstance(frames, Along) else Along(frames, ())
    levels = as_levels(np.asarray(linked.values))
    shape = levels.shape[len(linked.names) :]
    if shape != (len(steps), len(rows), len(columns)) or not len(steps):
        raise ValueError(f"frames {shape} do not match {len(steps)} steps, {len(rows)} rows, {len(columns)} columns")
    if notes and len(notes) != len(steps):
        raise ValueError(f"{len(notes)} notes do not match {len(steps)} steps")
    arrays: dict[str, Any] = {"frames": replace(linked, values=levels) if linked.names else levels}
    if truth is not None:
        if np.shape(truth) != shape[1:]:
            raise ValueError(f"truth {np.shape(truth)} does not match frames of {shape[1:]}")
        arrays["truth"] = np.asarray(truth).astype(np.uint8)
    header: dict[str, Any] = {
        "widget": "film",
        "steps": [int(step) for step in steps],
        "notes": list(notes) or [""] * len(steps),
        "rows": list(rows),
        "columns": list(columns),
        "truth_title": truth_title,
        "row_title": row_title,
        "column_title": column_title,
        "value_title": value_title,
        "label": label,
        "takeaway": takeaway
        or over(
            lambda one: f"{one or 'Weights'}: {len(steps)} frames of {len(rows)} by {len(columns)} weights.", label
        ),
    }
    mount("film", key, pack(header, arrays, compress=True))
