"""The widget in which a mask is drawn by hand, and the short text that holds such a mask in the address.

drawn = mask_editor(mask, own, tokens=tokens, n_layer=2, key="draw")
drawn.mask    # (T, T) booleans, True where the row's token may read the column's
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.rooms.masks.inputs import MAX_TOKENS
from core.ui.text import plural
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount, turn

MAX_LAYERS = 8  # they let a window of 4 pass through all tokens
_ADDRESS = re.compile(r"(\d{1,2})\.(\d{1,2})\.([0-9a-f]{1,144})")


@dataclass(frozen=True)
class Drawn:
    """A mask drawn by hand."""

    mask: NDArray[np.bool_]  # (T, T) True where the row's token may read the column's
    n_layer: int  # through how many layers its reach is shown


def to_hex(mask: NDArray[np.bool_]) -> str:
    """The cells as hexadecimal digits, row by row, four cells a digit; a row's last digit is filled with zeros."""
    padded = np.pad(mask, ((0, 0), (0, -mask.shape[1] % 4)))
    digits = padded.reshape(-1, 4) @ np.array([8, 4, 2, 1])
    return "".join(f"{digit:x}" for digit in digits)


def from_hex(text: str, n_token: int) -> NDArray[np.bool_]:
    """What `to_hex` wrote.

    Raises:
        ValueError: if it is not the text of a mask for so many tokens.
    """
    n_digit = -(-n_token // 4)
    if re.fullmatch(f"[0-9a-f]{{{n_token * n_digit}}}", text) is None:
        raise ValueError(f"a mask of {n_token} tokens is {n_token * n_digit} hexadecimal digits")
    bits = np.array([[int(digit, 16) >> place & 1 for place in (3, 2, 1, 0)] for digit in text], dtype=bool)
    rows = bits.reshape(n_token, 4 * n_digit)
    if rows[:, n_token:].any():
        raise ValueError(f"the mask has cells beyond its {n_token} columns")
    return rows[:, :n_token].copy()


def to_address(drawn: Drawn) -> str:
    """The mask as one short word for the address: layers, tokens, cells."""
    return f"{drawn.n_layer}.{len(drawn.mask)}.{to_hex(drawn.mask)}"


def from_address(text: str, n_token: int) -> Drawn:
    """What `to_address` wrote.

    Raises:
        ValueError: in plain words, if it is no mask, or one for another number of tokens.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise ValueError("The link holds a mask that cannot be read.")
    n_layer, n_drawn = int(found[1]), int(found[2])
    if n_drawn != n_token:
        raise ValueError(f"The link holds a mask for {n_drawn} tokens; this text has {n_token}.")
    if not 1 <= n_layer <= MAX_LAYERS:
        raise ValueError(f"The link asks for {n_layer} layers; 1 to {MAX_LAYERS} can be shown.")
    try:
        return Drawn(from_hex(found[3], n_token), n_layer)
    except ValueError as refused:
        raise ValueError(f"The link holds a mask that cannot be read: {refused}.") from None


def from_browser(drawn: Any, n_token: int) -> Drawn | None:
    """A committed drawing, if it is one: what comes from a browser may be anything."""
    if not isinstance(drawn, Mapping) or not isinstance(drawn.get("cells"), str):
        return None
    try:
        return from_address(f"{drawn.get('layers')}.{n_token}.{drawn['cells']}", n_token)
    except ValueError:
        return None


def mask_editor(
    drawn: Drawn, first: NDArray[np.bool_], *, tokens: Sequence[str], key: str, label: str = ""
) -> Drawn | None:
    """Draw a mask with the pointer or the keyboard; beside it stands what arrives through several layers.

    Strokes, presets, undo and the reach stay in the browser; a finished stroke is committed.

    Args:
        drawn: the mask and the number of layers to begin with; a changed one is taken over.
        first: (T, T) what "Reset" goes back to.

    Returns:
        The last committed drawing, or None.

    Raises:
        ValueError: if the masks do not match the tokens, or there are more than 24.
    """
    n_token = len(tokens)
    if drawn.mask.shape != (n_token, n_token) or first.shape != (n_token, n_token):
        raise ValueError(f"masks {drawn.mask.shape} and {first.shape} do not match {n_token} tokens")
    if n_token > MAX_TOKENS:
        raise ValueError(f"{n_token} tokens are more than the {MAX_TOKENS} whose cells can be drawn")
    header: dict[str, Any] = {
        "widget": "mask_editor",
        "rows": list(tokens),
        "n_layer": drawn.n_layer,
        "max_layers": MAX_LAYERS,
        "turn": turn(key),
        "label": label,
        "takeaway": f"{label or 'A mask'}: {plural(n_token, 'token')}, {plural(int(drawn.mask.sum()), 'open cell')}.",
    }
    arrays = {"mask": drawn.mask.astype(np.uint8), "reset": first.astype(np.uint8)}
    state = mount("mask_editor", key, pack(header, arrays), drawn=None)
    return from_browser(state.get("drawn"), n_token)
