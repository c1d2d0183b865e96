"""Every number of a model as a dot of color, table by table: `assets/widgets/pretrained/weights.js`."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.printable import visible
from core.rooms.pretrained.compute.altered import columns

SHAPE = 1.62  # width to height of the whole picture
THICK = 0.008  # of the height: how thick a vector is drawn
MOST_TOKENS = 2_000  # whose names are sent along
HEIGHTS = np.geomspace(0.35, 1.6, 40)  # of a column, tried in turn, against the side of a square of as many numbers


# What a tensor of ours is called at depth Story; a name that is not here stays as it is.
PLAIN = {
    "tok_emb": "token table",
    "pos_emb": "position table",
    "unembed": "output table",
    "w_q": "queries",
    "w_k": "keys",
    "w_v": "values",
    "w_o": "output",
    "w_g": "gate of what is read",
    "w_in": "feed-forward, in",
    "w_out": "feed-forward, out",
    "w_gate": "feed-forward, gate",
    "w_router": "router",
    "w_shared": "gate of the shared expert",
    "cross_attn": "cross-attention",
}


def plain_name(name: str) -> str:
    """ "blocks.0.attn.w_q.weight" as a newcomer reads it: "layer 0.queries"."""
    parts = name.removesuffix(".weight").split(".")
    parts = [f"layer {part}" if before == "blocks" else part for before, part in pairwise(["", *parts])]
    return ".".join(PLAIN.get(part, part.replace("_", " ")) for part in parts if part not in ("blocks", "attn", "mlp"))


def weights(
    tables: Mapping[str, NDArray[np.float32]],
    shapes: Sequence[Sequence[int]],
    *,
    tokens: Sequence[str],
    every: int,
    key: str,
    label: str,
) -> None:
    """Draw the tables in columns, in their order; pointing at one tells its name, its shape and the number.

    Args:
        tables: name -> (rows, columns), or (n,) for a vector.
        shapes: of the whole tensors.
        tokens: what stands for each row of a table that has as many: those of the vocabulary.
        every: of so many rows and columns one is here.
    """
    side = int(np.sqrt(sum(table.size for table in tables.values()))) + 1
    thick = max(1, round(THICK * side))
    upright = [table if table.ndim == 1 or len(table) >= table.shape[1] else table.T for table in tables.values()]
    widest = max((table.shape[1] for table in upright if table.ndim == 2), default=1)
    # A vector lies where it fits into a column, else it stands.
    sizes = [
        one.shape if one.ndim == 2 else (thick, len(one)) if len(one) <= widest else (len(one), thick)
        for one in upright
    ]
    named = [one.ndim == 2 for one in upright]
    gap, name = max(1, side // 50), max(1, side // 28)
    best: tuple[float, list[tuple[int, ...]], int, int] | None = None
    for high in (int(share * side) for share in HEIGHTS):
        pieces = columns(sizes, named, high, gap, name)
        width = max(x + sizes[at][1] for at, _, _, x, _ in pieces)
        height = max(y + n for _, _, n, _, y in pieces)
        size = max(width / SHAPE, height) * (1 + 0.01 * (len(pieces) - len(sizes)))
        if best is None or size < best[0]:
            best = size, list(pieces), width, height
    assert best is not None
    limit = float(np.quantile(np.abs(np.concatenate([one.ravel() for one in upright])), 0.98)) or 1.0
    levels = [np.rint(np.clip(one / limit, -1, 1) * 127 + 127).astype(np.uint8).ravel() for one in upright]
    ui.widget(
        "weights",
        key=key,
        names=[name if ui.at_least("numbers") else plain_name(name) for name in tables],
        shapes=[list(shape) for shape in shapes],
        sizes=[list(size) for size in sizes],
        vector=[one.ndim == 1 for one in upright],
        turned=[one.ndim == 2 and one is not table for one, table in zip(upright, tables.values(), strict=True)],
        pieces=best[1],
        width=best[2],
        tall=best[3],  # `height` is that of the empty box
        room=name,
        limit=limit,
        tokens=[visible(token) for token in tokens[::every]] if len(tokens) <= MOST_TOKENS else [],
        label=label,
        takeaway=f"{label}: {len(tables)} tables of numbers, colored by their values.",
        levels=np.concatenate(levels),
    )
