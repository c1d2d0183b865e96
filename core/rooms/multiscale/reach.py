"""The receptive field of one token, by stage and block: derived from the windows, confirmed by its gradient."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float
from numpy.typing import NDArray
from torch import Tensor

from core import ui
from core.data import images
from core.data.localization.labels import module_labels
from core.exhibit import Control, Inputs as Base, Result, Table, memoize, seed, segmented_control, slider
from core.inspect.model_inputs.input_pictures import InputPicture, digit_control
from core.models.images.multiscale_vit import (
    MultiScaleViT,
    MultiScaleViTConfig,
    join_windows,
    shifted_window_mask,
    split_windows,
)
from core.nn.tap import Trace
from core.rooms.multiscale.experiments.scales import DIGITS_CONFIG, IMAGE_SIZE, upsample
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


class ReceptiveFields(NamedTuple):
    """The receptive fields of all tokens after one block; before the first, each token has seen its own patch."""

    stage: int  # stage, block: the block just completed; block -1 is before the first block of the stage
    block: int
    side: int  # tokens per row in this stage
    patches: NDArray[np.bool_]  # (T, S, S) True where token t can have information about the patch; row 0 is on top

    @property
    def name(self) -> str:
        """The display name of this step."""
        return LABELS("block", stage=self.stage, block=self.block) if self.block >= 0 else LABELS["patches"]

    def holder(self, patch: int, side: int) -> int:
        """Return the token at the position of a patch of the first stage, which has `side` patches per row."""
        row, column = divmod(patch, side)
        return (row * self.side // side) * self.side + column * self.side // side


class ReceptiveFieldGrowth(Result):
    """The receptive field at one position of the picture: of the token there after each block."""

    steps: tuple[ReceptiveFields, ...]  # the receptive fields of all tokens after each block
    patch: int  # the position, as a patch of the first stage in reading order
    holders: list[int]  # the tokens at that position
    windows: NDArray[np.bool_]  # (N, Y, X) True where a path leads from the pixel to the token
    gradient: NDArray[np.float64]  # (N, Y, X) absolute gradient of the token at the pixel
    counts: list[int]  # pixels in each token's receptive field, by the windows
    felt: list[int]  # pixels in each token's receptive field, by its gradient
    path: str  # the counts, joined by arrows

    def table(self) -> Table:
        """Return the number of pixels that each token has seen."""
        names = [step.name for step in self.steps]
        return {
            LABELS["block_column"]: names,
            LABELS["windows_column"]: self.counts,
            LABELS["gradient_column"]: self.felt,
        }


def window_attention_mask(config: MultiScaleViTConfig, stage: int, block: int) -> NDArray[np.bool_]:
    """Return the mask (T, T) of this block: a token attends to its window, except tokens wrapped from the other end."""
    side, window, shift = config.side(stage), config.window_of(stage), config.shift_of(stage, block)
    number = torch.arange(side**2).reshape(1, -1, 1)
    inside = split_windows(number, side, window, shift)[..., 0]  # (W, w w) which tokens share a window
    n_window, n_inside = inside.shape
    may = shifted_window_mask(side, window, shift)[:, 0] if shift else torch.ones(n_window, n_inside, n_inside).bool()
    found = np.zeros((side**2, side**2), bool)
    for tokens, pairs in zip(inside.numpy(), may.numpy(), strict=True):
        found[np.ix_(tokens, tokens)] = pairs
    return found


def _patch_merging_mask(side: int) -> NDArray[np.bool_]:
    """Return (T, S): which four tokens of a stage with `side` tokens per row merge into each token of the next."""
    row, column = np.divmod(np.arange(side**2), side)
    into = (row // 2) * (side // 2) + column // 2
    return np.arange((side // 2) ** 2)[:, None] == into


def receptive_fields(config: MultiScaleViTConfig) -> tuple[ReceptiveFields, ...]:
    """Compute the receptive field of every token after each block: products of attention masks, in booleans.

    Each block has a residual path, so that no information is lost.
    """
    side = config.side(0)
    known = np.eye(side**2, dtype=bool)  # (T, patches)
    found = [ReceptiveFields(0, -1, side, known.reshape(-1, side, side))]
    for stage, n_layer in enumerate(config.n_layer):
        if stage:
            known = _patch_merging_mask(config.side(stage - 1)) @ known  # for booleans, @ is "or" of "and"s
        for block in range(n_layer):
            known = window_attention_mask(config, stage, block) @ known
            found.append(ReceptiveFields(stage, block, config.side(stage), known.reshape(-1, side, side)))
    return tuple(found)


def _measure_growth(model: MultiScaleViT, image: Float[Tensor, "C Y X"], patch: int) -> ReceptiveFieldGrowth:
    """Measure the receptive fields of the tokens at one patch of the first stage, `patch` in reading order."""
    steps, config = receptive_fields(model.config), model.config
    tokens = [(step, step.holder(patch, config.side(0))) for step in steps]
    windows = [patches_to_pixels(step.patches[token], config.patch_size) for step, token in tokens]
    gradients = [pixel_gradient(model, image, step.stage, step.block, token) for step, token in tokens]
    counts = [int(one.sum()) for one in windows]
    return ReceptiveFieldGrowth(
        steps=steps,
        patch=patch,
        holders=[token for _, token in tokens],
        windows=np.stack(windows),
        gradient=np.stack(gradients),
        counts=counts,
        felt=[int((one > 0).sum()) for one in gradients],
        path=" → ".join(map(str, counts)),
    )


def pixel_gradient(
    model: MultiScaleViT, image: Float[Tensor, "C Y X"], stage: int, block: int, token: int
) -> NDArray[np.float64]:
    """Return the absolute gradient of one token's vector, along a random direction, with respect to each pixel.

    It is exactly 0 if no path leads from the pixel to the token. The direction is random because the plain sum of the
    vector may be constant after a norm.

    Args:
        stage, block: the block after which the token's vector is taken; block -1 of stage 0 is its patch.

    Returns:
        (Y, X) the maximum over the channels of the picture.

    Source: Luo et al. 2017 (1701.04128), Understanding the Effective Receptive Field, section 2: gradients by pixel.
    """
    given = image.detach().clone()[None].requires_grad_(True)
    side, window = model.config.side(stage), model.config.window_of(stage)
    key = "embed" if block < 0 else f"stages.{stage}.blocks.{block}.resid_out"
    with torch.enable_grad(), Trace(model, keep=(key,)) as trace:
        model(given)
    x = trace[key]
    if block >= 0:
        x = join_windows(x, side, window, model.config.shift_of(stage, block))
    direction = torch.randn(x.shape[-1], generator=torch.Generator().manual_seed(0), dtype=x.dtype)
    (slope,) = torch.autograd.grad(x[0, token] @ direction, given)
    return slope[0].abs().amax(0).double().numpy()


def patches_to_pixels(patches: Bool[NDArray[np.bool_], "S S"], patch_size: int) -> NDArray[np.bool_]:
    """Return the pixels (Y, X) of the patches that are True."""
    return patches.repeat(patch_size, 0).repeat(patch_size, 1)


EXPERIMENT = "scales"
CODE = (receptive_fields, window_attention_mask, pixel_gradient, split_windows, shifted_window_mask)
GRID_KEY, STEP_KEY = "reach.grid", "reach_step"
PATCHES_PER_SIDE, PATCH_SIZE = DIGITS_CONFIG.side(0), DIGITS_CONFIG.patch_size


class Inputs(Base, prefix="reach_"):
    picture: InputPicture = digit_control("reach", 7)
    shift: bool = segmented_control((True, False), True)
    draw: str = segmented_control(["windows", "gradient"], "windows")
    row: int = slider(0, PATCHES_PER_SIDE - 1, 3, before_render="core.rooms.multiscale.reach:follow_clicks")
    column: int = slider(0, PATCHES_PER_SIDE - 1, 3)
    seed: int = seed(name="scales_seed", depth="numbers")
    n_step: int = segmented_control([125, 250, 500], 250, name="scales_steps", depth="numbers")


def follow_clicks(row: Control, inputs: Inputs) -> None:
    """Move row and column to the clicked patch, and the mark to its picture."""
    clicked = ui.picks.new_pick(GRID_KEY, GRID_KEY)
    if (
        isinstance(clicked, list)
        and [type(one) for one in clicked] == [int, int]
        and 0 <= clicked[1] < PATCHES_PER_SIDE**2
    ):
        _ = ui.set_control(row, clicked[1] // PATCHES_PER_SIDE) and ui.set_control(
            Inputs.control("column"), clicked[1] % PATCHES_PER_SIDE
        )
        ui.picks.set_address_value(STEP_KEY, str(clicked[0]))


def model_of(run: ExperimentRun, shifted: bool) -> MultiScaleViT:
    """Rebuild the trained model, with shifted windows or not; the weights fit both."""
    model: MultiScaleViT = rebuild_model(run.record, "scales", replace(DIGITS_CONFIG, shifted=shifted)).float()
    return model


@memoize(16)
def held_out_accuracy(run: ExperimentRun, shifted: bool) -> float:
    """Return the trained model's accuracy on the held-out digits, with shifted windows or not."""
    held = images.held_out_digits()
    with torch.no_grad():
        said = model_of(run, shifted)(upsample(held.shades)).argmax(-1).numpy()
    return float((said == held.labels).mean())


