"""Windows that lie half over one another, so that every judged token has a past: one evaluation slice for all models.

A net that reads windows knows nothing before the first token of a window, while a table of counts reads on through the
text. So only the second half of each window is judged: there every model has at least half a window behind it.
"""

import numpy as np
from numpy.typing import NDArray


def half_windows(ids: NDArray[np.int64], length: int, n_window: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Windows from the beginning of a text, each moved on by half a window.

    Args:
        ids: (N,) the text.
        length: tokens that are read in each window; even.
        n_window: how many; fewer where the text is shorter.

    Returns:
        windows: (W, length + 1), each followed by the token that comes next.
        places: (W, length / 2) where the judged tokens stand in the text: those of the second halves, each once.

    Raises:
        ValueError: if the length is odd, or the text is shorter than one window and its next token.
    """
    half = length // 2
    if length % 2 or length < 2:
        raise ValueError(f"a window of {length} tokens has no two halves")
    n_fit = (len(ids) - 1 - half) // half
    if n_fit < 1:
        raise ValueError(f"{len(ids)} tokens are less than one window of {length} and the token after it")
    starts = np.arange(min(n_window, n_fit))[:, None] * half  # (W, 1)
    places = starts + half + 1 + np.arange(half)
    return ids[starts + np.arange(length + 1)], places
