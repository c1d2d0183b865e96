"""A table as CSV: what the app's downloads hold, and what the scripts that it exports print."""

import csv
import io
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    Table = Mapping[str, Iterable[Any]] | pd.DataFrame

_FORMULA_START = ("=", "+", "-", "@", "\t", "\r")


def print_table(table: "Table") -> None:
    """Print a table as CSV, every number with all its digits. Raises ValueError for columns of different lengths."""
    print(csv_text(table), end="")


def csv_text(table: "Table") -> str:
    """A table as CSV text, with cells that a spreadsheet would run as formulas made harmless.

    Raises ValueError for columns of different lengths.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([csv_safe(name) for name, _ in table.items()])
    writer.writerows(zip(*[map(csv_safe, _plain(column)) for _, column in table.items()], strict=True))
    return text.getvalue().encode("utf-8", "replace").decode()  # half of a character pair cannot be written


def csv_safe(value: object) -> object:
    """Keep a spreadsheet from running a cell: a text that starts like a formula gets a leading apostrophe."""
    return "'" + value if isinstance(value, str) and value.startswith(_FORMULA_START) else value


def _plain(column: Any) -> Iterable[Any]:
    """The cells as plain Python values, for "np.float32(0.5)" is no number to other programs."""
    cells = column.tolist() if hasattr(column, "tolist") else column
    return [cell.item() if hasattr(cell, "item") else cell for cell in cells]
