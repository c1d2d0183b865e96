"""A photograph in 2 to 512 colors: what is lost, what it takes, and the row of tokens that a model would read."""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data import images
from core.data.images.square import square
from core.exhibit import Inputs as Base
from core.exhibit import memoize, seed, segmented
from core.inspect.reading.pictures import Picture, any_photograph, photograph
from core.rooms.pixels.compute.palette import (
    BITS_OF_A_PIXEL,
    SIZES,
    Bits,
    Palette,
    Quantised,
    bits,
    even,
    learn,
    quantised,
)
from core.rooms.pixels.palette_picture_widget import rounded


def at_most(pixels: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """(y, x, 3) the picture (Y, X, 3) with its longer side brought to `side` pixels; a smaller one stays as it is.

    Each new pixel is the mean of those whose place it takes.
    """
    from PIL import Image

    height, width = pixels.shape[:2]
    scale = side / max(height, width)
    if scale >= 1:
        return pixels
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.array(Image.fromarray(np.ascontiguousarray(pixels)).resize(size, Image.Resampling.BOX))


SIDE = 128  # pixels: enough to see what happens, few enough to learn a palette in a fraction of a second
READ = 32  # ImageGPT reads pictures of 32 x 32
PUBLISHED = 512  # its colors
OWN, BOTH, OTHER, EVEN = "own", "both", "other", "even"
LABELS = {OWN: "this picture", BOTH: "both photographs", OTHER: "another photograph", EVEN: "none, evenly spaced"}
CODE = (learn, Palette.to_ids, even, quantised, bits)


class Inputs(Base, prefix="quantise_"):
    """A picture, and its palette."""

    picture: Picture = any_photograph("quantise")
    n_color: int = segmented("Colors of the palette", SIZES, 16, name="quantise_colors")
    source: str = segmented("Palette learned on", LABELS, OWN, name="quantise_from", heading="")
    seed: int = seed()


@dataclass(frozen=True)
class Result:
    """A picture in few colors."""

    picture: Picture  # as it is
    small: Picture  # the same with at most 128 pixels on a side
    n_color: int  # the colors that were asked for
    seed: int  # of the palettes
    chosen: Quantised  # the small picture in its palette

    @property
    def colors(self) -> Palette:
        return self.chosen.palette

    @property
    def cost(self) -> Bits:
        """Of the small picture."""
        return bits(self.chosen.ids.size, len(self.colors))

    @cached_property
    def all_sizes(self) -> dict[str, list[Quantised]]:
        """The same picture in all sizes of all four palettes; it takes some seconds, and is asked for last."""
        return {source: [in_colors(self.small, source, n, self.seed) for n in SIZES] for source in LABELS}

    @property
    def roots(self) -> dict[str, list[float]]:
        """The errors of those."""
        return {source: [one.distortion.root for one in some] for source, some in self.all_sizes.items()}

    @property
    def at(self) -> dict[str, float]:
        """The errors with as many colors as were asked for."""
        return {source: roots[SIZES.index(self.n_color)] for source, roots in self.roots.items()}

    @property
    def formula(self) -> str:
        """The bits of the picture."""
        n, per_pixel = len(self.colors), f"{self.cost.per_pixel:.3g}"
        size, ids = (f"{value:,.0f}".replace(",", "{,}") for value in (self.chosen.ids.size, self.cost.ids))
        return rf"24 \to \log_2 {n} = {per_pixel} \text{{ bits}}, \quad {size} \times {per_pixel} = {ids}"

    def table(self) -> dict[str, list[Any]]:
        """Palette by palette, size by size."""
        some = [(source, *one) for source, sized in self.all_sizes.items() for one in zip(SIZES, sized, strict=True)]
        errors = [one.distortion for *_, one in some]
        return {
            "palette learned on": [LABELS[source] for source, *_ in some],
            "colors": [n_color for _, n_color, _ in some],
            "bits per pixel": [n_color.bit_length() - 1 for _, n_color, _ in some],
            "mean squared error": [error.squared for error in errors],
            "root mean square": [error.root for error in errors],
            "peak signal to noise (dB)": [error.decibel for error in errors],
        }


def small(picture: Picture) -> Picture:
    """The picture with at most 128 pixels on a side."""
    return Picture(f"{picture.key}-{SIDE}", picture.name, at_most(picture.pixels, SIDE))


@cache
def both() -> Picture:
    """The pixels of both photographs, small, as one picture."""
    rows = [small(photograph(name)).pixels.reshape(-1, 1, 3) for name in images.PHOTOGRAPHS]
    return Picture("photo-both", "both photographs", np.concatenate(rows))


def other(picture: Picture) -> Picture:
    """A photograph that is not this one, small."""
    return next(one for one in map(small, map(photograph, images.PHOTOGRAPHS)) if one != picture)


@memoize(40 * len(SIZES))
def learned(picture: Picture, n_color: int, seed: int) -> Palette:
    """The palette of a (small) picture."""
    return learn(picture.pixels, n_color, seed)


@memoize(40 * len(SIZES))
def in_colors(picture: Picture, source: str, n_color: int, seed: int) -> Quantised:
    """A (small) picture in the colors of one of the four palettes."""
    if source == EVEN:
        return quantised(picture.pixels, even(n_color.bit_length() - 1))
    whose = picture if source == OWN else both() if source == BOTH else other(picture)
    return quantised(picture.pixels, learned(whose, n_color, seed))


def compute(inputs: Inputs) -> Result:
    """Round a picture to the colors of a palette."""
    few = small(inputs.picture)
    chosen = in_colors(few, inputs.source, inputs.n_color, inputs.seed)
    return Result(inputs.picture, few, inputs.n_color, inputs.seed, chosen)


def draw(result: Result, inputs: Inputs) -> None:
    """Both pictures, the sum, the curve, and the tokens."""
    chosen, colors, root = result.chosen, result.colors, result.chosen.distortion.root
    about = f"{result.picture.name} in {ui.plural(len(colors), 'color')}"
    palette = colors.to_pixels(np.arange(len(colors)))
    rounded(
        result.small.pixels,
        chosen.ids,
        palette,
        key="quantise-picture",
        label=f"{about[0].upper()}{about[1:]}",
        takeaway=f"A channel is off by {root:.1f} of 255, root mean square.",
    )
    (y, x), (height, width) = result.small.pixels.shape[:2], result.picture.pixels.shape[:2]
    ui.say("cost", before=BITS_OF_A_PIXEL)
    ui.say("read", side=READ, n_token=READ * READ)
    if ui.at_least("numbers"):
        k = len(colors)
        ui.say("sum", before=BITS_OF_A_PIXEL, k=k, x=x, y=y, width=width, height=height)
        _curve(result)
        _tokens(result, palette)


def _tokens(result: Result, palette: NDArray[np.uint8]) -> None:
    """The picture as a row of ids, as a model reads it."""
    seen = square(result.picture.pixels, READ).transpose(1, 2, 0)
    ids = result.colors.to_ids(seen)
    rounded(
        seen,
        ids,
        palette,
        key="quantise-tokens",
        size=260,
        tokens=True,
        label=f"What ImageGPT would read: {READ} × {READ} pixels, {ids.size:,} tokens",
        takeaway=f"The first ids are {', '.join(map(str, ids.ravel()[:8]))}.",
    )
    ui.say("vocabulary", n_token=ids.size, published=PUBLISHED)


def _curve(result: Result) -> None:
    """The errors of all sizes."""
    with ui.st.spinner("Learning palettes of all sizes, just once", show_time=False):
        roots = result.roots
    some = [root for one in roots.values() for root in one if root]
    low, high = 1 if min(some) >= 1 else 0.1, 100 if max(some) <= 100 else 256
    ui.curves(
        {"evenly spaced" if one == EVEN else f"learned on {LABELS[one]}": (SIZES, roots[one]) for one in LABELS},
        x=ui.Axis("colors of the palette", ticks=SIZES, format=",d", is_log=True),
        y=ui.Axis("error of a channel (of 255)", (low, high), is_log=True),
        at=result.n_color,
        has_dots=True,
        height=340,
    )
    ui.say("errors", off=result.at)
