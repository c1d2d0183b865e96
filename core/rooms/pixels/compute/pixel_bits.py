"""Bits per pixel: the cost of encoding unseen pictures with a model, compared with counting models.

All of them predict the same 64 pixels of the same pictures one after another. The bits of a picture are therefore
-log2 of the probability of the whole picture in any order, by the chain rule.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.exhibit import memoize
from core.models.ngram import NGram
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute.pixel_generation import bits_per_pixel
from core.rooms.pixels.compute.pixel_text import digit_sequences
from core.rooms.pixels.experiments import pixels as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

NGRAM_ORDERS = tuple(
    range(1, 11)
)  # with 9 a pixel sees the one above it, 8 positions back; with 10 also the one before it
SMOOTHINGS = ("laplace", "lidstone", "interpolated", "kneser_ney")
SMOOTHING_TITLES = {
    "laplace": LABELS["smoothing.laplace"],
    "lidstone": LABELS["smoothing.lidstone"],
    "interpolated": LABELS["smoothing.interpolated"],
    "kneser_ney": LABELS["smoothing.kneser_ney"],
}
PSEUDOCOUNT = 0.1  # added to each count of the table by position
BitsArray = NDArray[np.float64]


@memoize(64)
def model_pixel_bits(run: ExperimentRun, order: str) -> BitsArray:
    """Return (360, 64) the trained ImageGPT's bits for each pixel of the held-out digits, in the order of writing."""
    held = digit_sequences(run.options["n_level"], order)[1]
    found: BitsArray = bits_per_pixel(task.trained_pixel_model(run, order), held).double().numpy()
    return found


def ngram_pixel_bits(n: int, smoothing: str, n_level: int, order: str) -> BitsArray:
    """Return (360, 64) the bits of an n-gram model fitted to the training digits, which sees n - 1 earlier pixels.

    A start token precedes each picture, as for the model; its own bits are not counted.

    Args:
        smoothing: one of `SMOOTHINGS`; Kneser-Ney's lowest level is mixed with the uniform distribution.
    """
    model, held = _counted(n, smoothing, n_level, order)
    *_, highest = model.evidence(held)
    return _to_bits(highest.p)


@cache
def compare_ngram_bits(n_level: int, order: str) -> BitsArray:
    """Return (smoothings, orders) the bits per pixel of each n-gram model on the held-out digits."""
    found = np.array([_means(one, n_level, order) for one in SMOOTHINGS])
    found.flags.writeable = False
    return found


def _means(smoothing: str, n_level: int, order: str) -> list[float]:
    """Return the bits per pixel for each n. A longer n-gram contains all shorter ones as levels, so one fit is enough.

    Kneser-Ney is an exception: its lower levels count continuations, not occurrences.
    """
    if smoothing == "kneser_ney":
        return [float(ngram_pixel_bits(n, smoothing, n_level, order).mean()) for n in NGRAM_ORDERS]
    model, held = _counted(max(NGRAM_ORDERS), smoothing, n_level, order)
    levels = [level.p for level in model.evidence(held)]
    return [float(_to_bits(levels[n - 1]).mean()) for n in NGRAM_ORDERS]


def _counted(n: int, smoothing: str, n_level: int, order: str) -> tuple[NGram, NDArray[np.int64]]:
    """Return the fitted n-gram model and the held-out pictures in one row, each after a start token."""
    learn, held = (
        np.pad(ids.numpy(), ((0, 0), (1, 0)), constant_values=n_level) for ids in digit_sequences(n_level, order)
    )
    options = {"uniform": True} if smoothing == "kneser_ney" else {}
    model = NGram(n, n_level + 1, smoothing, **options).fit(learn.ravel())  # type: ignore[arg-type]  # a Literal
    return model, held.ravel()


def _to_bits(p: NDArray[np.float64]) -> BitsArray:
    """Return (360, 64) -log2 of the probabilities of all tokens in one row, without the start tokens."""
    return np.asarray(-np.log2(p).reshape(-1, pixel_text.N_PIXEL + 1)[:, 1:])


def best_ngram_name(n_level: int, order: str) -> str:
    """Return the name of the n-gram model with the fewest bits."""
    smoothing, n = np.unravel_index(
        int(compare_ngram_bits(n_level, order).argmin()), (len(SMOOTHINGS), len(NGRAM_ORDERS))
    )
    return LABELS("best_ngram", n=NGRAM_ORDERS[n], smoothing=SMOOTHING_TITLES[SMOOTHINGS[smoothing]])


@cache
def position_table_bits(n_level: int) -> BitsArray:
    """Return (360, 64) the bits of a table that knows only a pixel's position: the frequency of each level there."""
    learn, held = (ids.numpy() for ids in digit_sequences(n_level, "raster"))
    counts = np.stack([np.bincount(column, minlength=n_level) for column in learn.T]) + PSEUDOCOUNT  # (64, levels)
    p = counts / counts.sum(1, keepdims=True)
    found = -np.log2(p[np.arange(held.shape[1]), held])
    found.flags.writeable = False
    return found


def mean_bits_map(of_pixels: BitsArray, order: str) -> BitsArray:
    """Return (8, 8) the mean bits of each pixel at its place in the picture, from (N, 64) in the order of writing."""
    found = np.empty(of_pixels.shape[1])
    found[pixel_text.pixel_order(order)] = of_pixels.mean(0)
    return found.reshape(pixel_text.DIGIT_SIDE, pixel_text.DIGIT_SIDE)
