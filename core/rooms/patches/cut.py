"""A picture cut into patches, each a row; projected, class token in front, positions added; all of it counted."""

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.decades import told as sized
from core.data import images
from core.data.images.square import square
from core.inspect.pictures import Picture
from core.models import registry
from core.models.vit import ViT, ViTConfig, patches
from core.rooms.patches.compute import patch_embedding
from core.rooms.patches.counts import counts, ratio
from core.rooms.patches.experiments import digits
from core.rooms.patches.patch_rows_widget import Step, patch_rows
from core.train.experiment import rebuild
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.scripts import Code
from core.ui.text import escape_markdown
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained
from core.ui.widgets.picture import ask_digit, ask_photograph

KINDS = {"digit": "A digit", "photo": "A photograph"}
COLORS = {"color": "Color", "gray": "Gray"}
# Picture's size in pixels -> patch sizes that divide it into at most 256 patches.
PATCHES = {
    8: (1, 2, 4, 8),
    16: (1, 2, 4, 8, 16),
    32: (2, 4, 8, 16, 32),
    64: (4, 8, 16, 32, 64),
    112: (7, 8, 14, 16, 28, 56, 112),
    224: (14, 16, 28, 32, 56, 112, 224),
}
FIRST = {8: 2, 16: 4, 32: 4, 64: 8, 112: 16, 224: 16}
BYTE = 255


@dataclass(frozen=True)
class Asked:
    """What the controls say.

    Attributes:
        picture: to be cut.
        config: of the ViT that takes it in.
        models: the trained ones, where the ViT of this room has this patch size; else None.
        seed: of the weights that are drawn where there is no trained ViT.
    """

    picture: Picture
    config: ViTConfig
    models: Trained | None
    seed: int

    @property
    def is_digit(self) -> bool:
        """Whether it is a digit, and no photograph."""
        return self.picture.pixels.ndim == 2

    @property
    def top(self) -> int:
        """The level of a full pixel."""
        return images.N_LEVEL - 1 if self.is_digit else BYTE


@memoize(MAX_RESULTS)
def cut_of(asked: Asked) -> patch_embedding.PatchEmbedding:
    """The picture on its way into the ViT: the trained one, or one whose weights are drawn from the seed."""
    model: ViT = (
        registry.build(asked.config, asked.seed)
        if asked.models is None
        else rebuild(asked.models.record, "vit", asked.config).float()
    )
    levels = asked.picture.pixels[None] if asked.is_digit else _small(asked)
    shades = torch.from_numpy((levels / np.float32(asked.top)).astype(np.float32))
    return patch_embedding.embed_patches(model.eval(), shades)


def _small(asked: Asked) -> NDArray[np.uint8]:
    return square(asked.picture.pixels, asked.config.image_size, gray=asked.config.n_channel == 1)


def warm_up() -> None:
    """Draw a ViT for a photograph once."""
    registry.build(_drawn_config(224, 16, 3), 0)


@exhibit(
    title="From pixels to tokens",
    look_for="one patch on its way: a square of the picture is a row of the matrix, and the row becomes a token. "
    "Point at any of the three to mark the same patch in the others.",
    try_this=[
        (
            "Click through the five buttons from left to right.",
            "16 patches of 4 pixels become 16 rows of 48 numbers. A row for the **class token**, from which the "
            "answer will be read, goes in front, and each row gets the numbers of its position added. The last "
            "matrix is all the blocks ever see.",
        ),
        (
            "Choose the photograph.",
            "224 × 224 pixels in patches of 16 × 16: 196 patches of 768 numbers, and 197 tokens with the one in front.",
        ),
        (
            "Halve the patches of the digit: 1 × 1.",
            "Four times as many patches: 64, each a single number. Attention compares every token with every token: "
            "65 × 65 pairs instead of 17 × 17, almost fifteen times as many.",
        ),
    ],
    code=(patches, ViT.embed, patch_embedding.by_convolution),
)
def cut() -> Shown | None:
    """Picture, patch size, and every step up to the first block."""
    asked = _ask()
    if asked is None:
        return None
    found, config = cut_of(asked), asked.config
    n_patch, n_number = found.rows.shape
    n_wide, d_model, p = config.image_size // config.patch_size, config.d_model, config.patch_size
    drawn = "learned" if asked.models is not None else f"drawn from seed {asked.seed}"
    patch_rows(
        np.rint(found.rows * asked.top).astype(np.uint8),
        [
            Step(
                f"2. Projected: {n_patch} × {d_model}",
                f"Each row is multiplied by one matrix of {n_number} × {d_model} ({drawn}) and becomes {d_model} "
                "numbers.",
                found.projected,
            ),
            Step(
                f"3. Class token: {1 + n_patch} × {d_model}",
                "One more row in front, the same for every picture. It shows nothing itself: it collects, and the "
                "answer is read from it.",
                found.with_class,
            ),
            Step(
                f"4. Positions: {1 + n_patch} × {d_model}",
                f"One row for each position ({drawn}), the same for every picture. Without them the rows could be in "
                "any order.",
                found.positions,
            ),
            Step(
                f"5. Sum: {1 + n_patch} × {d_model}",
                "3 and 4 added, number by number. This is what the first block reads.",
                found.embedded,
            ),
        ],
        patch_size=p,
        top=asked.top,
        ink=asked.is_digit,
        title=f"1. Patches: {n_patch} × {n_number}",
        told=f"Each patch as one row: {p} × {p} pixels{' of three colors' if config.n_channel == 3 else ''} are "
        f"{n_number} {'number' if n_number == 1 else 'numbers'} from 0 to 1.",
        key="cut-rows",
        label=f"{config.image_size} × {config.image_size} pixels in patches of {p} × {p}",
        takeaway=f"{asked.picture.name}, cut into {n_wide} times {n_wide} patches of {n_number} numbers.",
    )
    _say_weights(asked)
    st.markdown(
        f"**{n_patch}** {'patch' if n_patch == 1 else 'patches'} and the class token: **{1 + n_patch} tokens**. The "
        f"projection turns **{n_number}** {'number' if n_number == 1 else 'numbers'} into **{d_model}**: "
        f"{ratio(n_number, d_model)}."
    )
    if depth.at_least("numbers"):
        same = (
            f"differ by **{sized(found.convolution)}** at most, which is rounding"
            if found.convolution
            else "give the very same numbers, to the last digit"
        )
        st.markdown(
            f"Published code writes the projection as a convolution that moves by {p} "
            f"{'pixel' if p == 1 else 'pixels'} at a time. It's the same thing: on this picture the two {same}."
        )
        counts(asked.config, PATCHES)
    return Shown(
        numbers=found.table,
        arrays={
            "patches": found.rows,
            "projected": found.projected,
            "with_class": found.with_class,
            "positions": found.positions,
            "embedded": found.embedded,
        },
        formula=rf"T = 1 + \left(\frac{{{config.image_size}}}{{{p}}}\right)^2 = {1 + n_patch} \qquad "
        rf"K = {p} \cdot {p} \cdot {config.n_channel} = {n_number}",
        script=lambda: _script(asked),
    )


