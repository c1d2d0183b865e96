"""Inputs for the digit or photograph of an exhibit: one that ships, the visitor's drawing, or an upload."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import exhibit
from core.data import images
from core.data.images import digit_pixels
from core.data.localization.labels import module_labels
from core.inspect.model_inputs.input_pictures import InputPicture, decode_drawing, held_out_digit, load_photograph
from core.ui import state
from core.ui.controls import controls, picks
from core.ui.frame import layout
from core.ui.text_formatting import escape_markdown
from core.ui.widgets import canvas, picture_uploads

LABELS = module_labels(__name__)

N_OFFERED = len(images.digit_split_indices()[1])
SEVEN = "05efff6003878g4000008e00006cff20006ee810000b9000000f6000001e2000"  # the initial drawing on the canvas
OWN_FILE = 'input_pictures.picture_from_file("path/to/the/picture")'
HELD_OUT, DRAWING, UPLOAD = "held_out", "drawing", "upload"
SOURCES = LABELS.options("source", HELD_OUT, DRAWING, UPLOAD)
PHOTOGRAPHS = LABELS.options("photograph", *images.PHOTOGRAPHS, UPLOAD)
_OLD_SOURCES = {"held-out digit": HELD_OUT}  # in addresses of before December 2026


def pick_digit(prefix: str, number: int = 0, label: str = LABELS["look_at"]) -> InputPicture | None:
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
    left, right = layout.two_columns(f"{prefix}-ask")
    with left:
        asked: Any = exhibit.segmented_control(SOURCES, HELD_OUT, name=f"{prefix}_from", label=label)
        source = controls.render_control(replace(asked, options={**asked.options, "old_labels": _OLD_SOURCES}))
    if source == DRAWING:
        return _drawing(prefix, right)
    if source == UPLOAD:
        return _uploaded(prefix, right) or held_out_digit(number)
    with right, st.container(horizontal=True, vertical_alignment="bottom"):
        name = f"{prefix}_digit"
        help = LABELS("number.help", n=N_OFFERED)
        number = int(
            controls.render_control(
                exhibit.slider(0, N_OFFERED - 1, number, step=1, help=help, name=name, label=LABELS["number"])
            )
        )
        picture = held_out_digit(number)
        alike = np.flatnonzero(images.held_out_digits().labels == picture.label)
        another = int(alike[np.searchsorted(alike, number, "right") % len(alike)])
        for label, key, to in (
            (LABELS["next"], "next", (number + 1) % N_OFFERED),
            (LABELS("another", digit=picture.label), "alike", another),
        ):
            controls.control_button(label, name, key=f"{prefix}-{key}", on_click=controls.set_control, args=(name, to))
        _draw_on_it(prefix, digit_pixels.encode_digit_as_text(picture.pixels))
    return picture


def _draw_on_it(prefix: str, symbols: str) -> None:
    """Draw a button that copies a digit to the canvas."""
    controls.control_button(
        LABELS["draw_on_it"], f"{prefix}_from", key=f"{prefix}-copy", on_click=_copy, args=(prefix, symbols)
    )


def _copy(prefix: str, symbols: str) -> None:
    controls.set_control(f"{prefix}_from", DRAWING)
    picks.set_address_value(f"{prefix}_drawn", symbols)
    state.set_session_slot("images.drawing", symbols)


def _drawing(prefix: str, beside: DeltaGenerator) -> InputPicture:
    """Draw the canvas and return its drawing."""
    name, widget = f"{prefix}_drawn", f"{prefix}.canvas"
    sent = canvas.digit_from_browser(picks.new_pick(widget, "", "drawn"))
    if sent is not None:
        picks.set_address_value(name, digit_pixels.encode_digit_as_text(sent))
        state.set_session_slot("images.drawing", digit_pixels.encode_digit_as_text(sent))
    last = state.session_slot("images.drawing", str)  # drawn anywhere in this session; "" if nothing yet
    symbols = _linked(name, "link_refused.drawing") or last or SEVEN
    picks.set_address_value(name, symbols)  # this exhibit keeps it, whatever is drawn elsewhere
    with beside:
        if last and symbols != last:
            st.button(LABELS["last_drawing"], key=f"{prefix}-last", on_click=picks.set_address_value, args=(name, last))
    canvas.digit_canvas(
        digit_pixels.decode_digit(symbols),
        key=picks.picture_widget_key(widget, "", part="drawn"),
        label=LABELS["canvas"],
    )
    return decode_drawing(symbols)


def _uploaded(prefix: str, beside: DeltaGenerator) -> InputPicture | None:
    """Draw the file field and return the digit made from the last file; None before there is one."""
    name = f"{prefix}_upload"
    with beside:
        picture_uploads.render_upload(prefix, LABELS["digit_file"], picture_uploads.digit_upload_handler(name))
    last = picture_uploads.last_upload("digit")
    symbols = _linked(name, "link_refused.upload") or (last.key if last else None)
    if symbols is None:
        st.caption(LABELS["no_digit_file"])
        return None
    picks.set_address_value(name, symbols)
    with st.container(horizontal=True, vertical_alignment="center"):
        picture_uploads.show_uploaded_digit(symbols)
        _draw_on_it(prefix, symbols)
        if last is not None and symbols != last.key:
            st.button(
                LABELS["last_upload"], key=f"{prefix}-last", on_click=picks.set_address_value, args=(name, last.key)
            )
    return decode_drawing(symbols, LABELS["your_upload"])


def _linked(name: str, message: str) -> str | None:
    """Return the 64 symbols in the address; None, after the message with this key, if they are not a digit."""
    symbols = picks.address_value(name)
    if symbols is None:
        return None
    try:
        digit_pixels.decode_digit(symbols)
    except ValueError as refused:
        st.warning(LABELS(message, reason=escape_markdown(refused)))
        return None
    return symbols


def pick_photograph(prefix: str, name: str = "china") -> InputPicture | None:
    """Ask for a color picture: a photograph that ships, or an upload.

    Args:
        prefix: the prefix of its controls' names, unique on the page.
        name: the initial one of `images.PHOTOGRAPHS`.

    Returns:
        The picture, from 16 to 1,024 pixels in either direction, or None, after a message, while there is none.
    """
    chosen = controls.render_control(
        exhibit.segmented_control(PHOTOGRAPHS, name, name=f"{prefix}_photo", label=LABELS["photograph"])
    )
    if chosen == UPLOAD:
        picture_uploads.render_upload(prefix, LABELS["photograph_file"], picture_uploads.store_photograph)
        last = picture_uploads.last_upload("photograph")
        if last is not None:
            return InputPicture(last.key, LABELS("your_picture", name=last.name), last.pixels, code=OWN_FILE)
        st.caption(LABELS("no_photograph_file", name=PHOTOGRAPHS[name]))
        chosen = name
    return load_photograph(chosen)
