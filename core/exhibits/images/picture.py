"""Which digit, and which photograph, an exhibit looks at: one that is here, one's own drawing, or an upload."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.data import images
from core.ui import controls

N_OFFERED = len(images.split()[1])


@dataclass(frozen=True)
class Picture:
    """A picture that can be the key of a result: two are equal where their pixels are.

    Attributes:
        key: a digest of the pixels.
        name: what it is called on screen, plain text.
        pixels: a digit: (8, 8) uint8 from 0, paper, to 16, ink. A photograph: (Y, X, 3) uint8. Read-only.
        label: which digit it is, where that is known.
    """

    key: str
    name: str = field(compare=False)
    pixels: NDArray[np.uint8] = field(compare=False, repr=False)
    label: int | None = field(compare=False, default=None)

    @property
    def shades(self) -> NDArray[np.float32]:
        """(1, 1, 8, 8) a digit as models read it: 0 is paper, 1 is full ink."""
        return (self.pixels[None, None] / np.float32(images.N_LEVEL - 1)).astype(np.float32)


def ask_digit(prefix: str, default: int = 0) -> Picture | None:
    """Ask for a digit: a held-out one, a drawing, or an upload brought to 8 x 8.

    Args:
        prefix: of the names of its controls, unique on the page.
        default: the number of the held-out digit (0 to 359) that is shown first.

    Returns:
        The picture, or None, after plain words, while there is none.
    """
    number = int(controls.slider(f"{prefix}_digit", "Held-out digit", 0, N_OFFERED - 1, default))
    held = images.held_out()
    return Picture(f"held-{number}", f"held-out digit {number}", held.pixels[number], int(held.labels[number]))


def ask_photograph(prefix: str, default: str = "china") -> Picture | None:
    """Ask for a picture in color: a photograph that is here, or an upload.

    Args:
        prefix: of the names of its controls, unique on the page.
        default: of `images.PHOTOGRAPHS`.

    Returns:
        The picture, at most 1,024 pixels in either direction, or None, after plain words, while there is none.
    """
    name = controls.segmented(f"{prefix}_photo", "Photograph", list(images.PHOTOGRAPHS), default)
    return Picture(f"photo-{name}", f"photograph “{name}”", images.photograph(name))