def _script(asked: Asked) -> str:
    config = asked.config
    if asked.models is not None:
        shown = live.current("digits")
        assert shown is not None  # its model is open
        sizes = f"digits.config({config.patch_size}, {config.n_layer})"
        model = f'rebuild({scripts.record("digits", shown)}, "vit", {sizes}).float()'
    else:
        fields = ("image_size", "patch_size", "n_channel", "n_layer", "d_model")
        sizes = ", ".join(f"{name}={getattr(config, name)}" for name in fields)
        model = f"registry.build(\n    ViTConfig({sizes}), seed={asked.seed}\n).eval()  # its weights are drawn"
    shades = "images.shades(picture)[0]"
    if not asked.is_digit:
        gray = ", gray=True" if config.n_channel == 1 else ""
        shades = f'square(picture, {config.image_size}{gray}).astype("float32") / {BYTE}'
    return scripts.script(
        """
        import torch

        from core.data import images
        from core.data.csv_table import print_table
        from core.inspect import pictures
        $imports

        model = $model
        picture = $picture
        shades = $shades  # from 0 to 1

        # What happens before the first block: patches, projection, class token in front, positions added.
        print_table(patch_embedding.embed_patches(model, torch.from_numpy(shades)).table())
        """,
        imports=_imports(asked),
        model=Code(model),
        picture=scripts.pixels(asked.picture),
        shades=Code(shades),
    )


def _imports(asked: Asked) -> Code:
    """What the script imports, in alphabetical order."""
    lines = [] if asked.is_digit else ["from core.data.images.square import square"]
    lines.append("from core.rooms.patches.compute import patch_embedding")
    if asked.models is None:
        lines += ["from core.models import registry", "from core.models.vit import ViTConfig"]
    else:
        lines += [
            "from core.train.experiment import rebuild, record_of",
            "from core.rooms.patches.experiments import digits",
        ]
    return Code("\n".join(lines))


def _ask() -> Asked | None:
    kind = controls.segmented("cut_kind", "Picture", list(KINDS), "digit", labels=KINDS)
    picture = ask_digit("cut", 3) if kind == "digit" else ask_photograph("cut")
    if picture is None:
        return None
    size, n_channel = 8, 1
    left, right = layout.pair("cut-controls")
    if kind == "photo":
        with left:
            size = controls.segmented("cut_size", "Picture (pixels)", list(PATCHES), 224, labels=_squares(PATCHES))
            color = controls.segmented("cut_color", "Its pixels", list(COLORS), "color", labels=COLORS)
        n_channel = 3 if color == "color" else 1
    offered = PATCHES[size]
    with left if kind == "digit" else right:
        patch = controls.segmented(
            f"cut_patch_{size}", "Patch (pixels)", list(offered), FIRST[size], labels=_squares(offered)
        )
    shown = live.current("digits") if kind == "digit" else None
    if shown is not None and shown.options["patch_size"] == patch:
        return Asked(picture, digits.config(patch, shown.options["n_layer"]), trained(shown), 0)
    with right:
        seed = controls.seed(name="cut_seed", label="Seed of the weights")
    return Asked(picture, _drawn_config(size, patch, n_channel), None, seed)


def _drawn_config(size: int, patch: int, n_channel: int) -> ViTConfig:
    """A ViT as wide as the one of this room, with one block: what happens before it is all that is shown."""
    width = digits.config().d_model
    return ViTConfig(image_size=size, patch_size=patch, n_channel=n_channel, n_layer=1, d_model=width)


def _squares(sizes: "tuple[int, ...] | dict[int, tuple[int, ...]]") -> dict[int, str]:
    return {size: f"{size} × {size}" for size in sizes}


def _say_weights(asked: Asked) -> None:
    whose = (
        "The weights are those of the ViT trained in “A ViT learns to read”."
        if asked.models is not None
        else "No ViT here was trained on pictures and patches like these, so the weights are drawn at random: "
        f"matrix, class token and positions, with deviation 0.02 as in published code, from seed {asked.seed}. The "
        "steps are the same; the numbers mean nothing yet."
    )
    st.caption(f"{escape_markdown(asked.picture.name[:1].upper() + asked.picture.name[1:])}. {whose}")
