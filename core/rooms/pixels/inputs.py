"""Inputs shared by the exhibits that generate pictures: the classifier that recognizes digits."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, custom_control
from core.rooms.pixels.compute import pixel_text
from core.rooms.pixels.compute.completions import CompletedPicture
from core.train.experiment import run_experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


def draw_completion_film(done: CompletedPicture, *, key: str) -> None:
    """Draw a film of the completions of a picture, side by side after the picture itself.

    For the selected completion it shows the probabilities of its newest pixel's levels. Nothing is sent to the server:
    play, step, scrub, and the choice of picture and pixel stay in the browser.
    """
    picture, made, said, label = done.picture, done.made, done.answers.said.tolist(), done.picture.label
    n_drawn = made.raw.shape[1]
    n_given = len(done.truth) - n_drawn
    ui.mount_widget(
        "pixel_film",
        ids=made.ids.astype(np.uint8),
        raw=made.raw,
        used=made.used,
        order=pixel_text.pixel_order(done.order).tolist(),
        given=n_given,
        levels=done.n_level,
        titles=[str(one) if label is None else f"{one} {'✓' if one == label else '✗'}" for one in said],
        settings=done.settings,
        truth=done.truth.tolist(),
        truth_title=LABELS["given"] if label is None else LABELS("real_digit", label=label),
        label=LABELS("completions", n=len(said), name=picture.name)
        if label is None
        else LABELS("completions_of_digit", n=len(said), name=picture.name, label=label),
        takeaway=LABELS("film_takeaway", n_given=n_given, n_drawn=n_drawn),
        key=key,
    )


def ask_classifier() -> ExperimentRun | None:
    """Return the newest run of the ViT of the room “Patches”, or show a message and return None if there is none."""
    from core.ui.training import live_experiments

    run = live_experiments.shown_run("digits")
    if run is None:
        ui.st.info(LABELS["no_classifier"])
    return run


class ClassifierInputs(Inputs):
    """Inputs with a classifier that recognizes the completed digits."""

    judge: ExperimentRun = custom_control(f"{__name__}:ask_classifier", lambda _: run_experiment("digits"))
