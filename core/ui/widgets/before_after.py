"""The browser widget that holds the next token's distribution before a change against that after it."""

import numpy as np
from numpy.typing import NDArray

from core.browser.message import pack
from core.ui.widgets.mount import mount

N_BAR = 6
LEAST = 0.001  # less than a pixel of the bar


def before_after(
    labels: object,
    before: object,
    after: object,
    *,
    key: str,
    names: tuple[str, str] = ("before", "after"),
    label: str = "",
    takeaway: str = "",
) -> None:
    """Two bars for each token, a hollow one above a full one, in the order given; all may be computed by the browser.

    Args:
        labels: N tokens.
        before, after: N probabilities.
        key: names the instance.
        names: of both.
        label: the title.
        takeaway: the sentence that a screen reader gets; without one, all numbers.
    """
    header = {"widget": "before_after", "labels": labels, "before": before, "after": after, "names": names}
    mount("before_after", key, pack(header | {"label": label, "takeaway": takeaway}, {}), height=120)


def top_of_either(before: NDArray[np.floating], after: NDArray[np.floating], n: int = N_BAR) -> list[int]:
    """Ids of the tokens that are likely in one of two distributions at least, the likeliest before first."""
    either = np.maximum(before, after)
    top = [i for i in np.argsort(-either, kind="stable")[:n] if either[i] >= LEAST] or [int(either.argmax())]
    return [int(i) for i in sorted(top, key=lambda i: -before[i])]
