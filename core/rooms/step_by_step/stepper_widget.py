"""The walk through one attention layer: a film of small matrices whose cells explain themselves and can be set.

    stepper(walked, layer, key="walk", base=content)

Stepping, pointing and setting a cell stay in the browser (`assets/widgets/step_by_step/`), which recomputes the layer
in float64; Python hears of a cell that was set and sends the layer's own numbers, to be compared on screen.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.browser.message import pack
from core.rooms.step_by_step.compute.attention_walkthrough import Layer, Walk
from core.rooms.step_by_step.compute.walkthrough_edits import LARGEST, MOST_EDITS
from core.ui.text import plural
from core.ui.widgets.mount import mount

COMPARED = ("x", "q", "k", "v", "dots", "scores", "weights", "heads", "concat", "out")


def stepper(
    walked: Walk,
    layer: Layer,
    *,
    key: str,
    base: str,
    code: Mapping[str, tuple[str, str]],
    start: str = "",
    label: str = "",
) -> None:
    """Draw the film. What was set is committed as `{"base": base, "edits": [[name, head, row, column, number], ...]}`.

    Args:
        walked: the layer's own numbers, with the edits.
        base: tells which walk is shown; edits of another one are dropped.
        code: step -> (place, line of source) that computed it.
        start: the step to open first, by its short name.
    """
    drawn = walked.drawn
    header: dict[str, Any] = {
        "widget": "stepper",
        "label": label,
        "takeaway": f"Attention of {plural(layer.n_head, 'head')} over {plural(len(walked.words), 'word')}, step by "
        "step.",
        "base": base,
        "start": start,
        "plain": not ui.at_least("numbers"),
        "words": list(walked.words),
        "n_head": layer.n_head,
        "d_model": layer.d_model,
        "d_head": layer.d_model // layer.n_head,
        "positions": layer.positions,
        "causal": layer.is_causal,
        "mask": walked.mask.astype(int).tolist(),
        "largest": int(LARGEST),
        "most": MOST_EDITS,
        "edits": [[*cell, value] for cell, value in walked.edits.items()],
        "code": {step: list(line) for step, line in code.items()},
        **{name: getattr(drawn, name).tolist() for name in ("embedding", "position", "x", "w_q", "w_k", "w_v", "w_o")},
    }
    arrays: dict[str, NDArray[Any]] = {name: getattr(walked, name).astype(np.float32) for name in COMPARED}
    mount("stepper", key, pack(header, arrays), edits=None)
