"""Pictures that are written pixel by pixel, side by side, as a film; see `assets/widgets/pixels/pixel_film.js`."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute.completions import Completed
from core.ui.widgets.message import pack
from core.ui.widgets.mount import mount

MOST_PICTURES, MOST_LEVELS = 24, 16


def pixel_film(
    ids: ArrayLike,
    raw: ArrayLike,
    used: ArrayLike,
    *,
    order: ArrayLike,
    titles: Sequence[str],
    settings: str,
    key: str,
    label: str,
    takeaway: str,
    truth: ArrayLike | None = None,
    truth_title: str = "the real one",
) -> None:
    """Draw N pictures growing, and for the chosen one the levels that its newest pixel could have had.

    Nothing is committed: play, step, scrub, and the choice of picture and pixel stay in the browser.

    Args:
        ids: (N, T) levels of gray in the order of writing; the first T - M were given.
        raw: (N, M, C) the model's probability of each level for each of the M pixels that were drawn.
        used: (N, M, C) the probabilities that were drawn from; 0: cut.
        order: (T,) the number of the pixel at each place.
        titles: (N,) what stands above each finished picture.
        settings: what made `used` out of `raw`, in words.
        truth: (T,) the real picture in the order of writing, drawn first, under the name `truth_title`.

    Raises:
        ValueError: if shapes do not match, or there are too many pictures or levels.
    """
    levels, p, q, places = np.asarray(ids), np.asarray(raw, np.float32), np.asarray(used, np.float32), np.asarray(order)
    (n, n_pixel), n_drawn, n_level = levels.shape, p.shape[1], p.shape[2]
    if p.shape != q.shape or len(p) != n or n_drawn > n_pixel or len(places) != n_pixel or len(titles) != n:
        raise ValueError(
            f"pixels {levels.shape}, probabilities {p.shape} and {q.shape}, an order of {len(places)} and "
            f"{len(titles)} titles do not match"
        )
    if n > MOST_PICTURES or n_level > MOST_LEVELS:
        raise ValueError(
            f"{n} pictures of {n_level} levels are more than the {MOST_PICTURES} of {MOST_LEVELS} that can be shown"
        )
    header = {
        "widget": "pixel_film",
        "order": places.tolist(),
        "given": n_pixel - n_drawn,
        "levels": n_level,
        "titles": list(titles),
        "settings": settings,
        "truth": None if truth is None else np.asarray(truth).tolist(),
        "truth_title": truth_title,
        "label": label,
        "takeaway": takeaway,
    }
    mount("pixel_film", key, pack(header, {"ids": levels.astype(np.uint8), "raw": p, "used": q}))


def film_of(done: Completed, *, key: str) -> None:
    """The completions of a picture growing side by side, the picture itself before them."""
    picture, made, said, label = done.picture, done.made, done.answers.said.tolist(), done.picture.label
    n_drawn = made.raw.shape[1]
    pixel_film(
        made.ids,
        made.raw,
        made.used,
        order=pixel_text.order(done.order),
        titles=[str(one) if label is None else f"{one} {'✓' if one == label else '✗'}" for one in said],
        settings=done.settings,
        truth=done.truth,
        truth_title="given" if label is None else f"real: {label}",
        key=key,
        label=f"{len(said)} completions of {picture.name}" + ("" if label is None else f", a {label}"),
        takeaway=f"{len(done.truth) - n_drawn} pixels are given; {n_drawn} are written in each picture.",
    )
