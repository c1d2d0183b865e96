"""Each learned position beside all others, as small maps where their patches are: what it learned of the grid."""

from dataclasses import asdict

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.inspect.positions import cosines
from core.rooms.patches.compute import position_maps as maps
from core.rooms.patches.compute.position_maps import GROUPS, N_SHUFFLE, PositionMaps, position_maps
from core.rooms.patches.experiments import digits
from core.train.live import Live
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.numbers import signed
from core.ui.training.trained_models import MAX_RESULTS, Trained, latest, trained
from core.ui.widgets.pictures import as_grid, pictures

FORMULA = r"\cos(i, j) = \frac{p_i \cdot p_j}{\lVert p_i \rVert \, \lVert p_j \rVert}"


@memoize(MAX_RESULTS)
def learned_maps(models: Trained) -> PositionMaps:
    """The positions of the trained ViT."""
    return position_maps(models.record["model.vit.pos_emb.weight"].astype(np.float32))


@memoize(MAX_RESULTS)
def first_maps(options: digits.Options, seed: int) -> PositionMaps:
    """The positions with which it began."""
    table: NDArray[np.float32] = digits.start(options, seed).model.pos_emb.weight.detach().numpy()
    return position_maps(table)


@exhibit(
    title="It finds rows on its own",
    look_for="in each small map, the patch it stands for and what resembles it. Nobody told the model which patches "
    "are side by side or one below the other: it was given numbered positions in one row, each with random numbers.",
    try_this=[
        (
            "Compare the two pictures.",
            "On the left, before training, each position resembles only itself, and any other tint is chance. On the "
            "right there is order: tinted positions cluster, most of all beside the patch, in its own row.",
        ),
        (
            "Read the table.",
            "Before training everything is close to 0. After it, the neighbors to the left and right are the most "
            "alike (0.25), then the rest of the row (0.14). The rest of the column isn't: −0.14, as unlike as the "
            "other rows and columns. This model found rows, but no columns.",
        ),
        (
            "In “A ViT learns to read”, train with patches of 1 × 1 and come back.",
            "64 small maps on a grid of 8 × 8. Training takes minutes instead of seconds: 65 tokens attend to 65.",
        ),
    ],
    code=(position_maps, cosines),
    formula=FORMULA,
)
def similarity() -> Shown | None:
    """Maps of similarity before and after training, and how well they fit the grid."""
    shown = latest("digits")
    if shown is None:
        return None
    options = digits.Options(**shown.options)
    before, after = first_maps(options, shown.seed), learned_maps(trained(shown))
    left, right = layout.pair("similarity", alike=True)
    with left:
        _maps(before, "Before training", f"before-{shown.seed}-{options.patch_size}")
    with right:
        _maps(after, "After training" if shown.is_done else f"After {shown.step} steps", f"after-{options.patch_size}")
    st.markdown(_in_words(before, after))
    if len(after.cosine) > 4:
        depth.note(_fit(before, after))
    return Shown(
        numbers=lambda: maps.table(before, after),
        arrays={"before": before.cosine, "now": after.cosine, "by_chance": after.by_chance},
        formula=rf"\cos(0, 1) = {after.cosine[0, 1]:.3f} \qquad \cos(0, {len(after.cosine) - 1}) = "
        rf"{after.cosine[0, -1]:.3f}",
        script=lambda: _script(shown, options),
    )


def _script(shown: Live, options: digits.Options) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.patches.compute.position_maps import position_maps, table
        from core.train.experiment import record_of
        from core.rooms.patches.experiments import digits

        # A row of numbers for each place: as they were drawn, and as they were learned.
        options = digits.Options(patch_size=$patch_size, n_layer=$n_layer, warped=$warped, n_step=$n_step)
        before = digits.start(options, seed=$seed).model.pos_emb.weight.detach().numpy()
        now = $record["model.vit.pos_emb.weight"].astype("float32")

        # The cosine of every two of them, and its mean over patches that lie in the same way to each other.
        print_table(table(position_maps(before), position_maps(now)))
        """,
        seed=shown.seed,
        record=scripts.record("digits", shown),
        **asdict(options),
    )


def _maps(shown: PositionMaps, title: str, key: str) -> None:
    n_patch = len(shown.cosine)
    side = round(n_patch**0.5)
    pictures(
        np.zeros((n_patch, side, side), np.uint8),
        key=f"similarity-{key}",
        label=title,
        takeaway=f"{title}: {n_patch} maps, one for each position. For {shown.beside} of {n_patch}, the most similar "
        "other position is beside it in the grid.",
        titles=[f"{i}" for i in range(n_patch)],
        details=[f"position {i}, compared with another" for i in range(n_patch)],
        weights=as_grid(shown.cosine),
        weight_title="cosine",
        limits=(-1, 1),
        kind="signed",
        lines=1 if side < 8 else None,  # on cells of a few pixels they would hide what they divide
        columns=side,
        size=96 if side < 8 else 48,
        least=24,  # a phone keeps the grid, for the place of a map is the place of its patch
    )


def _in_words(before: PositionMaps, after: PositionMaps) -> str:
    n_patch = len(after.cosine)
    rows = "".join(
        f"| {name} | {signed(was)} | {signed(now)} |\n"
        for name, was, now in zip(GROUPS, before.groups, after.groups, strict=True)
        if np.isfinite(now)
    )
    table = (
        "**Mean cosine** of a position with those of other patches (1: the same direction, 0: unrelated)\n\n| "
        f"patches | before | now |\n|---|--:|--:|\n{rows}\n"
    )
    if n_patch <= 4:
        return (
            table + "With four patches, each touches all the others, so there is no grid to find. Smaller patches "
            "have one."
        )
    return table + (
        f"For **{after.beside} of {n_patch}** positions the most similar other one is beside it in the grid, corners "
        f"included; before training it was {before.beside}. It's no perfect grid and needn't be: the model learns only "
        "what helps it to read digits."
    )


def _fit(before: PositionMaps, after: PositionMaps) -> str:
    chance = (
        f"none of {N_SHUFFLE:,} random orders of the same positions"
        if not after.n_as_good
        else f"{after.n_as_good} of {N_SHUFFLE:,} random orders of the same positions"
    )
    fits = "fits" if after.n_as_good == 1 else "fit"
    return (
        f"Over all pairs, the rank correlation of likeness with nearness is {after.found:.2f} (before training "
        f"{before.found:.2f}); {chance} {fits} the grid as well."
    )
