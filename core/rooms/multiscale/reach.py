"""Which pixels one token has seen, by stage and block: told by the windows, confirmed by its gradient."""

from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data import images
from core.exhibit import Control, memoize, segmented, slider
from core.exhibit import Inputs as Base
from core.inspect.reading.pictures import Picture, digit
from core.models.multiscale import MultiScale, regions_mask, to_windows
from core.rooms.multiscale.compute import receptive_field
from core.rooms.multiscale.compute.receptive_field import Reached
from core.rooms.multiscale.experiments.scales import OURS, SIZE, upsampled
from core.train.experiment import rebuild
from core.train.experiments.live import Live

TRAINED = "scales"
CODE = (receptive_field.seen, receptive_field.neighbors, receptive_field.felt, to_windows, regions_mask)
GRID, STEP = "reach.grid", "reach_step"
SIDE, PATCH = OURS.side(0), OURS.patch_size


class Inputs(Base, prefix="reach_"):
    picture: Picture = digit("reach", 7)
    shift: bool = segmented("Windows", {True: "shifted", False: "never shifted"}, True)
    draw: str = segmented("Show", ["windows", "gradient"], "windows")
    row: int = slider("Row of the patch", 0, SIDE - 1, 3, before="core.rooms.multiscale.reach:follow_clicks")
    column: int = slider("Column of the patch", 0, SIDE - 1, 3)


def follow_clicks(control: Control, inputs: Any) -> None:
    """Move row and column to the patch that was clicked, and the mark to its picture."""
    clicked = ui.picks.news(GRID, GRID)
    if isinstance(clicked, list) and [type(one) for one in clicked] == [int, int] and 0 <= clicked[1] < SIDE**2:
        _ = ui.put("reach_row", clicked[1] // SIDE) and ui.put("reach_column", clicked[1] % SIDE)
        ui.picks.remember(STEP, str(clicked[0]))


def model_of(run: Live, shifted: bool) -> MultiScale:
    """The trained model, its windows shifted or not; the weights fit both."""
    model: MultiScale = rebuild(run.record, "scales", replace(OURS, shifted=shifted)).float()
    return model


@memoize(16)
def accuracy(run: Live, shifted: bool) -> float:
    """Of the trained model on the held-out digits, its windows shifted or not."""
    held = images.held_out()
    with torch.no_grad():
        said = model_of(run, shifted)(upsampled(held.shades)).argmax(-1).numpy()
    return float((said == held.labels).mean())


def compute(inputs: Inputs, run: Live) -> Reached:
    """What the tokens have seen that hold this patch of the first stage, one for each block."""
    picture = upsampled(inputs.picture.shades)[0]
    return receptive_field.reached(model_of(run, inputs.shift), picture, inputs.row * SIDE + inputs.column)


def draw(result: Reached, inputs: Inputs, run: Live) -> None:
    """The digit after each block: what is not seen yet is hatched."""
    n_step, clicked = len(result.steps), ui.picks.remembered(STEP) or ""
    chosen = (int(clicked) if clicked in map(str, range(n_step)) else 0, result.patch)
    pixels = (upsampled(inputs.picture.shades)[0].numpy() * 255).round().astype(np.uint8)
    share = result.gradient / np.maximum(result.gradient.max((1, 2), keepdims=True), 1e-30)
    steps = list(zip(result.steps, result.holders, result.counts, strict=True))
    ui.pictures(
        pixels.repeat(n_step, 0),
        key=ui.picks.key(GRID, GRID, list(chosen)),
        label="What the token at this position has seen",
        takeaway=f"After each block: {result.path} of {SIZE**2} pixels.",
        titles=[f"{step.name}: {n} px" for step, _, n in steps],
        details=[
            f"{step.name}: token {token} of {step.side**2} has seen {n} of {SIZE**2} pixels" for step, token, n in steps
        ],
        weights=None if inputs.draw == "windows" else by_patch(share),
        weight_title="gradient, of its largest",
        hidden=by_patch(result.windows) == 0,
        lines=PATCH,
        hidden_title="not seen yet",
        columns=3,
        size=208,
        least=120,
        pick="patch",
        full=255,
        chosen=chosen,
    )
    ui.facts(size=SIZE**2, shifted=accuracy(run, True), never=accuracy(run, False))


def by_patch(values: NDArray[Any]) -> NDArray[np.float64]:
    """(N, Y, X) pixels -> (N, rows, columns) the largest of each patch."""
    return values.reshape(len(values), SIDE, PATCH, SIDE, PATCH).max((2, 4)).astype(np.float64)
