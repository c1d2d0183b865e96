"""A photograph in 2 to 512 colors: the loss, the size, and the row of tokens that a model would read.

A pixel of 24 bits is one of 16.8 million colors, far too many for a vocabulary. Rounded to a palette of 512 it takes 9
bits, and one pixel is one token. Shades of gray are colors with a single channel.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data import images
from core.data.images import LUMA
from core.data.images.center_square import center_square
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, memoize, seed, segmented_control
from core.inspect.model_inputs.input_pictures import InputPicture, load_photograph, photograph_control

LABELS = module_labels(__name__)

N_ROUND = 50  # iterations of Lloyd's algorithm at most: later ones gain less than a percent
N_START, FEW = 4, 16  # with up to 16 colors a bad initialization can end badly, so the best of four is taken
STOPS_BELOW = 1e-3  # k-means stops when the colors move by less than this share of the pixels' variance
PEAK = 255.0
PALETTE_SIZES = tuple(2**n for n in range(1, 10))  # colors
BITS_OF_A_PIXEL = 24  # eight for each of red, green and blue


@dataclass(frozen=True)
class Palette:
    """The colors that a picture may have; a color's row is its id."""

    colors: NDArray[np.float32]  # (K, C) float32, from dark to light; C = 3 for red, green and blue, 1 for gray

    def __len__(self) -> int:
        return len(self.colors)

    def to_ids(self, pixels: NDArray[np.generic]) -> NDArray[np.int64]:
        """Return (...) the id of the nearest color of each pixel (..., C) by squared distance; of equals the first.

        Raises:
            ValueError: if pixels and colors have different numbers of channels.
        """
        # Imported here because the import takes a second.
        from sklearn.metrics import pairwise_distances_argmin  # type: ignore[import-untyped]

        nearest: NDArray[np.int64] = pairwise_distances_argmin(_rows(pixels, self.colors.shape[1]), self.colors)
        return nearest.reshape(np.shape(pixels)[:-1])

    def to_pixels(self, ids: NDArray[np.integer]) -> NDArray[np.uint8]:
        """Return (..., C) the colors of ids (...), rounded to whole numbers for the screen."""
        return np.clip(np.rint(self.colors), 0, PEAK).astype(np.uint8)[ids]


def learn_palette(pixels: NDArray[np.generic], n_color: int, seed: int = 0) -> Palette:
    """Learn a palette of `n_color` colors with a small squared distance to the pixels: k-means in color space.

    Args:
        pixels: (..., C) numbers from 0 to 255, or any other scale.
        n_color: number of colors; if there are fewer distinct pixels, each becomes a color.

    Raises:
        ValueError: if there are no pixels or n_color is below 1.

    Source: Chen et al. 2020, Generative Pretraining from Pixels, section 3.2 (k-means with 512 colors in RGB);
    computed by scikit-learn (Lloyd 1982, initialized by k-means++, Arthur and Vassilvitskii 2007).
    """
    flat = _rows(pixels, np.shape(pixels)[-1])
    if n_color < 1 or not len(flat):
        raise ValueError(f"{n_color} colors cannot be learned from {len(flat)} pixels; both must be at least 1")
    from sklearn.cluster import KMeans  # type: ignore[import-untyped]
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    colors, count = np.unique(flat, axis=0, return_counts=True)
    if len(colors) > n_color:
        starts = N_START if n_color <= FEW else 1
        means = KMeans(n_color, n_init=starts, max_iter=N_ROUND, tol=STOPS_BELOW, random_state=seed)
        with threadpool_limits(1, user_api="openmp"):  # sums in a fixed order, so a seed gives one palette
            colors = means.fit(colors, sample_weight=count).cluster_centers_
    return Palette(_dark_to_light(colors))


