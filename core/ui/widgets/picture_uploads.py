"""The visitor's own pictures: a file field, the outcome of an upload, and the last readable picture.

A file that cannot be used is refused with a message, and the previous picture stays.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.data.images import digit_pixels, picture_file
from core.data.localization.labels import module_labels
from core.ui import state
from core.ui.controls import picks
from core.ui.server.upload_quota import release_upload
from core.ui.text_formatting import escape_markdown, quote_briefly

LABELS = module_labels(__name__)

MAX_FILE = picture_file.MAX_FILE // 2**20  # MB
PREVIEW = 112  # pixels: two of them fit side by side on a phone


@dataclass(frozen=True)
class _Upload:
    """A picture that was read from a file."""

    name: str  # of the file
    key: str  # a digit's 64 symbols, or a digest of a photograph's pixels
    # (Y, X, 3) of a photograph; for a digit, a small square picture of the file
    pixels: NDArray[np.uint8] = field(compare=False, repr=False)


def last_upload(what: str) -> _Upload | None:
    """Return the last "digit" or "photograph" that was uploaded in this session, or None."""
    found: _Upload | None = state.session_slot(f"images.{what}_file", lambda: None)
    return found


def render_upload(prefix: str, label: str, take: Callable[[str, bytes], str]) -> None:
    """Draw the field for a file, and below it the outcome of the last upload.

    Args:
        prefix: the prefix of the exhibit's controls.
        label: shown above the field.
        take: gets the file's name and bytes, stores the picture and returns a message. Raises ValueError with a plain
            message if the file cannot be used.
    """
    turn = state.session_slot(f"images.turn.{prefix}", int)
    key = f"{prefix}-file-{turn}"
    st.file_uploader(label, key=key, max_upload_size=MAX_FILE, on_change=_store_upload, args=(prefix, key, take))
    kind, words = state.session_slot(f"images.said.{prefix}", lambda: ("", ""))
    if kind == "taken":
        st.caption(escape_markdown(words))
    elif kind == "refused":
        st.error(escape_markdown(words), icon=":material/block:")


def _store_upload(prefix: str, key: str, take: Callable[[str, bytes], str]) -> None:
    upload = st.session_state.get(key)
    if upload is None:
        return
    try:
        said = ("taken", take(quote_briefly(upload.name, 60), upload.getvalue()))
    except ValueError as refused:
        said = ("refused", LABELS("refused", reason=refused))
    finally:
        release_upload(upload)
    state.set_session_slot(f"images.said.{prefix}", said)
    # The next field starts empty, because the file has been released.
    state.set_session_slot(f"images.turn.{prefix}", state.session_slot(f"images.turn.{prefix}", int) + 1)


def digit_upload_handler(address: str) -> Callable[[str, bytes], str]:
    """Return a function that reduces a file to 8 x 8 and writes it into the address under this name."""

    def take(name: str, data: bytes) -> str:
        read = picture_file.open_picture(data, name[1:-1])
        symbols = digit_pixels.encode_digit_as_text(digit_pixels.extract_digit_pixels(read.pixels))
        state.set_session_slot("images.digit_file", _Upload(name, symbols, _preview(read.pixels)))
        picks.set_address_value(address, symbols)
        return LABELS("is_read", name=name, facts=_facts(read))

    return take


def store_photograph(name: str, data: bytes) -> str:
    """Store a photograph for this session, in place of the previous one."""
    read = picture_file.open_picture(data, name[1:-1])
    digest = hashlib.sha256(repr(read.pixels.shape).encode() + read.pixels.tobytes()).hexdigest()[:24]
    state.set_session_slot("images.photograph_file", _Upload(name, f"upload-{digest}", read.pixels))
    return LABELS("photograph_is_read", name=name, facts=_facts(read))


def _facts(read: picture_file.LoadedPicture) -> str:
    (width, height), (now_high, now_wide) = read.size, read.pixels.shape[:2]
    sizes = {"width": width, "height": height, "now_wide": now_wide, "now_high": now_high}
    if now_wide * now_high < width * height:
        size = LABELS("size.shrunk", **sizes)
    elif now_wide * now_high > width * height:
        size = LABELS("size.enlarged", **sizes)
    else:
        size = LABELS("size", **sizes)
    return " ".join([size, *read.notes])


def show_uploaded_digit(symbols: str) -> None:
    """Show the uploaded picture, if it is this one, and the resulting 8 x 8 pixels."""
    upload = last_upload("digit")
    cells = 255 - digit_pixels.decode_digit(symbols).astype(np.int64) * 255 // 16
    if upload is not None and upload.key == symbols:
        st.image(upload.pixels, caption=LABELS["your_picture"], alt=LABELS["your_picture.alt"], width=PREVIEW)
    large = cells.repeat(PREVIEW // 8, 0).repeat(PREVIEW // 8, 1).astype(np.uint8)
    alt = LABELS["as_read.alt"]
    st.image(large, caption=LABELS["as_read"], alt=alt, output_format="PNG", width=PREVIEW)


def _preview(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a small preview on a white square, with the picture's proportions."""
    from PIL import Image

    image = Image.fromarray(pixels)
    image.thumbnail((2 * PREVIEW, 2 * PREVIEW))
    square = Image.new("RGB", (2 * PREVIEW, 2 * PREVIEW), "white")
    square.paste(image, ((2 * PREVIEW - image.width) // 2, (2 * PREVIEW - image.height) // 2))
    return np.array(square)
