"""The browser widget that compares the next token's distribution before and after a change."""

import numpy as np
from numpy.typing import NDArray

from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import mount

LABELS = module_labels(__name__)

N_BAR = 6
LEAST = 0.001  # less than a pixel of a bar


def before_after_bars(
    labels: object,
    before: object,
    after: object,
    *,
    key: str,
    names: tuple[str, str] = (LABELS["before"], LABELS["after"]),
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw two bars for each token, hollow above filled, in the given order; all values may be computed by the browser.

    Args:
        labels: N tokens.
        before, after: N probabilities.
        key: names the instance.
        names: those of both distributions.
        label: the title.
        takeaway: the sentence that a screen reader gets; without one, all numbers.
    """
    header = {"widget": "before_after", "labels": labels, "before": before, "after": after, "names": names}
    mount("before_after", key, pack_message(header | {"label": label, "takeaway": takeaway}, {}), height=120)


def top_ids_before_or_after(before: NDArray[np.floating], after: NDArray[np.floating], n: int = N_BAR) -> list[int]:
    """Return the ids of the tokens that are probable in either distribution, the most probable before first."""
    either = np.maximum(before, after)
    top = [i for i in np.argsort(-either, kind="stable")[:n] if either[i] >= LEAST] or [int(either.argmax())]
    return [int(i) for i in sorted(top, key=lambda i: -before[i])]
