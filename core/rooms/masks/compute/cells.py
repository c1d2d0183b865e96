"""Matrices of who reads whom as a table, one line for each cell."""

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray


def cell_table(rows: Sequence[str], columns: Sequence[str], **matrices: NDArray[Any]) -> dict[str, list[Any]]:
    """Matrices as a table with one line for each cell; names are the headings, with "_" for a space.

    Args:
        rows: (T,) the tokens that ask.
        columns: (S,) the tokens that are read.
        matrices: (T, S) each.
    """
    n_row, n_column = len(rows), len(columns)
    table: dict[str, list[Any]] = {
        "query": [t for t in range(n_row) for _ in range(n_column)],
        "query token": [token for token in rows for _ in range(n_column)],
        "key": list(range(n_column)) * n_row,
        "key token": list(columns) * n_row,
    }
    return table | {name.replace("_", " "): matrix.ravel().tolist() for name, matrix in matrices.items()}
