"""A picture cut into patches, each a row; projected, with class token and positions; and the numbers of tokens."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.charts.axis import format_scientific
from core.data import images
from core.data.images.center_square import center_square
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, custom_control, seed, segmented_control
from core.inspect.model_inputs.input_pictures import InputPicture, held_out_digit, load_photograph
from core.models import registry
from core.models.configs.presets import PRESETS
from core.models.images.vit import ViT, ViTConfig, split_patches
from core.rooms.patches.compute import patch_embedding
from core.rooms.patches.compute.patch_embedding import PatchEmbedding
from core.rooms.patches.experiments import digits
from core.train.experiment import run_experiment
from core.train.experiments.digit_reader import DigitReader
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

# Picture size in pixels -> patch sizes that divide it into at most 256 patches.
PATCH_CHOICES = {
    8: (1, 2, 4, 8),
    16: (1, 2, 4, 8, 16),
    32: (2, 4, 8, 16, 32),
    64: (4, 8, 16, 32, 64),
    112: (7, 8, 14, 16, 28, 56, 112),
    224: (14, 16, 28, 32, 56, 112, 224),
}
DEFAULT_PATCHES = {8: 2, 16: 4, 32: 4, 64: 8, 112: 16, 224: 16}
TABLE_PATCHES = (2, 4, 8, 16, 32)  # patch sizes in the table of tokens
RANDOM_WEIGHTS = "drawn"  # random weights, untrained
MAX_BYTE = 255
WARM_UP = True
CODE = (split_patches, ViT.embed, patch_embedding.project_by_convolution)


def _squares(sizes: Iterable[int]) -> dict[int, str]:
    return {size: f"{size} × {size}" for size in sizes}


def _is_photo(i: "Inputs") -> bool:
    return bool(i.kind == "photo")


class Inputs(Base, prefix="cut_"):
    kind: str = segmented_control(("digit", "photo"), "digit")
    picture: InputPicture = custom_control(
        "core.rooms.patches.cut:ask_picture",
        lambda i: load_photograph("china") if _is_photo(i) else held_out_digit(3),
        kind=lambda i: i.kind,
    )
    size: int = segmented_control(
        lambda i: _squares(PATCH_CHOICES if _is_photo(i) else (8,)),
        lambda i: 224 if _is_photo(i) else 8,
        when=_is_photo,
    )
    color: str = segmented_control(("color", "gray"), lambda i: "color" if _is_photo(i) else "gray", when=_is_photo)
    patch: int = custom_control(
        "core.rooms.patches.cut:ask_patch", lambda i: DEFAULT_PATCHES[i.size], size=lambda i: i.size
    )
    weights: ExperimentRun | str = custom_control(
        "core.rooms.patches.cut:pick_weights",
        lambda i: run_experiment("digits") if (i.kind, i.patch) == ("digit", 2) else RANDOM_WEIGHTS,
        kind=lambda i: i.kind,
        patch=lambda i: i.patch,
    )
    seed: int = seed(when=lambda i: i.weights == RANDOM_WEIGHTS)


def ask_picture(kind: str) -> InputPicture | None:
    """Render the choice of a digit, or of a photograph."""
    from core.ui.widgets.picture_inputs import pick_digit, pick_photograph

    return pick_digit("cut", 3) if kind == "digit" else pick_photograph("cut")


def ask_patch(size: int) -> int:
    """Render the choice of patch size; each picture size has a control of its own, with different sizes."""
    from core import exhibit
    from core.ui.controls import controls

    offered = PATCH_CHOICES[size]
    return controls.render_control(
        exhibit.segmented_control(
            offered,
            DEFAULT_PATCHES[size],
            labels=_squares(offered),
            name=f"cut_patch_{size}",
            label=LABELS["patch_size"],
        )
    )


def pick_weights(kind: str, patch: int) -> ExperimentRun | str:
    """Return the run of this room's ViT if it was trained on digits with such patches, else `RANDOM_WEIGHTS`."""
    from core.ui.training import live_experiments

    run = live_experiments.shown_run("digits") if kind == "digit" else None
    return RANDOM_WEIGHTS if run is None or run.options["patch_size"] != patch else run


def _picture_levels(inputs: Inputs) -> tuple[NDArray[np.uint8], int]:
    """Return the picture (C, Y, X) as the model reads it, and the level of a full pixel."""
    if inputs.picture.is_digit:
        return inputs.picture.pixels[None], images.N_LEVEL - 1
    return center_square(inputs.picture.pixels, inputs.size, gray=inputs.color == "gray"), MAX_BYTE


