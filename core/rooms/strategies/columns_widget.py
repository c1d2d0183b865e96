"""The browser widget of several texts side by side: it plays them, explains each token, and changes the columns."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.ui.widgets.mount import plain
from core.ui.widgets.widget import widget

# What each column brings, (n,) and (n, m); n may differ from column to column.
_ONE = ("plain", "low", "high")
_WHOLE = ("rank", "n_kept")


def columns(
    texts: Sequence[Mapping[str, Any]],
    *,
    vocabulary: Sequence[str],
    measures: Sequence[str],
    best: Sequence[Sequence[int]],
    most: int,
    key: str,
    label: str,
) -> None:
    """Draw the texts of several strategies.

    Args:
        texts: one for each column: `title`, `spoken` (the text), `kind`, `knobs` (by letter), `seed`, `beams`,
            `penalty`, `locked`, `stop`, `measures` (one string for each of `measures` but the first), and arrays as in
            `compute.side_by_side.Column`: `tokens plain rank draws low high n_kept`, each (n,), and
            `top_ids top_plain top_after top_kept`, each (n, m).
        vocabulary: the V strings of the tokens.
        measures: heads of the table of comparison; the first one is that of the names.
        best: for each measure but the first, the columns that are best in it.
        most: how many columns there may be.
    """
    n_most = max((len(one["tokens"]) for one in texts), default=0)
    used = np.unique(np.concatenate([np.ravel(one[name]) for one in texts for name in ("tokens", "top_ids")]))
    place = {int(token): i for i, token in enumerate(used)}

    def filled(name: str, dtype: str) -> NDArray[Any]:
        shape = np.shape(texts[0][name])[1:]
        out = np.zeros((len(texts), n_most, *shape), dtype=dtype)
        for c, one in enumerate(texts):
            values: ArrayLike = np.asarray(one[name])
            if name in ("tokens", "top_ids"):
                values = np.vectorize(place.__getitem__, otypes=[np.int64])(values)
            out[c, : len(one[name])] = values
        return out

    settings = ("title", "spoken", "kind", "knobs", "seed", "beams", "penalty", "locked", "stop", "measures")
    arrays: dict[str, Any] = {name: filled(name, "float32") for name in (*_ONE, "top_plain", "top_after")}
    arrays |= {name: filled(name, "int32") for name in ("tokens", *_WHOLE)}
    widget(
        "columns",
        key=key,
        state=("columns",),
        **arrays,
        top=filled("top_ids", "int32"),
        top_kept=filled("top_kept", "uint8"),
        columns=[
            {name: one[name] for name in settings} | {"n": len(one["tokens"]), "draws": plain(one["draws"])}
            for one in texts
        ],
        labels=[vocabulary[i] for i in used],
        n_vocabulary=len(vocabulary),
        measures=list(measures),
        best=[list(one) for one in best],
        most=most,
        label=label,
        takeaway=f"{len(texts)} strategies: {', '.join(one['title'] for one in texts)}.",
    )
