"""The browser widget of a picture whose patches are clicked away; see `assets/widgets/patches/patch_switches.js`."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from core.browser.linked import Chosen
from core.browser.message import pack
from core.ui.widgets.mount import mount
from core.ui.widgets.pictures import INK_LEVELS

MAX_PATCHES = 256  # of a click's size each


def patch_switches(
    pixels: ArrayLike,
    patch_size: int,
    gone: Chosen,
    *,
    sets: Mapping[str, Sequence[int]],
    k: Any,
    key: str,
    label: str,
    takeaway: str,
    weights: ArrayLike | None = None,
    weight_title: str = "attention weight",
    size: int = 320,
) -> None:
    """Draw a picture of ink on paper whose patches are hidden and shown by a click or Enter.

    Buttons hide sets of them at once, take the last change back, and show all.

    Args:
        pixels: (Y, X) uint8 from 0, paper, to 16, ink.
        patch_size: height and width of a patch, in pixels.
        gone: the choice of the page that says which are hidden, as `to_address` writes it.
        sets: name -> patches in an order of which the first `k`, a choice of the page, are hidden by a button.
        key: names the instance.
        weights: (P,) a number from 0 on for each patch, drawn as tint and frame.
        size: width in css pixels, where there is room.

    Raises:
        ValueError: if patches do not fit the picture, weights do not fit them, or there are too many.
    """
    image = np.asarray(pixels)
    if image.dtype != np.uint8 or image.ndim != 2:
        raise ValueError(f"a picture is (Y, X) uint8, not {image.shape} {image.dtype}")
    if patch_size < 1 or image.shape[0] % patch_size or image.shape[1] % patch_size:
        raise ValueError(f"patches of {patch_size} pixels do not divide a picture of {image.shape}")
    grid = (image.shape[0] // patch_size, image.shape[1] // patch_size)
    n_patch = grid[0] * grid[1]
    if n_patch > MAX_PATCHES:
        raise ValueError(f"{n_patch} patches are more than the {MAX_PATCHES} that can be clicked")
    arrays = {"pixels": image[None]}
    high = 1.0
    if weights is not None:
        given = np.asarray(weights, np.float32)
        if given.shape != (n_patch,):
            raise ValueError(f"weights {given.shape} do not match {n_patch} patches")
        arrays["weights"] = given.reshape(1, *grid)
        high = float(given.max()) or 1.0
    header: dict[str, Any] = {
        "widget": "patch_switches",
        "weight_title": weight_title,
        "kind": "probability",
        "low": 0.0,
        "high": high,
        "grid": grid,
        "lines": True,
        "ink": True,
        "full": INK_LEVELS,
        "columns": None,
        "size": size,
        "pick": "patch",
        "gone": gone,
        "sets": {name: list(order) for name, order in sets.items()},
        "k": k,
        "chooses": {"gone": gone.name},
        "label": label,
        "takeaway": takeaway,
    }
    mount("patch_switches", key, pack(header, arrays))


def to_address(gone: Collection[int], n_patch: int) -> str:
    """Such as "16.5": of 16 patches the first and the third. The digits after the point are bits, as one hex number.

    Example:
        `to_address([0, 2], 16) == "16.5"`
    """
    return f"{n_patch}.{sum(1 << patch for patch in set(gone)):x}"


def from_address(text: str, n_patch: int) -> list[int]:
    """The hidden patches that an address tells, rising.

    Raises:
        ValueError: if it is none of these, in plain words.
    """
    count, point, bits = text.partition(".")
    is_hex = bool(bits) and len(bits) <= n_patch // 4 + 1 and all(one in "0123456789abcdef" for one in bits)
    if not point or not is_hex or not (count.isascii() and count.isdigit()):
        raise ValueError("The link's hidden patches cannot be read.")
    if count.lstrip("0") != str(n_patch):
        raise ValueError(f"The link hides patches of a picture with {count[:6]} patches; this one has {n_patch}.")
    number = int(bits, 16)
    if number >> n_patch:
        raise ValueError(f"The link hides a patch beyond the {n_patch} there are.")
    return [patch for patch in range(n_patch) if number >> patch & 1]
