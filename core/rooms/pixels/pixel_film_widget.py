"""Pictures that are written pixel by pixel, side by side, as a film; see `assets/widgets/pixels/pixel_film.js`."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.browser.message import pack
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute.completions import Completed
from core.ui.widgets.mount import mount


def film_of(done: Completed, *, key: str) -> None:
    """Draw the completions of a picture growing side by side, the picture itself before them.

    For the chosen one, the levels that its newest pixel could have had. Nothing is committed: play, step, scrub, and
    the choice of picture and pixel stay in the browser.
    """
    picture, made, said, label = done.picture, done.made, done.answers.said.tolist(), done.picture.label
    n_drawn, n_level = made.raw.shape[1:]
    n_given = len(done.truth) - n_drawn
    header = {
        "widget": "pixel_film",
        "order": pixel_text.order(done.order).tolist(),
        "given": n_given,
        "levels": n_level,
        "titles": [str(one) if label is None else f"{one} {'✓' if one == label else '✗'}" for one in said],
        "settings": done.settings,
        "truth": done.truth.tolist(),
        "truth_title": "given" if label is None else f"real: {label}",
        "label": f"{len(said)} completions of {picture.name}" + ("" if label is None else f", a {label}"),
        "takeaway": f"{n_given} pixels are given; {n_drawn} are written in each picture.",
    }
    arrays: dict[str, NDArray[Any]] = {"ids": made.ids.astype(np.uint8), "raw": made.raw, "used": made.used}
    mount("pixel_film", key, pack(header, arrays))
