"""Small pictures of a model's tables, a dot for some of their numbers, all laid out the same way."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.rooms.pretrained.compute.altered_weights import pack_table_columns

MOST_DOTS = 6_000
GAP = 2  # dots between two tables
SHAPE = 1.25  # height of the picture, relative to the side of a square of its dots
ZERO, BLANK = 127, 255  # levels from 0 to 254 are numbers, from the most negative to the most positive
QUANTILE = 0.98  # larger numbers get the last color


def sampling_step(total: int) -> int:
    """Return n so that every n-th row and column of all tables together are few enough dots."""
    return max(1, math.ceil(math.sqrt(total / MOST_DOTS)))


def small_walls(
    models: Sequence[Sequence[NDArray[np.float32]]], spot: tuple[int, int, int]
) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """Draw the sampled tables of several models of one shape, as levels with the color scale of the first.

    Args:
        models: the tables (R, C) of each model; a table that is wider than high is turned.
        spot: table, row and column of one number.

    Returns:
        Levels (models, H, W), `BLANK` between the tables; and the column and row of that number.
    """
    sizes = [(max(one.shape), min(one.shape)) for one in models[0]]
    n_dot = sum(rows * columns for rows, columns in sizes)
    high = max(1, round(SHAPE * math.sqrt(n_dot)))
    pieces = pack_table_columns(sizes, [False] * len(sizes), high, GAP, 0)
    width = max(x + sizes[table][1] for table, _, _, x, _ in pieces)
    walls = np.full((len(models), max(y + n for _, _, n, _, y in pieces), width), BLANK, np.uint8)
    limit = float(np.quantile(np.abs(np.concatenate([one.ravel() for one in models[0]])), QUANTILE)) or 1.0
    upright = [[one if len(one) >= one.shape[1] else one.T for one in tables] for tables in models]
    row, column = spot[1:] if models[0][spot[0]].shape == sizes[spot[0]] else spot[:0:-1]
    place = (0, 0)
    for table, first, n, x, y in pieces:
        for wall, tables in zip(walls, upright, strict=True):
            shares = np.clip(tables[table][first : first + n] / limit, -1, 1)
            wall[y : y + n, x : x + sizes[table][1]] = np.rint(shares * ZERO) + ZERO
        if table == spot[0] and first <= row < first + n:
            place = x + column, y + row - first
    return walls, place
