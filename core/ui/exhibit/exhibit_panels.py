"""The panels below an exhibit: its link, code, numbers and downloads. Each is made when it is opened."""

import inspect
import io
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.browser.markdown_html import markdown_message, sentence_to_html
from core.browser.message_capture import Chart, MessageToWidget
from core.browser.message_packing import pack_message, unpack_message
from core.browser.page import PageContent, web_page
from core.data.csv_export import csv_text
from core.data.localization.labels import module_labels
from core.ui.controls import browser_side_controls, sharing
from core.ui.exhibit.exhibit_drawing_state import ExhibitDrawing
from core.ui.frame import depth
from core.ui.frame.element_keys import page_element_key
from core.ui.text_formatting import escape_markdown
from core.ui.widgets.mount import widget_component

LABELS = module_labels(__name__)

ROOT = Path(__file__).resolve().parents[3]
Source = Callable[..., object] | ModuleType  # a function, class or file whose code is shown
# A browser table of 1,000 rows opens quickly; the download contains all rows.
MAX_ROWS_SHOWN = 1_000
EXPORTED_PAGES = "pages-made"  # in a session without a visitor: the contents of the web pages, by exhibit
_FIXED_ON_EXPORT = LABELS["fixed_on_export"]
GUESS_FIRST = LABELS["guess_first"]


PANELS = LABELS.options("panel", "link", "code", "formula", "numbers", "download")


def is_panel_open(name: str) -> bool:
    """Return whether a panel of this exhibit is open."""
    return st.session_state.get(page_element_key("panel", name)) is not None


def show_code_and_download_panels(
    title: str, code: Mapping[str, Sequence[Source]], drawn: ExhibitDrawing | None, name: str
) -> None:
    """Draw the buttons of the panels, and the open panel.

    Args:
        title: of the exhibit.
        code: the tabs of its Code panel.
        drawn: the drawing whose contents can be downloaded.
        name: of the exhibit on its page.
    """
    if drawn is not None and EXPORTED_PAGES in st.session_state and _is_whole(drawn):
        st.session_state[EXPORTED_PAGES][name] = _page_content(title, drawn, name, _choices_used(drawn))
    offered: dict[str, tuple[str, Callable[[], None]]] = {
        "link": (":material/link:", lambda: _link(name)),
        "code": (":material/code:", lambda: _code(code)),
        "numbers": (":material/table:", lambda: _numbers(drawn)),
        "download": (":material/download:", lambda: _download(title, drawn, name)),
    }
    formulas = [] if drawn is None else drawn.formulas()
    if formulas:
        offered = (
            {"link": offered.pop("link"), "code": offered.pop("code")}
            | {"formula": (":material/function:", lambda: _formulas(formulas))}
            | offered
        )
    if not depth.depth_at_least("numbers"):
        offered = {panel: offered[panel] for panel in ("link", "download")}
    key = page_element_key("panel", name)
    if st.session_state.get(key) not in (None, *offered):
        st.session_state[key] = None
    chosen = st.segmented_control(
        LABELS("more_about", title=title),
        list(offered),
        format_func=lambda panel: f"{offered[panel][0]} {PANELS[panel]}",
        key=key,
        label_visibility="collapsed",
        wrap=True,
    )
    if chosen is not None:
        offered[chosen][1]()


def _link(name: str) -> None:
    """Show the address of the current view, and the button for a link for others."""
    st.caption(LABELS["link_note"])
    st.code(sharing.current_page_url(), language=None, wrap_lines=True)
    sharing.share_dialog_button(page_element_key("share", name), LABELS["share"])


def _formulas(formulas: Sequence[str]) -> None:
    """Show the formula, in symbols and with the learner's numbers."""
    for formula in formulas:
        st.latex(formula)


def _code(code: Mapping[str, Sequence[Source]]) -> None:
    """Show the source of all functions that computed the exhibit."""
    st.caption(LABELS["code_note"])
    tabs = st.tabs(list(code)) if len(code) > 1 else [st.container()]
    for tab, parts in zip(tabs, code.values(), strict=True):
        with tab:
            for part in parts:
                show_source(part)


def show_source(part: Source) -> None:
    """Show the source of a function, class or module of the running program, and where it is defined."""
    source, place = source_of(part)
    st.caption(escape_markdown(place))
    st.code(source, language="python", wrap_lines=True)  # the keyboard cannot scroll it sideways


def source_of(part: Source) -> tuple[str, str]:
    """Return the source of a function, class or module and its location: (source, "core/nn/masks.py, line 12")."""
    part = part if isinstance(part, ModuleType) else inspect.unwrap(part)
    lines, first = inspect.getsourcelines(part)
    path = Path(inspect.getsourcefile(part) or "?").resolve()
    place = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    return textwrap.dedent("".join(lines)).rstrip(), LABELS("source_line", place=place, line=first) if first else place


