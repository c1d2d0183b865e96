"""A photograph in 2 to 512 colors: what is lost, what it takes, and the row of tokens that a model would read."""

import time
from collections.abc import Iterator
from functools import cache

import numpy as np
import streamlit as st

from core.cache import memoize, read_only
from core.charts.label_counts import label_counts
from core.data import images
from core.data.images.square import square
from core.inspect.pictures import Picture
from core.rooms.pixels.compute import resize
from core.rooms.pixels.compute.color_quantization import BITS_OF_A_PIXEL, SIZES, Bits, Quantised, bits, quantised, table
from core.rooms.pixels.compute.palette import Palette, even, learn
from core.rooms.pixels.palette_picture_widget import rounded
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets.picture import ask_photograph

SIDE = 128  # pixels: enough to see what happens, few enough to learn a palette in a fraction of a second
READ = 32  # ImageGPT reads pictures of 32 x 32
PUBLISHED = 512  # its colors
OWN, BOTH, OTHER, EVEN = "own", "both", "other", "even"
LABELS = {OWN: "this picture", BOTH: "both photographs", OTHER: "another photograph", EVEN: "none, evenly spaced"}
MAX_KEPT = 40 * len(SIZES)
SECONDS = 0.3  # what takes longer is announced


def small(picture: Picture) -> Picture:
    """The picture with at most 128 pixels on a side."""
    return read_only(Picture(f"{picture.key}-{SIDE}", picture.name, resize.at_most(picture.pixels, SIDE)))


@memoize(MAX_KEPT)
def learned(picture: Picture, n_color: int, seed: int) -> Palette:
    """The palette of a (small) picture."""
    return learn(picture.pixels, n_color, seed)


@memoize(MAX_KEPT)
def in_colors(picture: Picture, source: str, n_color: int, seed: int) -> Quantised:
    """A (small) picture in the colors of one of the four palettes."""
    return quantised(picture.pixels, palette(picture, source, n_color, seed))


def palette(picture: Picture, source: str, n_color: int, seed: int) -> Palette:
    """One of the four palettes."""
    if source == EVEN:
        return even(n_color.bit_length() - 1)
    return learned({OWN: picture, BOTH: both(), OTHER: other(picture)}[source], n_color, seed)


def other(picture: Picture) -> Picture:
    """A photograph that is not this one, small."""
    return _photograph(next(one for one in images.PHOTOGRAPHS if _photograph(one) != picture))


@cache
def both() -> Picture:
    """The pixels of both photographs, small, as one picture."""
    rows = [_photograph(name).pixels.reshape(-1, 1, 3) for name in images.PHOTOGRAPHS]
    return read_only(Picture("photo-both", "both photographs", np.concatenate(rows)))


@cache
def _photograph(name: str) -> Picture:
    return small(Picture(f"photo-{name}", name, images.photograph(name)))


def curve(picture: Picture, seed: int) -> Iterator[tuple[str, int, Quantised]]:
    """The picture in all sizes of all four palettes, one after the other."""
    for source in LABELS:
        for n_color in SIZES:
            yield source, n_color, in_colors(picture, source, n_color, seed)


