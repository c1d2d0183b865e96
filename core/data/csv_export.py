"""Tables as CSV, for the app's downloads and for the scripts that it exports."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Cell = str | float | bool | None
Column = Sequence[Cell] | NDArray[np.generic]
Table = Mapping[str, Column]  # columns by name, all of one length

_FORMULA_START = ("=", "+", "-", "@", "\t", "\r")


def print_table(table: "Table | pd.DataFrame") -> None:
    """Print a table as CSV, every number with all its digits. Raises ValueError for columns of different lengths."""
    print(csv_text(table), end="")


def csv_text(table: "Table | pd.DataFrame") -> str:
    """Return a table as CSV text, with cells that a spreadsheet would run as formulas made harmless.

    Raises ValueError for columns of different lengths.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([_csv_safe(name) for name, _ in table.items()])
    writer.writerows(zip(*[map(_csv_safe, _plain(column)) for _, column in table.items()], strict=True))
    return text.getvalue().encode("utf-8", "replace").decode()  # a lone surrogate can't be written


def _csv_safe(value: object) -> object:
    """Keep a spreadsheet from running a cell: a text that starts like a formula gets a leading apostrophe."""
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA_START) else value


def _plain(column: "Column | pd.Series") -> Iterable[object]:
    """Return the cells as plain Python values, because other programs can't read "np.float32(0.5)"."""
    cells: Iterable[object] = column if isinstance(column, Sequence) else column.tolist()
    return [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