def _numbers(drawn: ExhibitDrawing | None) -> None:
    """Show the table of the picture's numbers."""
    import pandas as pd

    if drawn is not None and drawn.must_guess:
        st.caption(GUESS_FIRST)
        return
    columns = None if drawn is None else drawn.table()
    if columns is None:
        st.caption(LABELS["no_table"])
        return
    table = pd.DataFrame(columns)
    if len(table) > MAX_ROWS_SHOWN:
        st.caption(LABELS("first_rows", n_shown=MAX_ROWS_SHOWN, n=len(table)))
    st.dataframe(table.head(MAX_ROWS_SHOWN))


def _download(title: str, drawn: ExhibitDrawing | None, name: str) -> None:
    """Draw the downloads: pictures, numbers and the script. A file is made only when its button is pressed."""
    # The browser finds the pictures, which it has drawn itself, and makes the files; folded ones are not listed.
    widget_component("saving", height=40)(key=page_element_key("saving", name), data=pack_message({}, {}))
    if drawn is None:
        return
    if drawn.must_guess:
        st.caption(GUESS_FIRST)
        return
    with st.container(horizontal=True):
        if hasattr(drawn.result, "table"):
            _file(LABELS["file.csv"], "csv", lambda: csv_text(drawn.table() or {}).encode(), f"{name}.csv", "text/csv")
        _file(LABELS["file.npz"], "npz", lambda: _to_npz(drawn.arrays()), f"{name}.npz", "application/octet-stream")
        if _is_whole(drawn):
            asked = _choices_used(drawn)  # now, because the function that makes the file later has no visitor
            page = lambda: web_page(_page_content(title, drawn, name, asked)).encode()  # noqa: E731
            _file(LABELS["file.page"], "page", page, f"{name}.html", "text/html")
        if (figure := drawn.figure) is not None:
            _file(LABELS["file.figure"], "figure", lambda: _as_json(figure), f"{name}.vl.json", "application/json")
        if (script := _script_of(title, drawn, name)) is not None:
            _file(LABELS["file.script"], "script", script.encode, f"{name}.py", "text/x-python")
    if script is not None:
        st.caption(LABELS["script_note"])
        st.code(script, language="python", wrap_lines=True)


def _is_whole(drawn: ExhibitDrawing) -> bool:
    """Return whether a standalone page can contain the whole drawing."""
    return bool(drawn.messages) and not drawn.is_partial and not drawn.must_guess


def _choices_used(drawn: ExhibitDrawing) -> list[MessageToWidget]:
    """Return the messages of the choices that its pictures and text depend on, fixed if the server answers them."""
    headers = [unpack_message(sent.message)[0] for sent in drawn.messages if isinstance(sent, MessageToWidget)]
    names = {one for header in headers for one in header.get("linked", ())}
    moved = {one for header in headers for one in _choices_moved(header.get("chooses"))}
    fixed = _FIXED_ON_EXPORT if drawn.needs_choices else None
    return [
        MessageToWidget("choice", message, False)
        for message in browser_side_controls.choice_control_messages(names, moved, fixed)
    ]


def _choices_moved(chooses: Any) -> list[str]:
    """Return the names of the choices that a picture moves, given "query", ["step", […]], or either of them by part."""
    if isinstance(chooses, Mapping):
        return [name for one in chooses.values() for name in _choices_moved(one)]
    return [] if chooses is None else [chooses if isinstance(chooses, str) else chooses[0]]


def _page_content(title: str, drawn: ExhibitDrawing, name: str, asked: Sequence[MessageToWidget]) -> PageContent:
    """Return the content of the exhibit's web page: its pictures, choices, sentences and script."""
    sent = [*asked, *map(_as_sentence, drawn.messages)]
    return PageContent(
        title, sentence_to_html(drawn.render(drawn.text.look_for)), sent, _script_of(title, drawn, name) or ""
    )


def _as_sentence(sent: MessageToWidget | Chart) -> MessageToWidget | Chart:
    """Convert a text that Streamlit shows to one for a page without Streamlit; return anything else unchanged."""
    if isinstance(sent, Chart) or sent.widget != "sentence":
        return sent
    header, _ = unpack_message(sent.message)
    if "text" not in header:
        return sent
    return MessageToWidget("sentence", markdown_message(header["text"], header["look"]), sent.own_style)


def _file(label: str, kind: str, make: Callable[[], bytes], file: str, mime: str) -> None:
    st.download_button(
        label, make, file, mime, key=page_element_key("file", f"{kind}-{file.split('.')[0]}"), on_click="ignore"
    )


def _script_of(title: str, drawn: ExhibitDrawing, name: str) -> str | None:
    """Return the exhibit's script as a file: two lines of description, then the program; None without a table."""
    if drawn.script is None or not hasattr(drawn.result, "table"):
        return None
    about = f"# {LABELS('script.about', title=title)}\n# {LABELS('script.use', file=f'{name}.py')}"
    return f"{about}\n\n{drawn.script()}"


def _to_npz(arrays: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return a compressed NPZ file (plain arrays only, nothing pickled)."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _as_json(figure: Mapping[str, object]) -> bytes:
    return json.dumps(figure, indent=2, default=str).encode()