@exhibit(
    title="A photograph in few colors",
    look_for="how few colors a picture needs before you can't tell it from the original. A pixel of 24 **bits** "
    "(yes-or-no digits) has one of 16.8 million colors; no vocabulary is that large, so it is rounded to the nearest "
    "color of a palette.",
    try_this=[
        (
            "Go from 2 colors up to 512.",
            "With 2 it's a stencil. Where the original changes smoothly, as in the sky, few colors make bands. Each "
            "doubling adds one bit to every pixel and takes off more than a third of the error at first, later about "
            "a quarter.",
        ),
        (
            "Choose 512 colors, then each of the four palettes.",
            "All take 9 bits. The palette of both photographs comes close to the picture's own. That of the other "
            "photograph only is worse than evenly spaced colors, which know nothing: it has never seen this sky. A "
            "palette for all pictures has to be learned on many; ImageGPT's was.",
        ),
        (
            "Choose 16 colors, point at one in the palette, and go on with the arrow keys.",
            "Each color is a group of pixels, and their mean. The grouping (k-means) counts pixels: the red of the "
            "columns is less than 3% of the picture and has to make do with a brown.",
        ),
    ],
    code=(learn, Palette.to_ids, even, quantised, bits),
    formula=r"\min_{c_1 \ldots c_K} \sum_{\text{pixels } x} \min_k \lVert x - c_k \rVert^2",
)
def quantise() -> Shown | None:
    """Picture, colors, both pictures, the sum, the curve, and the tokens."""
    picture = ask_photograph("quantise")
    if picture is None:
        return None
    n_color = int(controls.segmented("quantise_colors", "Colors of the palette", list(SIZES), 16))
    left, right = st.columns([4, 1], gap="medium", vertical_alignment="bottom")
    with left:
        source = controls.segmented("quantise_from", "Palette learned on", list(LABELS), OWN, labels=LABELS)
    with right:
        seed = controls.seed(name="quantise_seed")
    shown = small(picture)
    colors = palette(shown, source, n_color, seed)
    result = in_colors(shown, source, n_color, seed)
    cost = bits(result.ids.size, len(colors))
    about = f"{picture.name} in {_colors(len(colors))}"
    rounded(
        shown.pixels,
        result.ids,
        colors.to_pixels(np.arange(len(colors))),
        key="quantise-picture",
        label=f"{about[0].upper()}{about[1:]}",
        takeaway=f"A channel is off by {result.distortion.root:.1f} of 255, root mean square.",
    )
    st.markdown(_in_words(picture, shown, colors, n_color, result, cost))
    figure = _curve(shown, n_color, seed)
    _read(picture, colors)
    return Shown(
        numbers=lambda: table(
            {title: [in_colors(shown, source, n, seed) for n in SIZES] for source, title in LABELS.items()}
        ),
        arrays=lambda: {"original": shown.pixels, "ids": result.ids, "colors": colors.colors, "counts": result.counts},
        figure=figure,
        formula=rf"24 \to \log_2 {len(colors)} = {cost.per_pixel:.3g} \text{{ bits}}, \quad "
        + rf"{result.ids.size:,} \times {cost.per_pixel:.3g} = {cost.ids:,.0f}".replace(",", "{,}"),
        script=lambda: _script(picture, other(shown), seed),
    )


def _script(picture: Picture, another: Picture, seed: int) -> str:
    return scripts.script(
        """
        import numpy as np

        from core.data import images
        from core.rooms.pixels.compute import resize
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.pixels.compute.palette import even, learn
        from core.rooms.pixels.compute.color_quantization import SIZES, quantised, table

        picture = $picture
        picture = resize.at_most(picture, $side)  # its longer side in pixels
        photographs = {name: resize.at_most(images.photograph(name), $side) for name in images.PHOTOGRAPHS}

        # Palettes of 2 to 512 colors by k-means, learned on three things; it takes some seconds.
        learned_on = {
            "this picture": picture,
            "both photographs": np.concatenate([one.reshape(-1, 1, 3) for one in photographs.values()]),
            "another photograph": photographs[$another],
        }
        found = {
            source: [quantised(picture, learn(pixels, n_color, seed=$seed)) for n_color in SIZES]
            for source, pixels in learned_on.items()
        }
        found["none, evenly spaced"] = [quantised(picture, even(n_bit)) for n_bit in range(1, 10)]
        print_table(table(found))
        """,
        picture=scripts.pixels(picture),
        side=SIDE,
        another=another.name,
        seed=seed,
    )


def _colors(n: int) -> str:
    return "1 color" if n == 1 else f"{n:,} colors"