def compute(inputs: Inputs) -> PatchEmbedding:
    """Run the picture up to the first block of a ViT: the trained one, or one with random weights from the seed."""
    pixels, top = _picture_levels(inputs)
    if isinstance(inputs.weights, ExperimentRun):
        model = DigitReader(inputs.weights).model()
    else:  # as wide as the one of this room, but with one block, because only the steps before it are shown
        config = ViTConfig(
            image_size=inputs.size, patch_size=inputs.patch, n_channel=len(pixels), n_layer=1,
            d_model=digits.config().d_model,
        )  # fmt: skip
        model = registry.build(config, inputs.seed).eval()
    return patch_embedding.embed_patches(model, torch.from_numpy((pixels / np.float32(top)).astype(np.float32)))


def draw(result: PatchEmbedding, inputs: Inputs) -> None:
    """Draw picture, patches, and every step up to the first block."""
    (n_patch, n_number), config, (_, top) = result.patches.shape, result.config, _picture_levels(inputs)
    n_side, p = config.image_size // config.patch_size, config.patch_size
    drawn = LABELS("drawn_from_seed", seed=inputs.seed) if inputs.weights == RANDOM_WEIGHTS else LABELS["learned"]
    given = {"p": p, "n_patch": n_patch, "n_number": n_number, "drawn": drawn}
    made: dict[str, tuple[str, Any]] = {
        "projected": (LABELS["step.projected"], result.projected),
        "class": (LABELS["step.class"], result.with_class),
        "positions": (LABELS["step.positions"], result.positions),
        "sum": (LABELS["step.sum"], result.embedded),
    }
    first = {
        "title": LABELS("step.patches", n_patch=n_patch, n_number=n_number),
        "told": ui.section_text("patches", **given),
    }
    steps = [
        {
            "title": f"{title}: {len(values)} × {config.d_model}",
            "told": ui.section_text(name, **given),
            "array": name,
            "first": len(values) - n_patch,  # 1 with the class token, whose row is not a patch
            "limit": float(np.abs(values).max()) or 1.0,
        }
        for name, (title, values) in made.items()
    ]
    ui.mount_widget(
        "patch_rows",
        rows=np.rint(result.patches * top).astype(np.uint8),
        **{name: values for name, (_, values) in made.items()},
        steps=[first | {"array": None, "first": 0, "limit": 1.0}, *steps],
        patch=p,
        channels=config.n_channel,
        side=n_side,
        top=top,  # full ink or full light
        ink=inputs.picture.is_digit,
        label=LABELS("picture_label", image_size=config.image_size, p=p),
        takeaway=LABELS("picture_takeaway", name=inputs.picture.name, n_side=n_side, n_number=n_number),
        key="cut-rows",
    )
    if ui.depth_at_least("numbers"):
        _counts(config)
    published = {"base": PRESETS["vit-b-16"].config, "huge": PRESETS["vit-h-14"].config}
    ui.add_template_values(**given, off=format_scientific(result.convolution), **published)


def _counts(config: ViTConfig) -> None:
    """Draw tables: tokens by picture and patch size, and widths of published models."""
    sizes = [(LABELS["this_one"], config), (LABELS["trained_here"], digits.config())]
    sizes += [(preset.title, preset.config) for preset in PRESETS.values() if preset.family == "ViT"]
    numbers = [LABELS["numbers_heading"], "|---|--:|--:|--:|--:|"]
    for name, one in sizes:
        n_number = one.n_channel * one.patch_size**2
        numbers.append(f"| {name} | {1 + one.n_patch} | {n_number} | {one.d_model:,} | {one.d_model / n_number:.3g} |")
    tokens = [
        LABELS("tokens_heading", sizes=" | ".join(f"{p}²" for p in TABLE_PATCHES)),
        f"|---|{'--:|' * len(TABLE_PATCHES)}",
    ]
    for size in PATCH_CHOICES:
        cells = (f"{1 + (size // p) ** 2:,}" if size % p == 0 else "–" for p in TABLE_PATCHES)
        tokens.append(f"| {size}² | {' | '.join(cells)} |")
    for place, table in zip(ui.two_columns("cut-counts"), (tokens, numbers), strict=True):
        with place:
            ui.show_markdown("\n".join(table))