def even_palette(n_bit: int) -> Palette:
    """Return a palette of 2^n_bit evenly spaced colors that knows no picture; bits go to green, red, blue in rotation.

    Nine bits are 8 x 8 x 8 colors; eight are the old 3-3-2, 8 of red, 8 of green and 4 of blue. Each color is in the
    middle of its cell.
    """
    green, red, blue = ((n_bit + more) // 3 for more in (2, 1, 0))
    axes = [(np.arange(2**bits) + 0.5) * (PEAK + 1) / 2**bits - 0.5 for bits in (red, green, blue)]
    return Palette(_dark_to_light(np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3).astype(np.float32)))


class Distortion(NamedTuple):
    """The error of a rounded picture."""

    squared: float  # mean over all pixels and channels of the squared difference
    root: float  # its root, in levels of 0 to 255
    decibel: float  # 20 log10(255 / root), the peak signal-to-noise ratio; inf where nothing differs


def measure_distortion(pixels: NDArray[np.generic], rounded: NDArray[np.generic]) -> Distortion:
    """Return the error of one picture relative to another of the same shape, levels from 0 to 255.

    Raises:
        ValueError: if the shapes differ.
    """
    if np.shape(pixels) != np.shape(rounded):
        raise ValueError(f"pictures of shapes {np.shape(pixels)} and {np.shape(rounded)} cannot be compared")
    squared = float(np.mean((np.asarray(pixels, np.float64) - np.asarray(rounded, np.float64)) ** 2))
    root = squared**0.5
    return Distortion(squared, root, float(20 * np.log10(PEAK / root)) if root else float("inf"))


class QuantizedPicture(NamedTuple):
    """A picture in the colors of a palette."""

    palette: Palette  # of K colors
    ids: NDArray[np.int64]  # (Y, X) the color of each pixel
    pixels: NDArray[np.uint8]  # (Y, X, 3) uint8, these colors
    counts: NDArray[np.int64]  # (K,) pixels of each color
    distortion: Distortion  # relative to the original picture


def quantize_picture(pixels: NDArray[np.uint8], palette: Palette) -> QuantizedPicture:
    """Round a picture (Y, X, 3) to the nearest colors of a palette."""
    ids = palette.to_ids(pixels)
    rounded, counts = palette.to_pixels(ids), np.bincount(ids.ravel(), minlength=len(palette))
    return QuantizedPicture(palette, ids, rounded, counts, measure_distortion(pixels, rounded))


class PictureBits(NamedTuple):
    """The storage that a picture takes, in bits."""

    per_pixel: float  # log2 of the number of colors
    ids: float  # all pixels together
    palette: int  # the colors themselves, written once
    before: int  # all pixels at 24 bits each


def count_picture_bits(n_pixel: int, n_color: int) -> PictureBits:
    """Count the bits of n_pixel pixels in n_color colors, assuming uniform colors."""
    per_pixel = math.log2(n_color)
    return PictureBits(per_pixel, n_pixel * per_pixel, n_color * BITS_OF_A_PIXEL, n_pixel * BITS_OF_A_PIXEL)


def _rows(pixels: NDArray[np.generic], n_channel: int) -> NDArray[np.float32]:
    """Return (N, C) rows from pixels (..., C)."""
    array = np.asarray(pixels, np.float32)
    if array.ndim < 2 or array.shape[-1] != n_channel:
        raise ValueError(f"pixels of shape {array.shape} have not {n_channel} channels, as the colors have")
    return array.reshape(-1, n_channel)


