"""The film of a run: some sixty moments of it, to be scrubbed with a finger. Nothing asks the server."""

import math
from typing import Any

import streamlit as st

from core.jobs.runs import RunNotFound
from core.rooms.studio.choices import fills_gaps
from core.rooms.studio.facts import count_tokens, frames_of, run_of
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.widgets import widgets


@exhibit(
    title="Scrub through its training",
    look_for=(
        "what the model writes, and where a head looks, as you drag along the steps. At first the text is random, and "
        "at some step the head finds its job. Most of it happens early, so the first steps are stored closest together."
    ),
    try_this=[
        (
            "Go to step 0, then press play.",
            "At step 0 nothing has been learned. With the setting “nearer counts more” a head at most prefers nearby "
            "tokens; with the others it looks back at random.",
        ),
        (
            "Find a step where the loss falls steeply, and compare the heads before and after.",
            "Often a head has turned to the token just before, or to one seen earlier in the text.",
        ),
    ],
)
def film(run_id: str) -> Shown | None:
    """The scrubber over all frames that there are, also while more are coming."""
    try:
        run = run_of(run_id)
    except RunNotFound:
        return None
    frames = frames_of(run)
    if not frames:
        st.caption("The first frames appear a second after the training starts.")
        return None
    recipe = run.recipe
    try:
        vocab_size, _ = count_tokens(
            str(recipe.get("corpus")), str(recipe.get("tokenizer")), recipe.get("tokenizer_vocab"), fills_gaps(recipe)
        )
        chance = math.log(vocab_size)
    except Exception:  # the text may be gone: the film can still be seen
        chance = None
    if not frames[0]["attention"].size:
        st.caption("This model has no attention heads to watch: the film shows its loss and what it writes.")
    widgets.scrubber(frames, key=f"studio-film-{run.id}", chance=chance, label="From the first step to the last")
    return Shown(
        numbers=lambda: {name: [frame[name] for frame in frames] for name in ("step", "loss", "val_loss", "sample")},
        arrays=lambda: _arrays(frames),
    )


def _arrays(frames: list[dict[str, Any]]) -> dict[str, Any]:
    import numpy as np

    return {
        "step": np.array([frame["step"] for frame in frames]),
        "attention": np.stack([frame["attention"] for frame in frames]),
        "tokens": np.array(frames[0]["tokens"]),
    }
