"""A soft dictionary to play with: every number can be set or dragged, and the temperature follows the finger."""

from typing import Any

import numpy as np

from core.browser.message import pack
from core.rooms.step_by_step.compute.soft_lookup import COLDEST, HOTTEST, LARGEST, NAMES, Answer, Dictionary, flat
from core.ui.widgets.mount import mount


def soft_dictionary(answer: Answer, *, default: Dictionary, key: str, base: str, label: str = "") -> None:
    """Draw it. What was set is committed as `{"base": base, "numbers": [temperature, query, keys, values]}`, flat.

    Args:
        answer: of Python, to the numbers at the start.
        default: where the Reset button leads.
        base: tells which dictionary is shown: numbers of another one are dropped.
    """
    asked, best = answer.asked, NAMES[answer.best[0]]
    header: dict[str, Any] = {
        "widget": "lookup",
        "label": label,
        "takeaway": f"Soft lookup at temperature {asked.temperature}: {best} gets {answer.weights.max():.2f}.",
        "base": base,
        "d_key": len(asked.query),
        "names": list(NAMES),
        "numbers": flat(asked),
        "default": flat(default),
        "coldest": COLDEST,
        "hottest": HOTTEST,
        "largest": LARGEST,
    }
    arrays = {"weights": answer.weights.astype(np.float32), "soft": answer.soft.astype(np.float32)}
    mount("lookup", key, pack(header, arrays), numbers=None)
