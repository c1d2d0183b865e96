"""Pictures that are on every machine: scikit-learn's handwritten digits and its two photographs."""

import gzip
import importlib.util
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)

N_LEVEL = 17  # shades of a digit's pixel: 0 (paper) to 16 (ink)
LUMA = (0.299, 0.587, 0.114)  # how bright red, green and blue are to the eye.  Source: ITU-R BT.601
N_HELD_OUT_OF_EACH = 36  # of the 174 to 183 pictures of each digit: 360 in all
SPLIT_SEED = 0


@dataclass(frozen=True)
class DigitImages:
    """Handwritten digits (N, 8, 8), from 0, paper, to 16, full ink, row 0 on top; and their labels (N,)."""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def some(self, which: NDArray[np.int64]) -> "DigitImages":
        return DigitImages(self.pixels[which], self.labels[which])

    @property
    def shades(self) -> NDArray[np.float32]:
        """Return the digits as models read them, (N, 1, 8, 8): one channel, 0 is paper and 1 is full ink."""
        return scale_digits(self.pixels)


def scale_digits(pixels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Scale digits to the input of models: 0 is paper, 1 full ink.

    Turns (N, 8, 8) into (N, 1, 8, 8), and one digit (8, 8) into (1, 1, 8, 8).
    """
    return (pixels.reshape(-1, 1, *pixels.shape[-2:]) / np.float32(N_LEVEL - 1)).astype(np.float32)


def patch_name(patch: int, n_column: int) -> str:
    """Name a patch by row and column: row 0 is on top, column 0 on the left."""
    return LABELS("patch", row=patch // n_column, column=patch % n_column)


@cache
def load_digits() -> DigitImages:
    """Load all 1,797 digits in scikit-learn's order; read-only.

    They come from forms filled in by 43 people. Each digit was scanned as a 32 x 32 bitmap, and its points were counted
    in squares of 4 x 4.

    Source: Alpaydin and Kaynak 1998, Optical Recognition of Handwritten Digits (UCI); the part that was their test set.
    """
    with gzip.open(_sklearn() / "data" / "digits.csv.gz") as file:
        table = np.loadtxt(file, delimiter=",", dtype=np.int64)
    pixels, labels = table[:, :-1].reshape(-1, 8, 8).astype(np.uint8), table[:, -1].copy()
    pixels.flags.writeable = labels.flags.writeable = False
    return DigitImages(pixels, labels)


@cache
def digit_split_indices() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indices of the training digits and of the held-out digits; read-only, rising.

    The split is always the same, so that all models of the app are measured on the same 360 pictures, 36 of each digit,
    which none of them has seen.
    """
    rng = np.random.default_rng(SPLIT_SEED)
    labels = load_digits().labels
    draws = [rng.choice(np.flatnonzero(labels == digit), N_HELD_OUT_OF_EACH, False) for digit in range(10)]
    held = np.sort(np.concatenate(draws))
    learn = np.setdiff1d(np.arange(len(labels)), held)
    learn.flags.writeable = held.flags.writeable = False
    return learn, held


def training_digits() -> DigitImages:
    """Return the 1,437 digits that models are trained on."""
    return load_digits().some(digit_split_indices()[0])


def held_out_digits() -> DigitImages:
    """Return the 360 digits that models are measured on."""
    return load_digits().some(digit_split_indices()[1])


PHOTOGRAPHS = ("china", "flower")


@cache
def load_sample_photograph(name: str) -> NDArray[np.uint8]:
    """Load a photograph (427, 640, 3), "china", a temple, or "flower", a dahlia: RGB from 0 to 255; read-only.

    Raises ValueError if there is no such photograph.

    Source: scikit-learn's `load_sample_images`; both CC BY 2.0.
    """
    from PIL import Image

    if name not in PHOTOGRAPHS:
        raise ValueError(LABELS("no_photograph", name=repr(name), names=", ".join(PHOTOGRAPHS)))
    with Image.open(_sklearn() / "images" / f"{name}.jpg") as picture:
        pixels = np.array(picture.convert("RGB"))
    pixels.flags.writeable = False
    return pixels


def read_picture(path: str | Path) -> NDArray[np.uint8]:
    """Read a picture of your own (Y, X, 3), as the app reads an upload.

    Raises PictureRefused if it isn't a picture that can be read.
    """
    from core.data.images.picture_file import open_picture

    return open_picture(Path(path).read_bytes(), Path(path).name).pixels


def _sklearn() -> Path:
    """Find the folder of scikit-learn's data without importing scikit-learn, which takes a second."""
    spec = importlib.util.find_spec("sklearn")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(LABELS["no_sklearn"])
    return Path(spec.submodule_search_locations[0]) / "datasets"
