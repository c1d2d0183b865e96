"""The pictures that are on every machine: scikit-learn's handwritten digits and its two photographs."""

import gzip
import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

N_LEVEL = 17  # shades of a digit's pixel: 0 (paper) to 16 (ink)
LUMA = (0.299, 0.587, 0.114)  # how bright red, green and blue are to the eye.  Source: ITU-R BT.601
N_HELD_OUT_OF_EACH = 36  # of the 174 to 183 pictures of each digit: 360 in all
SPLIT_SEED = 0


@dataclass(frozen=True)
class Digits:
    """(N, 8, 8) handwritten digits, from 0, paper, to 16, full ink, row 0 on top; and which digit each is."""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def some(self, which: NDArray[np.int64]) -> "Digits":
        return Digits(self.pixels[which], self.labels[which])

    @property
    def shades(self) -> NDArray[np.float32]:
        """(N, 1, 8, 8) as models read them: one channel, 0 is paper and 1 is full ink."""
        return shades(self.pixels)


def shades(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """(N, 1, 8, 8) digits (N, 8, 8), or (1, 1, 8, 8) one digit (8, 8), as models read them: 0 is paper, 1 full ink."""
    return (pixels.reshape(-1, 1, *pixels.shape[-2:]) / np.float32(N_LEVEL - 1)).astype(np.float32)


def patch_name(patch: int, n_column: int) -> str:
    """A patch in words: row 0 is on top, column 0 on the left."""
    return f"row {patch // n_column}, column {patch % n_column}"


@cache
def digits() -> Digits:
    """All 1,797 digits, in the order in which scikit-learn has them; read-only.

    Forms filled in by 43 people, scanned, and each 32 x 32 bitmap counted in squares of 4 x 4.

    Source: Alpaydin and Kaynak 1998, Optical Recognition of Handwritten Digits (UCI); the part that was their test set.
    """
    with gzip.open(_sklearn() / "data" / "digits.csv.gz") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.int64)
    pixels, labels = table[:, :-1].reshape(-1, 8, 8).astype(np.uint8), table[:, -1].copy()
    pixels.flags.writeable = labels.flags.writeable = False
    return Digits(pixels, labels)


@cache
def split() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(to learn from, held out): numbers of digits. Always the same, so that all models of the app are measured on the
    same 360 pictures, 36 of each digit, which none of them has seen; read-only, rising."""
    rng = np.random.default_rng(SPLIT_SEED)
    labels = digits().labels
    draws = [rng.choice(np.flatnonzero(labels == digit), N_HELD_OUT_OF_EACH, False) for digit in range(10)]
    held = np.sort(np.concatenate(draws))
    learn = np.setdiff1d(np.arange(len(labels)), held)
    learn.flags.writeable = held.flags.writeable = False
    return learn, held


def to_learn() -> Digits:
    """The 1,437 digits that models learn from."""
    return digits().some(split()[0])


def held_out() -> Digits:
    """The 360 digits that models are measured on."""
    return digits().some(split()[1])


PHOTOGRAPHS = ("china", "flower")


@cache
def photograph(name: str) -> NDArray[np.uint8]:
    """(427, 640, 3) "china", a temple, or "flower", a dahlia: red, green and blue from 0 to 255; read-only.

    Raises ValueError if there is no such photograph.

    Source: scikit-learn's `load_sample_images`; both CC BY 2.0.
    """
    from PIL import Image

    if name not in PHOTOGRAPHS:
        raise ValueError(f"there is no photograph {name!r:.40}; there are {', '.join(PHOTOGRAPHS)}")
    with Image.open(_sklearn() / "images" / f"{name}.jpg") as picture:
        pixels = np.array(picture.convert("RGB"))
    pixels.flags.writeable = False
    return pixels


def from_file(path: str | Path) -> NDArray[np.uint8]:
    """(Y, X, 3) a picture of one's own, as the app reads what is uploaded.

    Raises PictureRefused, in plain words, if it is no picture that can be read.
    """
    from core.data.images.picture_file import open_picture

    return open_picture(Path(path).read_bytes(), Path(path).name).pixels


def _sklearn() -> Path:
    """The folder of scikit-learn's data, found without importing scikit-learn, which takes a second."""
    spec = importlib.util.find_spec("sklearn")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("scikit-learn, whose pictures are used, is not installed")
    return Path(spec.submodule_search_locations[0]) / "datasets"