def compute(inputs: Inputs, run: ExperimentRun) -> ReceptiveFieldGrowth:
    """Measure the receptive fields of the tokens at this patch of the first stage, one for each block."""
    picture = upsample(inputs.picture.shades)[0]
    return _measure_growth(model_of(run, inputs.shift), picture, inputs.row * PATCHES_PER_SIDE + inputs.column)


def draw(result: ReceptiveFieldGrowth, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the digit after each block; parts that the token has not seen yet are hatched."""
    n_step, clicked = len(result.steps), ui.picks.address_value(STEP_KEY) or ""
    chosen = (int(clicked) if clicked in map(str, range(n_step)) else 0, result.patch)
    pixels = (upsample(inputs.picture.shades)[0].numpy() * 255).round().astype(np.uint8)
    share = result.gradient / np.maximum(result.gradient.max((1, 2), keepdims=True), 1e-30)
    steps = list(zip(result.steps, result.holders, result.counts, strict=True))
    ui.pictures(
        pixels.repeat(n_step, 0),
        key=ui.picks.picture_widget_key(GRID_KEY, GRID_KEY, list(chosen)),
        label="",
        sentence=_sentence(result),
        takeaway=LABELS("takeaway", path=result.path, size=IMAGE_SIZE**2),
        titles=[
            LABELS("n_pixel" if i else "n_pixel_first", n_block=i, n=n, size=IMAGE_SIZE**2)
            for i, (_, _, n) in enumerate(steps)
        ],
        details=[
            LABELS("detail", step=step.name, token=token, n_token=step.side**2, n=n, size=IMAGE_SIZE**2)
            for step, token, n in steps
        ],
        weights=None if inputs.draw == "windows" else _max_by_patch(share),
        weight_title=LABELS["gradient"],
        hidden=_max_by_patch(result.windows) == 0,
        lines=[IMAGE_SIZE // step.side for step in result.steps],
        hidden_title=LABELS["unseen"],
        columns=3,
        size=176,
        least=96,
        pick="patch",
        full=255,
        chosen=chosen,
    )
    ui.add_template_values(
        size=IMAGE_SIZE**2, shifted=held_out_accuracy(run, True), never=held_out_accuracy(run, False)
    )


def _sentence(result: ReceptiveFieldGrowth) -> str:
    """Say after how many blocks the token has seen the whole picture, or how much of it in the end."""
    whole = IMAGE_SIZE**2
    if whole in result.counts:
        return LABELS("whole", n_block=result.counts.index(whole), size=whole)
    return LABELS("never_whole", n=result.counts[-1], size=whole)


def _max_by_patch(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Reduce pixels (N, Y, X) to the maximum of each patch (N, rows, columns)."""
    return (
        values.reshape(len(values), PATCHES_PER_SIDE, PATCH_SIZE, PATCHES_PER_SIDE, PATCH_SIZE)
        .max((2, 4))
        .astype(np.float64)
    )