def _in_words(picture: Picture, shown: Picture, colors: Palette, n_color: int, result: Quantised, cost: Bits) -> str:
    y, x = shown.pixels.shape[:2]
    height, width = picture.pixels.shape[:2]
    reduced = f", reduced from {width:,} × {height:,}: each pixel is the mean of those it replaces" * (x != width)
    few = f" It has only {_colors(len(colors))}." * (len(colors) < n_color)
    off = "Nothing is lost: every pixel keeps its color."
    precisely = f" (root mean square; {result.distortion.decibel:.1f} dB)" if depth.at_least("numbers") else ""
    if result.distortion.squared:
        off = f"A channel (red, green or blue) is off by **{result.distortion.root:.1f}** of 255{precisely}."
    return (
        f"{off}{few} A pixel takes **{cost.per_pixel:.3g} bits** instead of {BITS_OF_A_PIXEL}, all "
        f"{result.ids.size:,} together {cost.ids:,.0f} instead of {cost.before:,}; the palette itself takes "
        f"{len(colors):,} × {BITS_OF_A_PIXEL} = {cost.palette:,} bits, once.\n\n:small[Computed on {x} × {y} "
        f"pixels{reduced}.]"
    )


def _curve(shown: Picture, n_color: int, seed: int) -> dict[str, object]:
    """Compute all sizes, telling of it where it takes long, and draw their errors."""
    roots: dict[str, list[float]] = {source: [] for source in LABELS}
    begun, told, place = time.monotonic(), False, st.empty()
    for i, (source, _, result) in enumerate(curve(shown, seed)):
        roots[source].append(result.distortion.root)
        if told := told or time.monotonic() - begun > SECONDS:
            place.progress((i + 1) / (len(LABELS) * len(SIZES)), "Learning palettes of all sizes, just once")
    if told:
        place.empty()
    at = SIZES.index(n_color)
    least, most = (end(root for one in roots.values() for root in one if root) for end in (min, max))
    spec = label_counts(
        {"evenly spaced" if source == EVEN else f"learned on {LABELS[source]}": roots[source] for source in LABELS},
        SIZES,
        marked=n_color,
        limits=(1 if least >= 1 else 0.1, 100 if most <= 100 else 256),
        form=".3~g",
        log=True,
        height=340,
        x_title="colors of the palette",
        y_title="error (levels of 255)",
        mode=layout.color_mode(),
    )
    st.markdown("**Error of a channel by palette size** (root mean square)")
    words = ", ".join(f"{LABELS[source]} {roots[source][at]:.1f}" for source in LABELS)
    st.vega_lite_chart(spec, width="stretch", alt=f"With {n_color} colors: {words}.", key="quantise-curve")
    st.markdown(
        f"With {n_color} colors a channel is off by **{roots[OWN][at]:.1f}** with a palette learned on this picture, "
        f"by **{roots[BOTH][at]:.1f}** on both photographs, by **{roots[OTHER][at]:.1f}** on another photograph "
        f"only, and by **{roots[EVEN][at]:.1f}** with evenly spaced colors."
    )
    return spec


def _read(picture: Picture, colors: Palette) -> None:
    """The picture as ImageGPT would read it."""
    seen = square(picture.pixels, READ).transpose(1, 2, 0)
    ids = colors.to_ids(seen)
    n_token, k = ids.size, len(colors)
    rounded(
        seen,
        ids,
        colors.to_pixels(np.arange(k)),
        key="quantise-tokens",
        size=260,
        tokens=True,
        label=f"What ImageGPT would read: {READ} × {READ} pixels, {n_token:,} tokens",
        takeaway=f"The first ids are {', '.join(map(str, ids.ravel()[:8]))}.",
    )
    st.markdown(
        f"The picture's middle square is reduced to {READ} × {READ} pixels, and each becomes the id of its nearest "
        f"color: **{n_token:,} tokens and the start token**. The model reads {k:,} + 1 = {k + 1:,} different ids and "
        f"writes {k:,}, as the start token is never an answer. As published it has {PUBLISHED} colors: "
        f"{PUBLISHED + 1} ids to read, {PUBLISHED} to write. With red, green and blue as separate tokens, the same "
        f"picture would be {3 * n_token:,} tokens long."
    )
