"""Which pixels one token has seen, by stage and block: told by the windows, confirmed by its gradient."""

from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.inspect.pictures import Picture
from core.models.multiscale import MultiScale, MultiScaleConfig, regions_mask, to_windows
from core.rooms.multiscale.compute import receptive_field
from core.rooms.multiscale.compute.receptive_field import Reached, Seen
from core.rooms.multiscale.experiments.scales import CONFIGS, SIZE, upsampled
from core.train.experiment import rebuild
from core.train.live import Live
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import percent
from core.ui.training.trained_models import MAX_RESULTS, Trained, latest, trained
from core.ui.widgets.mount import index
from core.ui.widgets.picture import ask_digit
from core.ui.widgets.pictures import pictures

GRID, STEP = "reach.grid", "reach_step"
SHIFTED = {True: "shifted", False: "never shifted"}


def wiring(shifted: bool) -> MultiScaleConfig:
    """The model of the race, its windows shifted or not; the weights fit both."""
    config = CONFIGS["scales"]
    assert isinstance(config, MultiScaleConfig)
    return replace(config, shifted=shifted)


@memoize(2)
def known(shifted: bool) -> tuple[Seen, ...]:
    """What every token can know after each block."""
    return receptive_field.seen(wiring(shifted))


@memoize(16)
def rebuilt(models: Trained, shifted: bool) -> MultiScale:
    """The trained model."""
    made: MultiScale = rebuild(models.record, "scales", wiring(shifted)).float()
    return made


@memoize(MAX_RESULTS)
def reached(models: Trained, shifted: bool, picture: Picture, patch: int) -> Reached:
    """Of the tokens that hold this patch of the first stage, one for each block."""
    return receptive_field.reached(rebuilt(models, shifted), upsampled(picture.shades)[0], known(shifted), patch)


@memoize(16)
def accuracy(models: Trained, shifted: bool) -> float:
    """Of the trained model on the held-out digits, its windows shifted or not."""
    from core.data import images

    held = images.held_out()
    with torch.no_grad():
        said = rebuilt(models, shifted)(upsampled(held.shades)).argmax(-1).numpy()
    return float((said == held.labels).mean())


def holder(step: Seen, patch: int) -> int:
    """The token that stands where the patch of the first stage is."""
    return step.holder(patch, wiring(True).side(0))


