"""The film of a run: about sixty frames to scrub through, without any request to the server."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.rooms.studio import facts
from core.rooms.studio.selected_run import SelectedRun
from core.ui.training.choices_to_recipe import fills_gaps, fills_spans
from core.ui.training.task_choices import is_task

LABELS = module_labels(__name__)

FOLLOWS = True


class Inputs(SelectedRun):
    """The run."""


class RunFilm(Result):
    """The film of a run so far."""

    frames: list[dict[str, Any]]  # in order of steps
    has_heads: bool
    n_vocab: int | None  # vocabulary size; None if the text is gone

    def table(self) -> Table:
        """Return one row per frame."""
        columns = LABELS.options("column", "step", "loss", "val_loss", "sample")
        return {title: [frame[name] for frame in self.frames] for name, title in columns.items()}

    def arrays(self) -> Mapping[str, NDArray[np.generic]]:
        """Return steps, attention and tokens."""
        return {
            "step": np.array([frame["step"] for frame in self.frames]),
            "attention": np.stack([frame["attention"] for frame in self.frames]),
            "tokens": np.array(self.frames[0]["tokens"]),
        }


def compute(inputs: Inputs) -> RunFilm:
    """Collect all frames of a run so far."""
    run = inputs.run
    frames = facts.frames_of(run)
    return RunFilm(
        frames=frames,
        has_heads=bool(frames and frames[0]["attention"].size),
        n_vocab=facts.vocabulary_size(run.recipe) if frames else None,
    )


def draw(film: RunFilm, inputs: Inputs) -> None:
    """Draw the scrubber over all available frames, also while more are coming."""
    if not film.frames:
        return
    ui.scrubber(
        film.frames,
        key=f"studio-film-{inputs.run_id}",
        chance=None if film.n_vocab is None else math.log(film.n_vocab),
        label=LABELS["film"],
        sample_title=_sample_title(inputs.run.recipe),
        together=inputs.run_id,
    )


def _sample_title(recipe: Mapping[str, object]) -> str:
    """Return the title of the text below the curve, for each kind of training."""
    if is_task(str(recipe.get("corpus"))):
        return LABELS["answers"]
    if fills_spans(recipe) or fills_gaps(recipe):
        return LABELS["puts_into_gaps"]
    return LABELS["writes"]
