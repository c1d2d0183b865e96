"""Complete a digit: its upper rows are given, and the model writes the rest many times, pixel by pixel."""

from dataclasses import replace
from typing import Any

from core.exhibit import memoize, seed, slider, toggle
from core.generate import filters
from core.inspect.reading.pictures import Picture, digit
from core.rooms.pixels.compute import completions, pixel_text, pixels
from core.rooms.pixels.compute.completions import Completed, Share, completed
from core.rooms.pixels.experiments import pixels as task
from core.rooms.pixels.inputs import Judged, film_of
from core.train.experiments.digit_reader import Reader
from core.train.experiments.live import Live

TRAINED, ORDER = "pixels", "raster"
ROWS, TEMPERATURE, TOP_K = 4, 0.3, 0
CODE = (completed, pixels.write, pixels.filtered, filters.temperature, filters.top_k, completions.share)


def at_default(i: "Inputs") -> bool:
    """Return whether these are the default settings, which are measured without a request."""
    return (i.rows, i.temperature, i.top_k) == (ROWS, TEMPERATURE, TOP_K)


class Inputs(Judged, prefix="fill_"):
    picture: Picture = digit("fill", 7)
    rows: int = slider("Rows given", 0, pixel_text.SIDE - 1, ROWS)
    temperature: float = slider("Temperature", 0.0, 2.0, TEMPERATURE, step=0.1)
    top_k: int = slider("Top-k", 0, max(task.LEVELS), TOP_K, help="0 keeps every level")
    seed: int = seed()
    measure: bool = toggle(
        "Measure these settings on all 360 held-out digits (a moment)", when=lambda i: not at_default(i), heading=""
    )


@memoize(64)
def share(run: Live, judge: Live, n_given: int, temperature: float, top_k: int) -> Share:
    """Complete and classify each of the 360 held-out digits once, which takes a few tenths of a second."""
    models = task.writer(run, ORDER), Reader(judge).model()
    settings: dict[str, Any] = {"seed": 0, "temperature": temperature, "top_k": top_k}
    return completions.share(*models, run.options["n_level"], ORDER, n_given, **settings)


def compute(inputs: Inputs, run: Live) -> Completed:
    """Complete the picture sixteen times and, with the default settings or on request, each held-out digit once."""
    n_given = inputs.rows * pixel_text.SIDE
    settings: dict[str, Any] = {"temperature": inputs.temperature, "top_k": inputs.top_k}
    done = completed(run, inputs.judge, inputs.picture, ORDER, n_given, seed=inputs.seed, **settings)
    if inputs.measure or at_default(inputs):
        done = replace(done, share=share(run, inputs.judge, n_given, **settings))
    return done


def draw(result: Completed, inputs: Inputs, run: Live) -> None:
    """Draw the film of the completions."""
    film_of(result, key="fill-film")
