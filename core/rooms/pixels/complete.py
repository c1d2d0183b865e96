"""Complete a digit: its upper rows are given, and the model writes the rest many times, pixel by pixel."""

from dataclasses import replace
from typing import Any

import numpy as np

from core import ui
from core.exhibit import memoize, seed, slider, toggle
from core.generate import filters
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.rooms.pixels.compute import completions, pixel_generation, pixel_text
from core.rooms.pixels.compute.completions import CompletedPicture, CompletionAccuracy, complete_picture
from core.rooms.pixels.experiments import pixels as task
from core.rooms.pixels.inputs import ClassifierInputs
from core.train.experiments.digit_reader import DigitReader
from core.train.experiments.experiment_run_state import ExperimentRun

TRAINED, ORDER = "pixels", "raster"
ROWS, TEMPERATURE, TOP_K = 4, 0.3, 0
CODE = (
    complete_picture,
    pixel_generation.generate_pictures,
    pixel_generation.sampling_probabilities,
    filters.temperature,
    filters.top_k,
    completions.measure_completion_accuracy,
)


def _has_default_settings(i: "Inputs") -> bool:
    """Return whether these are the default settings, which are measured without a request."""
    return (i.rows, i.temperature, i.top_k) == (ROWS, TEMPERATURE, TOP_K)


class Inputs(ClassifierInputs, prefix="fill_"):
    picture: InputPicture = digit_control("fill", 7)
    rows: int = slider(0, pixel_text.DIGIT_SIDE - 1, ROWS)
    temperature: float = slider(0.0, 2.0, TEMPERATURE, step=0.1)
    top_k: int = slider(0, max(task.GRAY_LEVELS), TOP_K)
    seed: int = seed()
    measure: bool = toggle(
        when=lambda i: not _has_default_settings(i),
        heading="",
    )


@memoize(64)
def _cached_completion_accuracy(
    run: ExperimentRun, judge: ExperimentRun, n_given: int, temperature: float, top_k: int
) -> CompletionAccuracy:
    """Complete and classify each of the 360 held-out digits once, which takes a few tenths of a second."""
    models = task.trained_pixel_model(run, ORDER), DigitReader(judge).model()
    settings: dict[str, Any] = {"seed": 0, "temperature": temperature, "top_k": top_k}
    return completions.measure_completion_accuracy(*models, run.options["n_level"], ORDER, n_given, **settings)


def compute(inputs: Inputs, run: ExperimentRun) -> CompletedPicture:
    """Complete the picture sixteen times and, with the default settings or on request, each held-out digit once."""
    n_given = inputs.rows * pixel_text.DIGIT_SIDE
    settings: dict[str, Any] = {"temperature": inputs.temperature, "top_k": inputs.top_k}
    done = complete_picture(run, inputs.judge, inputs.picture, ORDER, n_given, seed=inputs.seed, **settings)
    if inputs.measure or _has_default_settings(inputs):
        done = replace(done, share=_cached_completion_accuracy(run, inputs.judge, n_given, **settings))
    return done


def draw(result: CompletedPicture, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw what was given and its completions, each with the digit that the classifier sees in it."""
    made = result.made
    n_given = len(result.truth) - made.raw.shape[1]
    ui.mount_widget(
        "completed_digits",
        ids=made.ids.astype(np.uint8),
        order=pixel_text.pixel_order(result.order).tolist(),
        given=n_given,
        levels=result.n_level,
        truth=result.truth.tolist(),
        digit=result.picture.label,
        digits=result.answers.said.tolist(),
        sure=[f"{p:.0%}" for p in result.answers.p.tolist()],
        counts=result.counts,
        takeaway=ui.section_text("takeaway"),
        key="fill-film",
    )