@exhibit(
    title="What one token has seen",
    look_for="how much of the picture the token at one position has seen, block after block; the rest is hatched. A "
    "token of a plain ViT has seen everything after its first block.",
    try_this=[
        (
            "Choose “never shifted”.",
            "The second block of each stage adds nothing: it looks at the same window again. What is apart meets "
            "only by merging, so 4 pixels become 16, 16, 64, 64 and 256 instead of 16, 64, 144 and 256.",
        ),
        (
            "Click a patch in a corner.",
            "4, 16, 16, 144, 144, 256: the shifted window leaves the corner on its own, so the second block adds "
            "nothing. In memory it shares a window with the other ends of the picture, but a mask keeps strangers "
            "apart.",
        ),
        (
            "Choose “gradient” instead of “windows”.",
            "The same pixels, now with how strongly each moves the token. What the windows forbid is exactly 0, not "
            "just small.",
        ),
    ],
    code=(receptive_field.seen, receptive_field.neighbors, receptive_field.felt, to_windows, regions_mask),
    formula=r"\begin{aligned} R_{t,p}&\text{: token } t \text{ has seen patch } p \\ "
    r"R' &= A\, R \text{ after a block} \\ A_{t,s}&\text{: } t \text{ may attend to } s \\ "
    r"R' &= M\, R \text{ after merging} \\ M_{t,s}&\text{: } s \text{ is part of } t \end{aligned}",
)
def reach() -> Shown | None:
    """A digit, one of its patches, and the pixels that its tokens know of."""
    shown = latest("scales")
    if shown is None:
        return None
    models = trained(shown)
    picture = ask_digit("reach", 7)
    if picture is None:
        return None
    left, right = st.columns([1, 1], gap="medium")
    with left:
        shifted = controls.segmented("reach_shift", "Windows", [True, False], True, labels=SHIFTED)
    with right:
        drawn = controls.segmented("reach_draw", "Show", ["windows", "gradient"], "windows")
    side = wiring(True).side(0)
    clicked = picks.news(GRID, GRID)
    if isinstance(clicked, list) and len(clicked) == 2:
        step, asked = index(clicked[0], len(known(True))), index(clicked[1], side**2)
        if step is not None and asked is not None:
            _ = controls.put("reach_row", asked // side) and controls.put("reach_column", asked % side)
            picks.remember(STEP, str(step))  # the picture that was clicked, which carries the mark
    left, right = st.columns([1, 1], gap="medium")
    with left:
        row = int(controls.slider("reach_row", "Row of the patch", 0, side - 1, 3, step=1))
    with right:
        column = int(controls.slider("reach_column", "Column of the patch", 0, side - 1, 3, step=1))
    patch = row * side + column
    found = reached(models, shifted, picture, patch)
    steps = known(shifted)
    counts = found.windows.sum((1, 2)).tolist()
    felt = (found.slopes > 0).sum((1, 2)).tolist()
    share = found.slopes / np.maximum(found.slopes.max((1, 2), keepdims=True), 1e-30)
    pixels = upsampled(picture.shades)[0, 0].numpy()
    inked = np.round(pixels * 255).astype(np.uint8)
    at, at_step = holder(steps[-1], patch), _clicked_step(len(steps))
    last = next((i for i, n in enumerate(counts) if n == SIZE**2), None)
    takeaway = " → ".join(str(n) for n in counts) + f" of {SIZE**2} pixels"
    pictures(
        np.repeat(inked[None], len(steps), 0),
        key=picks.key(GRID, GRID, [at_step, patch]),
        label="What the token at this position has seen",
        takeaway=f"After each block: {takeaway}.",
        titles=[f"{one.name}: {n} px" for one, n in zip(steps, counts, strict=True)],
        details=[
            f"{one.name}: token {holder(one, patch)} of {one.side**2} has seen {n} of {SIZE**2} pixels"
            for one, n in zip(steps, counts, strict=True)
        ],
        weights=None if drawn == "windows" else by_patch(share),
        weight_title="gradient, of its largest",
        hidden=by_patch(found.windows) == 0,
        lines=wiring(True).patch_size,
        hidden_title="not seen yet",
        columns=6,
        least=120,
        pick="patch",
        full=255,
        chosen=(at_step, patch),
    )
    agree = bool(((found.slopes > 0) == found.windows).all())
    st.markdown(
        f"Pixels seen: **{takeaway}**. "
        + (
            f"The whole picture is known after **{steps[last].name}**."
            if last is not None
            else "The whole picture is never known."
        )
        + (
            " The **gradient**, how strongly each pixel moves the token, confirms it: it differs from 0 at exactly "
            "these pixels, after every block."
            if agree
            else f" The **gradient**, how strongly each pixel moves the token, differs from 0 at {felt} pixels: "
            "where a number is too small for 32 bits, an existing path carries nothing."
        )
    )
    st.caption(
        f"Token {at} of the last stage holds the patch. Seen is what can have an influence, not what has a large "
        "one. With windows shifted in every second block, as trained, the model reads "
        f"{percent(accuracy(models, True))} of the held-out digits right; with the same weights and windows never "
        f"shifted, {percent(accuracy(models, False))}."
    )
    return Shown(
        numbers=lambda: found.table(steps),
        arrays={"windows": found.windows, "gradient": found.slopes},
        script=lambda: _script(shown, picture, shifted, row, column),
    )


def _script(shown: Live, picture: Picture, shifted: bool, row: int, column: int) -> str:
    return scripts.script(
        """
        from dataclasses import replace

        from core.data import images
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.multiscale.compute import receptive_field
        from core.train.experiment import rebuild, record_of
        from core.rooms.multiscale.experiments.scales import CONFIGS, upsampled

        config = replace(CONFIGS["scales"], shifted=$shifted)
        model = rebuild($record, "scales", config).float()
        picture = upsampled(images.shades($picture))[0]

        # By the windows: who may attend to whom, block after block. By the gradient: which pixels move the token.
        steps = receptive_field.seen(config)
        found = receptive_field.reached(model, picture, steps, patch=$row * config.side(0) + $column)
        print_table(found.table(steps))
        """,
        shifted=shifted,
        record=scripts.record("scales", shown),
        picture=scripts.pixels(picture),
        row=row,
        column=column,
    )


def by_patch(values: NDArray[Any]) -> NDArray[np.float64]:
    """(N, Y, X) pixels -> (N, rows, columns) the largest of each patch."""
    n, size = len(values), wiring(True).patch_size
    return values.reshape(n, SIZE // size, size, SIZE // size, size).max((2, 4)).astype(np.float64)


def _clicked_step(n_step: int) -> int:
    """The picture that was clicked last, as the address holds it."""
    text = picks.remembered(STEP) or ""
    return int(text) if text in map(str, range(n_step)) else 0