def _dark_to_light(colors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Sort colors by brightness."""
    light = colors @ np.array(LUMA, np.float32) if colors.shape[1] == 3 else colors.sum(1)
    return np.ascontiguousarray(colors[np.argsort(light, kind="stable")])


def shrink_picture(pixels: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Scale a picture (Y, X, 3) to (y, x, 3), its longer side having `side` pixels; smaller pictures are unchanged.

    Each new pixel is the mean of the pixels it replaces.
    """
    from PIL import Image

    height, width = pixels.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return pixels
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.array(Image.fromarray(np.ascontiguousarray(pixels)).resize(size, Image.Resampling.BOX))


MAX_SIDE = 128  # pixels: enough to see the effect, few enough to learn a palette in a fraction of a second
IMAGE_GPT_SIDE = 32  # ImageGPT reads pictures of 32 x 32
IMAGE_GPT_COLORS = 512  # number of colors in the paper
OWN, BOTH, OTHER, EVEN = "own", "both", "other", "even"
PALETTE_LABELS = {
    OWN: LABELS["palette.own"],
    BOTH: LABELS["palette.both"],
    OTHER: LABELS["palette.other"],
    EVEN: LABELS["palette.even"],
}
PALETTE_CURVES = {
    OWN: LABELS["curve.own"],
    BOTH: LABELS["curve.both"],
    OTHER: LABELS["curve.other"],
    EVEN: LABELS["curve.even"],
}
CODE = (learn_palette, Palette.to_ids, even_palette, quantize_picture, count_picture_bits)


class Inputs(Base, prefix="quantise_"):
    picture: InputPicture = photograph_control("quantise")
    n_color: int = segmented_control(PALETTE_SIZES, 16, name="quantise_colors")
    source: str = segmented_control(PALETTE_LABELS, OWN, name="quantise_from", heading="")
    seed: int = seed()


class FewColors(Result):
    """A picture in few colors."""

    picture: InputPicture  # the original
    small: InputPicture  # the same with at most 128 pixels on a side
    n_color: int  # number of colors requested
    seed: int  # of the palettes
    chosen: QuantizedPicture  # the small picture in its palette
    colors: Palette
    cost: PictureBits  # of the small picture
    formula: str

    @cached_property
    def all_sizes(self) -> dict[str, list[QuantizedPicture]]:
        """The same picture in all sizes of all four palettes; it takes a few seconds and is computed on demand."""
        return {
            source: [_recolor_picture(self.small, source, n, self.seed) for n in PALETTE_SIZES]
            for source in PALETTE_LABELS
        }

    @property
    def roots(self) -> dict[str, list[float]]:
        """The root-mean-square errors of those pictures."""
        return {source: [one.distortion.root for one in some] for source, some in self.all_sizes.items()}

    @property
    def off(self) -> dict[str, float]:
        """The errors with the requested number of colors."""
        return {source: roots[PALETTE_SIZES.index(self.n_color)] for source, roots in self.roots.items()}

    def table(self) -> Table:
        """Return one row per palette and size."""
        some = [
            (source, *one) for source, sized in self.all_sizes.items() for one in zip(PALETTE_SIZES, sized, strict=True)
        ]
        errors = [one.distortion for *_, one in some]
        return {
            LABELS["table.palette_learned_on"]: [PALETTE_LABELS[source] for source, *_ in some],
            LABELS["table.colors"]: [n_color for _, n_color, _ in some],
            LABELS["table.bits_per_pixel"]: [n_color.bit_length() - 1 for _, n_color, _ in some],
            LABELS["table.mean_squared_error"]: [error.squared for error in errors],
            LABELS["table.root_mean_square"]: [error.root for error in errors],
            LABELS["table.peak_signal_to_noise_db"]: [error.decibel for error in errors],
        }


def _small_picture(picture: InputPicture) -> InputPicture:
    """Return the picture with at most 128 pixels on a side."""
    return InputPicture(f"{picture.key}-{MAX_SIDE}", picture.name, shrink_picture(picture.pixels, MAX_SIDE))


@cache
def _both_photographs() -> InputPicture:
    """Return the pixels of both photographs, small, as one picture."""
    rows = [_small_picture(load_photograph(name)).pixels.reshape(-1, 1, 3) for name in images.PHOTOGRAPHS]
    return InputPicture("photo-both", LABELS["both_photographs"], np.concatenate(rows))


def _other_photograph(picture: InputPicture) -> InputPicture:
    """Return a small photograph other than this one."""
    return next(one for one in map(_small_picture, map(load_photograph, images.PHOTOGRAPHS)) if one != picture)


@memoize(40 * len(PALETTE_SIZES))
def _cached_palette(picture: InputPicture, n_color: int, seed: int) -> Palette:
    """Learn the palette of a (small) picture."""
    return learn_palette(picture.pixels, n_color, seed)


@memoize(40 * len(PALETTE_SIZES))
def _recolor_picture(picture: InputPicture, source: str, n_color: int, seed: int) -> QuantizedPicture:
    """Return a (small) picture in the colors of one of the four palettes."""
    if source == EVEN:
        return quantize_picture(picture.pixels, even_palette(n_color.bit_length() - 1))
    whose = picture if source == OWN else _both_photographs() if source == BOTH else _other_photograph(picture)
    return quantize_picture(picture.pixels, _cached_palette(whose, n_color, seed))


def compute(inputs: Inputs) -> FewColors:
    """Round a picture to the colors of a palette."""
    few = _small_picture(inputs.picture)
    chosen = _recolor_picture(few, inputs.source, inputs.n_color, inputs.seed)
    n = len(chosen.palette)
    cost = count_picture_bits(chosen.ids.size, n)
    size, total = (f"{value:,.0f}".replace(",", "{,}") for value in (chosen.ids.size, cost.ids))
    per_pixel, bits = f"{cost.per_pixel:.3g}", LABELS["formula.bits"]
    return FewColors(
        picture=inputs.picture,
        small=few,
        n_color=inputs.n_color,
        seed=inputs.seed,
        chosen=chosen,
        colors=chosen.palette,
        cost=cost,
        formula=rf"24 \to \log_2 {n} = {per_pixel} \text{{ {bits}}}, \quad {size} \times {per_pixel} = {total}",
    )


def draw(result: FewColors, inputs: Inputs) -> None:
    """Draw both pictures, the curve, and the tokens."""
    chosen, colors = result.chosen, result.colors
    about = LABELS("recolored", name=result.picture.name, n=len(colors))
    palette = colors.to_pixels(np.arange(len(colors)))
    ui.mount_widget(
        "rounded",
        original=result.small.pixels,
        ids=chosen.ids,
        colors=palette,
        size=None,
        tokens=False,
        key="quantise-picture",
        label=LABELS.capitalize(about),
        takeaway=LABELS("error_takeaway", error=chosen.distortion.root),
    )
    (y, x), (height, width) = result.small.pixels.shape[:2], result.picture.pixels.shape[:2]
    ui.add_template_values(
        before=BITS_OF_A_PIXEL,
        side=IMAGE_GPT_SIDE,
        n_token=IMAGE_GPT_SIDE * IMAGE_GPT_SIDE,
        k=len(colors),
        published=IMAGE_GPT_COLORS,
        **{"x": x, "y": y, "width": width, "height": height},
    )
    if ui.depth_at_least("numbers"):
        _curve(result)
        _tokens(result, palette)


def _tokens(result: FewColors, palette: NDArray[np.uint8]) -> None:
    """Draw the picture as a row of ids, as a model reads it."""
    seen = center_square(result.picture.pixels, IMAGE_GPT_SIDE).transpose(1, 2, 0)
    ids = result.colors.to_ids(seen)
    ui.mount_widget(
        "rounded",
        original=seen,
        ids=ids,
        colors=palette,
        key="quantise-tokens",
        size=260,
        tokens=True,
        label=LABELS("tokens", side=IMAGE_GPT_SIDE, n_token=ids.size),
        takeaway=LABELS("tokens_takeaway", ids=", ".join(map(str, ids.ravel()[:8]))),
    )


def _curve(result: FewColors) -> None:
    """Draw the errors of all sizes."""
    with ui.st.spinner(LABELS["learning"], show_time=False):
        roots = result.roots
    some = [root for one in roots.values() for root in one if root]
    limits = (1 if min(some) >= 1 else 0.1, 100 if max(some) <= 100 else 256)
    ui.curves(
        {name: (PALETTE_SIZES, roots[source]) for source, name in PALETTE_CURVES.items()},
        x=ui.Axis(LABELS["colors_axis"], ticks=PALETTE_SIZES, format=",d", is_log=True),
        y=ui.Axis(LABELS["error_axis"], limits, is_log=True),
        at=result.n_color,
        has_dots=True,
    )
