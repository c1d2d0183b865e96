"""Pictures as inputs of exhibits: a held-out digit, a drawing, a photograph or a file, and controls to choose one.

held_out_digit(7).shades        # (1, 1, 8, 8)
load_photograph("china").pixels      # (427, 640, 3)
"""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data import images
from core.data.images import digit_pixels
from core.data.localization.labels import module_labels
from core.exhibit import custom_control

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class InputPicture:
    """A picture that can be the key of a cached result: two are equal if their pixels are.

    pixels: a digit (8, 8) from 0 (paper) to 16 (ink), or a photograph (Y, X, 3). Read-only.
    """

    key: str  # a digest of the pixels
    name: str = field(compare=False)  # on screen, plain text
    pixels: NDArray[np.uint8] = field(compare=False, repr=False)
    label: int | None = field(compare=False, default=None)  # the digit, if known
    code: str = field(compare=False, repr=False, default="")  # the Python call that creates it

    def __post_init__(self) -> None:
        self.pixels.flags.writeable = False

    @property
    def shades(self) -> NDArray[np.float32]:
        """Return a digit as models read it, (1, 1, 8, 8): 0 is paper, 1 is full ink."""
        return images.scale_digits(self.pixels)

    @property
    def is_digit(self) -> bool:
        """True if it is a digit of 8 x 8 pixels, not a photograph."""
        return self.pixels.ndim == 2


def held_out_digit(number: int) -> InputPicture:
    """Return one of the digits that no model here was trained on, 0 to 359."""
    held = images.held_out_digits()
    code = f"input_pictures.held_out_digit({number})"
    return InputPicture(
        f"held-{number}", LABELS("held_out_digit", number=number), held.pixels[number], int(held.labels[number]), code
    )


def decode_drawing(symbols: str, name: str = LABELS["drawing"]) -> InputPicture:
    """Decode the user's own digit from the address: 64 symbols, row by row, from 0 (paper) to g (ink)."""
    return InputPicture(
        f"own-{symbols}", name, digit_pixels.decode_digit(symbols), code=f'input_pictures.decode_drawing("{symbols}")'
    )


def load_photograph(name: str) -> InputPicture:
    """Return one of `images.PHOTOGRAPHS`."""
    code = f'input_pictures.load_photograph("{name}")'
    return InputPicture(
        f"photo-{name}", LABELS("photograph", name=name), images.load_sample_photograph(name), code=code
    )


def picture_from_file(path: str | Path) -> InputPicture:
    """Read the user's own picture from a file, as the app reads an upload. Raises PictureRefused."""
    pixels = images.read_picture(path)
    return InputPicture(
        hashlib.sha256(pixels.tobytes()).hexdigest()[:12], LABELS("your_picture", name=Path(path).name), pixels
    )


def digit_control(prefix: str, number: int = 0, label: str = LABELS["look_at"]) -> Any:
    """Create an input of `core.exhibit`: a held-out digit (0 to 359), a drawing, or an upload scaled to 8 x 8.

    prefix: of its controls' names, unique on the page; label: above the choice, for an exhibit with two such inputs.
    """
    default = lambda _: held_out_digit(number)  # noqa: E731
    return custom_control(
        "core.ui.widgets.picture_inputs:pick_digit", default, prefix=prefix, number=number, label=label
    )


def photograph_control(prefix: str, name: str = "china") -> Any:
    """Create an input: one of `images.PHOTOGRAPHS`, or an upload; its controls' names begin with `prefix`."""
    return custom_control(
        "core.ui.widgets.picture_inputs:pick_photograph", lambda _: load_photograph(name), prefix=prefix, name=name
    )
