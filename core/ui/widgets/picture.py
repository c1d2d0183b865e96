"""Inputs for the digit or photograph of an exhibit: one that ships, the visitor's drawing, or an upload."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import exhibit
from core.data import images
from core.data.images import to_digit
from core.inspect.reading.pictures import Picture, drawn, held_out_digit, photograph
from core.ui import state
from core.ui.controls import controls, picks
from core.ui.frame import layout
from core.ui.text import escape_markdown
from core.ui.widgets import canvas, uploads

N_OFFERED = len(images.split()[1])
SEVEN = "05efff6003878g4000008e00006cff20006ee810000b9000000f6000001e2000"  # the initial drawing on the canvas
OWN_FILE = 'pictures.from_file("path/to/the/picture")'
HELD_OUT, DRAWING, UPLOAD = SOURCES = ("held-out digit", "drawing", "upload")


def ask_digit(prefix: str, number: int = 0, label: str = "Look at") -> Picture | None:
    """Ask for a digit: a held-out one, a drawing, or an upload reduced to 8 x 8.

    The address contains a drawing or an upload as 64 symbols, so that a link includes it. Other exhibits start with
    the session's last ones.

    Args:
        prefix: the prefix of its controls' names, unique on the page.
        number: the number of the held-out digit (0 to 359) that is shown first.
        label: shown above the choice between the three, for an exhibit that asks twice.

    Returns:
        The picture, or None, after a message, while there is none.
    """
    left, right = layout.pair(f"{prefix}-ask")
    with left:
        source = controls.ask(exhibit.segmented(label, list(SOURCES), HELD_OUT, name=f"{prefix}_from"))
    if source == DRAWING:
        return _drawing(prefix, right)
    if source == UPLOAD:
        return _uploaded(prefix, right) or held_out_digit(number)
    with right, st.container(horizontal=True, vertical_alignment="bottom"):
        name = f"{prefix}_digit"
        help = f"One of {N_OFFERED} digits that no model here has learned from."
        number = int(controls.ask(exhibit.slider("Its number", 0, N_OFFERED - 1, number, step=1, help=help, name=name)))
        picture = held_out_digit(number)
        alike = np.flatnonzero(images.held_out().labels == picture.label)
        another = int(alike[np.searchsorted(alike, number, "right") % len(alike)])
        for label, key, to in (
            ("Next", "next", (number + 1) % N_OFFERED),
            (f"Another {picture.label}", "alike", another),
        ):
            controls.button(label, name, key=f"{prefix}-{key}", on_click=controls.put, args=(name, to))
        _draw_on_it(prefix, to_digit.to_symbols(picture.pixels))
    return picture


def _draw_on_it(prefix: str, symbols: str) -> None:
    """Draw a button that copies a digit to the canvas."""
    controls.button("Draw on it", f"{prefix}_from", key=f"{prefix}-copy", on_click=_copy, args=(prefix, symbols))


def _copy(prefix: str, symbols: str) -> None:
    controls.put(f"{prefix}_from", DRAWING)
    picks.remember(f"{prefix}_drawn", symbols)
    state.put("images.drawing", symbols)


def _drawing(prefix: str, beside: DeltaGenerator) -> Picture:
    """Draw the canvas and return its drawing."""
    name, widget = f"{prefix}_drawn", f"{prefix}.canvas"
    sent = canvas.from_browser(picks.news(widget, "", "drawn"))
    if sent is not None:
        picks.remember(name, to_digit.to_symbols(sent))
        state.put("images.drawing", to_digit.to_symbols(sent))
    last = state.slot("images.drawing", str)  # drawn anywhere in this session; "" if nothing yet
    symbols = _linked(name, "a drawing") or last or SEVEN
    picks.remember(name, symbols)  # this exhibit keeps it, whatever is drawn elsewhere
    with beside:
        if last and symbols != last:
            st.button("Use my last drawing", key=f"{prefix}-last", on_click=picks.remember, args=(name, last))
    canvas.canvas(to_digit.from_symbols(symbols), key=picks.key(widget, "", part="drawn"), label="A digit to draw")
    return drawn(symbols)


def _uploaded(prefix: str, beside: DeltaGenerator) -> Picture | None:
    """Draw the file field and return the digit made from the last file; None before there is one."""
    name = f"{prefix}_upload"
    with beside:
        uploads.ask(prefix, "A picture of one digit, in any common format", uploads.take_digit(name))
    last = uploads.last("digit")
    symbols = _linked(name, "an upload") or (last.key if last else None)
    if symbols is None:
        st.caption(
            "No file is chosen yet: until then a held-out digit is shown. Write one digit on paper and take a picture "
            "with nothing else in it, or save one from a drawing program."
        )
        return None
    picks.remember(name, symbols)
    with st.container(horizontal=True, vertical_alignment="center"):
        uploads.show_digit(symbols)
        _draw_on_it(prefix, symbols)
        if last is not None and symbols != last.key:
            st.button("Use my last upload", key=f"{prefix}-last", on_click=picks.remember, args=(name, last.key))
    return drawn(symbols, "your upload")


def _linked(name: str, what: str) -> str | None:
    """Return the 64 symbols in the address; None, after a message, if they are not a digit."""
    symbols = picks.remembered(name)
    if symbols is None:
        return None
    try:
        to_digit.from_symbols(symbols)
    except ValueError as refused:
        st.warning(f"The link holds {what} that cannot be used: {escape_markdown(refused)}.")
        return None
    return symbols


def ask_photograph(prefix: str, name: str = "china") -> Picture | None:
    """Ask for a color picture: a photograph that ships, or an upload.

    Args:
        prefix: the prefix of its controls' names, unique on the page.
        name: the initial one of `images.PHOTOGRAPHS`.

    Returns:
        The picture, from 16 to 1,024 pixels in either direction, or None, after a message, while there is none.
    """
    chosen = controls.ask(exhibit.segmented("Photograph", [*images.PHOTOGRAPHS, UPLOAD], name, name=f"{prefix}_photo"))
    if chosen == UPLOAD:
        uploads.ask(prefix, "A picture, in any common format", uploads.take_photograph)
        last = uploads.last("photograph")
        if last is not None:
            return Picture(last.key, f"your picture {last.name}", last.pixels, code=OWN_FILE)
        st.caption(f"No file is chosen yet: until then the photograph “{name}” is shown.")
        chosen = name
    return photograph(chosen)
