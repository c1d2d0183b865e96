"""A mask drawn by hand, and the short text that holds it in the address."""

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_LAYERS = 8  # they let a window of 4 pass through all tokens
_ADDRESS = re.compile(r"(\d{1,2})\.(\d{1,2})\.([0-9a-f]{1,144})")


class Drawn(NamedTuple):
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
