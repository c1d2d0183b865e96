"""The browser widget of a text with gaps to open and close: a click on a word hides it, and the answers stand below."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.ui.widgets.message import pack
from core.ui.widgets.mount import index, mount

MAX_TOKENS = 64


def gap_row(
    tokens: Sequence[str],
    gaps: Collection[int],
    top: ArrayLike,
    chances: ArrayLike,
    truth: ArrayLike,
    *,
    vocabulary: Sequence[str],
    never: Collection[int],
    key: str,
    label: str = "",
    takeaway: str = "",
) -> None:
    """Draw the text, and what the model says in each gap.

    Args:
        tokens: T words as they stand in the text.
        gaps: the places that are hidden.
        top: (T, n) ids of the most probable words at each place, best first, as the model sees the text with its gaps.
        chances: (T, n) their probabilities.
        truth: (T,) the probability of the word that stands there.
        vocabulary: the words by id.
        never: places that cannot be hidden.
        key: names the instance; the gaps that a person chose are kept as long as it lives.

    Raises:
        ValueError: if the shapes do not match.
    """
    ids, p, q = np.asarray(top), np.asarray(chances, np.float32), np.asarray(truth, np.float32)
    n_token = len(tokens)
    if n_token > MAX_TOKENS or ids.shape != p.shape or len(ids) != n_token or q.shape != (n_token,):
        raise ValueError(f"{n_token} tokens, words {ids.shape}, chances {p.shape} and truth {q.shape} do not match")
    header: dict[str, Any] = {
        "widget": "gap_row",
        "tokens": list(tokens),
        "gaps": sorted(int(i) for i in gaps),
        "never": sorted(int(i) for i in never),
        "top": [[vocabulary[i] for i in row] for row in ids.tolist()],
        "label": label,
        "takeaway": takeaway,
    }
    mount("gap_row", key, pack(header, {"chances": p, "truth": q}), pick=None)


def places(value: Any, n_token: int, never: Collection[int]) -> list[int] | None:
    """Places that came from a browser, if they are some: those that can be hidden, each once."""
    if not isinstance(value, list):
        return None
    found = {index(one, n_token) for one in value[: 2 * MAX_TOKENS]}
    return sorted(one for one in found if one is not None and one not in never)
