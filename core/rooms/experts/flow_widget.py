"""The browser widget of tokens on their way to experts, over a training; see `assets/widgets/experts/flow.js`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.browser.linked import Along
from core.browser.message import pack
from core.ui.widgets.mount import mount


def flow(
    counts: Along,
    text: Along,
    *,
    steps: Sequence[int],
    rows: Any,
    characters: Sequence[str],
    titles: Sequence[str],
    hint: str,
    key: str,
    label: Any,
    takeaway: Any,
) -> None:
    """Draw the newest frame; playing, scrubbing and pointing stay in the browser.

    Args:
        counts: (..., n, rows, E) how often tokens of a row were sent to an expert, along choices of the page. A place
            with fewer rows than another has zeros behind them.
        text: (..., n, N) the expert that each character of the text went to first.
        steps: (n,) training steps.
        rows: names of the rows; they may depend on choices, as `label` and `takeaway` may.
        characters: the N characters of the text, in as many equal parts as there are titles.
        hint: stands there until something is pointed at.
    """
    header = {
        "widget": "flow",
        "steps": [int(step) for step in steps],
        "rows": rows,
        "n_expert": int(np.shape(counts.values)[-1]),
        "text": list(characters),
        "titles": list(titles),
        "hint": hint,
        "label": label,
        "takeaway": takeaway,
    }
    mount("flow", key, pack(header, {"counts": counts, "text": text}, compress=True), height=520)
