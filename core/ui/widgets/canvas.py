"""The widget for drawing a digit: a field for mouse, finger and pen, next to the resulting 8 x 8 pixels.

    cells = canvas(cells, key="draw")    # (8, 8) uint8 from 0 to 16, or None before the first stroke

The reduction to 8 x 8 runs in the browser during drawing (`assets/widgets/pictures/canvas_math.js`, the steps of
`core.data.images.digit_pixels._to_cells`); a finished stroke sends its 64 values.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from core.browser.message_packing import pack_message
from core.data.images import digit_pixels
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import committed_stroke_number, mount

LABELS = module_labels(__name__)


def digit_canvas(
    cells: NDArray[np.uint8], *, key: str, label: str = LABELS["your_drawing"], takeaway: str = ""
) -> NDArray[np.uint8] | None:
    """Let the visitor draw a digit with the pointer, or set its pixels with the keys.

    Strokes, eraser, undo and clearing stay in the browser; a finished stroke or a set pixel is committed. A cleared
    field is not, because it isn't a digit yet.

    Args:
        cells: (8, 8) uint8 from 0 to 16, the initial digit; if it changes, the widget takes it over.
        key: names the instance.

    Returns:
        (8, 8) uint8, the digit that was drawn last; None before the first.

    Raises:
        ValueError: if `cells` is not a digit.
    """
    if cells.shape != (8, 8) or cells.max() > 16:
        raise ValueError(f"a digit is 8 x 8 numbers from 0 to 16, not {cells.shape} up to {cells.max()}")
    header = {
        "widget": "canvas",
        "label": label,
        "takeaway": takeaway or LABELS("takeaway", label=label),
        "turn": committed_stroke_number(key),
    }
    state = mount("canvas", key, pack_message(header, {"cells": cells.astype(np.uint8)}), drawn=None)
    return digit_from_browser(state.get("drawn"))


def digit_from_browser(drawn: object) -> NDArray[np.uint8] | None:
    """Return a committed drawing if it is valid, because a browser may send anything."""
    if not isinstance(drawn, Mapping):
        return None
    try:
        return digit_pixels.decode_digit(drawn.get("cells"))
    except ValueError:
        return None
