"""A photograph in 2 to 512 colors: what is lost, what it takes, and the row of tokens that a model would read."""

from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data import images
from core.data.images.square import square
from core.exhibit import Inputs as Base
from core.exhibit import Result, memoize, seed, segmented
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
from core.rooms.pixels.palette_picture import draw_rounded


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
    picture: Picture = any_photograph("quantise")
    n_color: int = segmented("Colors of the palette", SIZES, 16, name="quantise_colors")
    source: str = segmented("Palette learned on", LABELS, OWN, name="quantise_from", heading="")
    seed: int = seed()


class FewColors(Result):
    """A picture in few colors."""

    picture: Picture  # as it is
    small: Picture  # the same with at most 128 pixels on a side
    n_color: int  # the colors that were asked for
    seed: int  # of the palettes
    chosen: Quantised  # the small picture in its palette
    colors: Palette
    cost: Bits  # of the small picture
    formula: str

    @cached_property
    def all_sizes(self) -> dict[str, list[Quantised]]:
        """The same picture in all sizes of all four palettes; it takes some seconds, and is asked for last."""
        return {source: [in_colors(self.small, source, n, self.seed) for n in SIZES] for source in LABELS}

    @property
    def roots(self) -> dict[str, list[float]]:
        """The errors of those."""
        return {source: [one.distortion.root for one in some] for source, some in self.all_sizes.items()}

    @property
    def off(self) -> dict[str, float]:
        """The errors with as many colors as were asked for."""
        return {source: roots[SIZES.index(self.n_color)] for source, roots in self.roots.items()}

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


def compute(inputs: Inputs) -> FewColors:
    """Round a picture to the colors of a palette."""
    few = small(inputs.picture)
    chosen = in_colors(few, inputs.source, inputs.n_color, inputs.seed)
    n = len(chosen.palette)
    cost = bits(chosen.ids.size, n)
    size, total = (f"{value:,.0f}".replace(",", "{,}") for value in (chosen.ids.size, cost.ids))
    per_pixel = f"{cost.per_pixel:.3g}"
    return FewColors(
        picture=inputs.picture,
        small=few,
        n_color=inputs.n_color,
        seed=inputs.seed,
        chosen=chosen,
        colors=chosen.palette,
        cost=cost,
        formula=rf"24 \to \log_2 {n} = {per_pixel} \text{{ bits}}, \quad {size} \times {per_pixel} = {total}",
    )


def draw(result: FewColors, inputs: Inputs) -> None:
    """Both pictures, the curve, and the tokens."""
    chosen, colors = result.chosen, result.colors
    about = f"{result.picture.name} in {ui.plural(len(colors), 'color')}"
    palette = colors.to_pixels(np.arange(len(colors)))
    draw_rounded(
        result.small.pixels,
        chosen.ids,
        palette,
        key="quantise-picture",
        label=f"{about[0].upper()}{about[1:]}",
        takeaway=f"A channel is off by {chosen.distortion.root:.1f} of 255, root mean square.",
    )
    (y, x), (height, width) = result.small.pixels.shape[:2], result.picture.pixels.shape[:2]
    ui.facts(
        before=BITS_OF_A_PIXEL,
        side=READ,
        n_token=READ * READ,
        k=len(colors),
        published=PUBLISHED,
        **{"x": x, "y": y, "width": width, "height": height},
    )
    if ui.at_least("numbers"):
        _curve(result)
        _tokens(result, palette)


def _tokens(result: FewColors, palette: NDArray[np.uint8]) -> None:
    """The picture as a row of ids, as a model reads it."""
    seen = square(result.picture.pixels, READ).transpose(1, 2, 0)
    ids = result.colors.to_ids(seen)
    draw_rounded(
        seen,
        ids,
        palette,
        key="quantise-tokens",
        size=260,
        tokens=True,
        label=f"What ImageGPT would read: {READ} × {READ} pixels, {ids.size:,} tokens",
        takeaway=f"The first ids are {', '.join(map(str, ids.ravel()[:8]))}.",
    )


def _curve(result: FewColors) -> None:
    """The errors of all sizes."""
    with ui.st.spinner("Learning palettes of all sizes, just once", show_time=False):
        roots = result.roots
    some = [root for one in roots.values() for root in one if root]
    limits = (1 if min(some) >= 1 else 0.1, 100 if max(some) <= 100 else 256)
    names = {source: "evenly spaced" if source == EVEN else f"learned on {name}" for source, name in LABELS.items()}
    ui.curves(
        {name: (SIZES, roots[source]) for source, name in names.items()},
        x=ui.Axis("colors of the palette", ticks=SIZES, format=",d", is_log=True),
        y=ui.Axis("error of a channel (of 255)", limits, is_log=True),
        at=result.n_color,
        has_dots=True,
    )
