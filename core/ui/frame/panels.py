"""The panels below an exhibit: its link, its code, its numbers and its downloads. Each is made when it is opened."""

import inspect
import io
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.data.csv_table import csv_text
from core.ui.controls import sharing
from core.ui.frame.picture_files import saving
from core.ui.text import escape_markdown

if TYPE_CHECKING:
    import pandas as pd

ROOT = Path(__file__).resolve().parents[3]
# A browser table of 1,000 rows opens at once; the download has all of them.
MAX_ROWS_SHOWN = 1_000

Table = Mapping[str, Sequence[Any]]
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Shown:
    """What an exhibit has drawn, for the footer. Give functions where making it costs something.

    Attributes:
        numbers: The table behind the picture: a DataFrame or columns by name.
        arrays: Arrays by name, for the NPZ download.
        figure: A Vega-Lite specification, offered as JSON.
        formula: LaTeX with the learner's own numbers filled in.
        script: A short program that prints the numbers without the app, see `core.ui.frame.scripts`.
        tries: what to try, and what comes, with the numbers in it; None: as the exhibit has it.
    """

    numbers: "pd.DataFrame | Table | Callable[[], pd.DataFrame | Table] | None" = None
    arrays: Arrays | Callable[[], Arrays] | None = None
    figure: Mapping[str, Any] | None = None
    formula: str | None = None
    script: str | Callable[[], str] | None = None
    tries: Sequence[tuple[str, str]] | None = None


def link(name: str) -> None:
    """The address of the page as it stands, and the way to one for others."""
    st.caption("This address opens the page as it is now, with every control where you left it.")
    st.code(sharing.page_link(), language=None, wrap_lines=True)
    sharing.button(f"share-{name}", "With a note, or with controls locked or hidden …")


def code(parts: Sequence[Callable[..., Any]]) -> None:
    """The source of all functions that computed the exhibit."""
    st.caption("The code that ran, read from the running program.")
    for part in parts:
        show_source(part)


def show_source(part: Callable[..., Any]) -> None:
    """A function or class as it stands in the running program, and where."""
    source, place = source_of(part)
    st.caption(escape_markdown(place))
    st.code(source, language="python", wrap_lines=True)  # a keyboard cannot scroll it sideways


def source_of(part: Callable[..., Any]) -> tuple[str, str]:
    """The source of a function or class and where it stands: (source, "core/nn/masks.py, line 12")."""
    part = inspect.unwrap(part)
    lines, first = inspect.getsourcelines(part)
    path = Path(inspect.getsourcefile(part) or "?").resolve()
    place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return textwrap.dedent("".join(lines)).rstrip(), f"{place}, line {first}"


def numbers(shown: Shown) -> None:
    """The table behind the picture."""
    table = table_of(shown)
    if table is None:
        st.caption("This exhibit has no table of numbers.")
        return
    if len(table) > MAX_ROWS_SHOWN:
        st.caption(f"The first {MAX_ROWS_SHOWN:,} of {len(table):,} rows; the download has all of them.")
    st.dataframe(table.head(MAX_ROWS_SHOWN))


def download(title: str, shown: Shown, name: str) -> None:
    """Pictures, numbers and the script, as files. Nothing is made before its button is pressed."""
    saving(key=f"saving-{name}")
    with st.container(horizontal=True):
        if shown.numbers is not None:
            _file("Numbers (CSV)", "csv", lambda: csv_text(value(shown.numbers)).encode(), f"{name}.csv", "text/csv")
        if shown.arrays is not None:
            data = "application/octet-stream"
            _file("Arrays (NPZ)", "npz", lambda: arrays_as_npz(value(shown.arrays)), f"{name}.npz", data)
        if shown.figure is not None:
            figure = shown.figure
            _file("Figure (Vega-Lite)", "figure", lambda: _as_json(figure), f"{name}.vl.json", "application/json")
        if shown.script is not None:
            script = script_of(title, shown, name)
            _file("Script (Python)", "script", script.encode, f"{name}.py", "text/x-python")
    if shown.script is not None:
        st.caption("The script prints the numbers above with this project's own code, without the app:")
        st.code(script, language="python", wrap_lines=True)


def _file(label: str, kind: str, make: Callable[[], bytes], file: str, mime: str) -> None:
    st.download_button(label, make, file, mime, key=f"{kind}-{file.split('.')[0]}", on_click="ignore")


def script_of(title: str, shown: Shown, name: str) -> str:
    """The exhibit's script as a file: two lines of what it is, then the program."""
    head = (
        f"# Glassformer, “{title}”: prints the table under Numbers as CSV.\n# Save this file in Glassformer's folder "
        f"and run it there: python {name}.py"
    )
    return f"{head}\n\n{value(shown.script)}"


def arrays_as_npz(arrays: Arrays) -> bytes:
    """A compressed NPZ file (plain arrays only, nothing pickled)."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def table_of(shown: Shown) -> "pd.DataFrame | None":
    """The table behind the picture, for the page."""
    import pandas as pd

    given = value(shown.numbers)
    return given if given is None or isinstance(given, pd.DataFrame) else pd.DataFrame(given)


def value(given: Any) -> Any:
    """What was given, made now if a function makes it."""
    return given() if callable(given) else given


def _as_json(figure: Mapping[str, Any]) -> bytes:
    return json.dumps(figure, indent=2, default=str).encode()
