"""The frame around every exhibit: what it is, what to look for, and how to check it.

An author writes one draw function; the frame adds the title, the experiments to try and a footer with the link, the
code that ran, the numbers behind the picture and their download. A panel of the footer is only made when someone
opens it. A fault stays inside its exhibit.
"""

import csv
import inspect
import io
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit, urlunsplit

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.errors import FragmentHandledException

from core.ui import errors
from core.ui.controls import Presets, presets
from core.ui.text import csv_safe, escape_markdown

if TYPE_CHECKING:
    import pandas as pd

ROOT = Path(__file__).resolve().parents[2]
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
    """

    numbers: "pd.DataFrame | Table | Callable[[], pd.DataFrame | Table] | None" = None
    arrays: Arrays | Callable[[], Arrays] | None = None
    figure: Mapping[str, Any] | None = None
    formula: str | None = None


@dataclass(frozen=True, kw_only=True)
class Exhibit:
    """One interactive piece, as pages and lessons show it; made by `@exhibit`."""

    draw: Callable[..., Shown | None]
    title: str
    look_for: str
    try_this: tuple[tuple[str, str], ...]
    code: tuple[Callable[..., Any], ...]
    formula: str | None = None

    @property
    def name(self) -> str:
        """Its short name, for anchors and file names: that of the draw function, with dashes."""
        return self.draw.__name__.strip("_").replace("_", "-")


def exhibit(
    *,
    title: str,
    look_for: str,
    try_this: Sequence[tuple[str, str]] = (),
    code: Sequence[Callable[..., Any]] = (),
    formula: str | None = None,
) -> Callable[[Callable[..., Shown | None]], Exhibit]:
    """Turn a draw function into an exhibit.

    Args:
        title: Its heading, in sentence case.
        look_for: One sentence: what to look for in it.
        try_this: Two or three experiments: what to do, and what to expect.
        code: Functions and classes whose source the Code panel shows; without any, the draw function's own.
        formula: LaTeX of what is computed; `Shown.formula` adds the learner's numbers.
    """

    def make(draw: Callable[..., Shown | None]) -> Exhibit:
        return Exhibit(
            draw=draw,
            title=title,
            look_for=look_for,
            try_this=tuple(try_this),
            code=tuple(code) or (draw,),
            formula=formula,
        )

    return make


def show(
    piece: Exhibit,
    *args: Any,
    key: str = "",
    lock: Sequence[str] = (),
    hide: Sequence[str] = (),
    every: float | None = None,
    then: Callable[[], None] | None = None,
    **values: Any,
) -> None:
    """Show an exhibit here. It reruns by itself: moving its controls leaves the rest of the page alone.

    Args:
        piece: The exhibit.
        args: Handed to its draw function. Plain values: they are kept as long as the page is open.
        key: Tells two showings of one exhibit on one page apart; its controls stand in the address as `key.name`.
        lock: Controls to show but not let change.
        hide: Controls not to show.
        every: Seconds after which it draws itself again, for an exhibit that follows a running job.
        then: Draws what belongs below it and changes with it, such as a lesson's next thing to do.
        values: Defaults of controls, by name.

    Example:
        `show(next_token, temperature=0.5, lock=("temperature",), hide=("seed",))`
    """
    given = Presets(
        prefix=f"{key}." if key else "",
        values=MappingProxyType(dict(values)),
        locked=frozenset(lock),
        hidden=frozenset(hide),
    )
    name = f"{piece.name}-{key}" if key else piece.name
    with st.container(border=True, key=f"exhibit-{name}"):
        st.fragment(_run, run_every=every)(piece, args, given, name, then)


def contents(*pieces: Exhibit) -> None:
    """What the page shows, in its order: a line of links to the exhibits."""
    links = " · ".join(f"[{escape_markdown(piece.title)}](#{piece.name})" for piece in pieces)
    st.markdown(f":small[On this page: {links}]")


def _run(
    piece: Exhibit, args: tuple[Any, ...], given: Presets, name: str, then: Callable[[], None] | None = None
) -> None:
    st.subheader(escape_markdown(piece.title), anchor=name)
    st.caption(f"**What to look for.** {piece.look_for}")
    try:
        with presets(given):
            shown = piece.draw(*args) or Shown()
    except FragmentHandledException:
        raise
    except Exception as error:
        errors.show_fault(error, what="This exhibit")
        return
    for formula in (piece.formula, shown.formula):
        if formula:
            st.latex(formula)
    if piece.try_this:
        _try_this(piece)
    try:
        _footer(piece, shown, name)
    except Exception as error:
        errors.show_fault(error, what="This panel")
    if then is not None:
        then()


def _try_this(piece: Exhibit) -> None:
    with st.expander("Try this", icon=":material/science:"):
        # One element and not one for each: what a rerun costs is the number of its elements.
        st.markdown("\n\n".join(f"**{do}**  \n{expect}" for do, expect in piece.try_this))


def _footer(piece: Exhibit, shown: Shown, name: str) -> None:
    panels: dict[str, tuple[str, Callable[[], None]]] = {
        "Link": (":material/link:", _link),
        "Code": (":material/code:", lambda: _code(piece)),
        "Numbers": (":material/table:", lambda: _numbers(shown)),
        "Download": (":material/download:", lambda: _download(shown, name)),
    }
    chosen = st.segmented_control(
        f"More about “{piece.title}”",
        list(panels),
        format_func=lambda panel: f"{panels[panel][0]} {panel}",
        key=f"panel-{name}",
        label_visibility="collapsed",
        wrap=True,
    )
    if chosen is not None:
        panels[chosen][1]()


def _link() -> None:
    st.caption("This address opens the page as it stands now, with every control where you left it.")
    st.code(page_link(), language=None, wrap_lines=True)


def page_link() -> str:
    """The address of this page with its whole state."""
    parts = urlsplit(st.context.url or "")
    query = urlencode([(name, value) for name in st.query_params for value in st.query_params.get_all(name)])
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


def _code(piece: Exhibit) -> None:
    st.caption("The very code that ran, read from the running program.")
    for part in piece.code:
        show_source(part)


def show_source(part: Callable[..., Any]) -> None:
    """A function or class as it stands in the running program, and where."""
    source, place = source_of(part)
    st.caption(escape_markdown(place))
    st.code(source, language="python")


def source_of(part: Callable[..., Any]) -> tuple[str, str]:
    """The source of a function or class and where it stands: (source, "core/nn/masks.py, line 12")."""
    part = inspect.unwrap(part)
    lines, first = inspect.getsourcelines(part)
    path = Path(inspect.getsourcefile(part) or "?").resolve()
    place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return textwrap.dedent("".join(lines)).rstrip(), f"{place}, line {first}"


def _numbers(shown: Shown) -> None:
    table = _table(shown)
    if table is None:
        st.caption("This exhibit has no table of numbers.")
        return
    if len(table) > MAX_ROWS_SHOWN:
        st.caption(f"The first {MAX_ROWS_SHOWN:,} of {len(table):,} rows; the download has all of them.")
    st.dataframe(table.head(MAX_ROWS_SHOWN))


def _download(shown: Shown, name: str) -> None:
    with st.container(horizontal=True):
        if shown.numbers is not None:
            st.download_button(
                "Numbers (CSV)",
                lambda: table_as_csv(_table(shown)),
                f"{name}.csv",
                "text/csv",
                key=f"csv-{name}",
                on_click="ignore",
            )
        if shown.arrays is not None:
            st.download_button(
                "Arrays (NPZ)",
                lambda: arrays_as_npz(_value(shown.arrays)),
                f"{name}.npz",
                "application/octet-stream",
                key=f"npz-{name}",
                on_click="ignore",
            )
        if shown.figure is not None:
            st.download_button(
                "Figure (Vega-Lite)",
                lambda: _figure_as_json(shown.figure),
                f"{name}.vl.json",
                "application/json",
                key=f"figure-{name}",
                on_click="ignore",
            )
    st.caption("SVG and PNG: in the toolbar above a picture. PNG: in the toolbar of a chart.")


def table_as_csv(table: "pd.DataFrame | None") -> bytes:
    """UTF-8 CSV, with cells that a spreadsheet would run as formulas made harmless."""
    if table is None:
        return b""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([csv_safe(name) for name in table.columns])
    columns = [map(csv_safe, table.iloc[:, i].tolist()) for i in range(table.shape[1])]
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue().encode("utf-8", "replace")


def arrays_as_npz(arrays: Arrays) -> bytes:
    """A compressed NPZ file (plain arrays only, nothing pickled)."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _figure_as_json(figure: Mapping[str, Any] | None) -> bytes:
    return json.dumps(figure, indent=2, default=str).encode()


def _table(shown: Shown) -> "pd.DataFrame | None":
    import pandas as pd

    numbers = _value(shown.numbers)
    return numbers if numbers is None or isinstance(numbers, pd.DataFrame) else pd.DataFrame(numbers)


def _value(given: Any) -> Any:
    return given() if callable(given) else given
