"""Each learned position beside all others, as small maps where their patches are: what it learned of the grid."""

from typing import Any

import numpy as np

from core import ui
from core.exhibit import Result
from core.inspect.positions import cosines
from core.rooms.patches.compute.position_maps import GROUPS, PositionMaps, position_maps
from core.rooms.patches.experiments import digits
from core.rooms.patches.inputs import Trained
from core.ui.widgets.pictures import as_grid

CODE = (position_maps, cosines)


class Inputs(Trained):
    """The trained ViT alone."""


class Similarity(Result):
    """The positions with which the ViT began, and those that it has learned."""

    before: PositionMaps
    after: PositionMaps
    n_patch: int
    groups: list[tuple[str, float, float]]  # the mean cosine of each of `GROUPS` that there is, before training and now
    formula: str  # two of the cosines

    def table(self) -> dict[str, list[Any]]:
        """Group by group."""
        before, now = self.before.groups.tolist(), self.after.groups.tolist()
        return {"patch": list(GROUPS), "mean cosine, before training": before, "mean cosine, now": now}


def compute(inputs: Inputs) -> Similarity:
    """The cosine of every two positions: as they were drawn, and as they were learned."""
    run = inputs.run
    began = digits.start(digits.Options(**run.options), run.seed).model.pos_emb.weight.detach().numpy()
    before, after = map(position_maps, (began, run.record["model.vit.pos_emb.weight"].astype(np.float32)))
    groups, cosine = zip(GROUPS, map(float, before.groups), map(float, after.groups), strict=True), after.cosine
    n = len(cosine)
    return Similarity(
        before=before,
        after=after,
        n_patch=n,
        groups=[group for group in groups if np.isfinite(group[2])],
        formula=rf"\cos(0, 1) = {cosine[0, 1]:.3f} \qquad \cos(0, {n - 1}) = {cosine[0, -1]:.3f}",
    )


def draw(result: Similarity, inputs: Inputs) -> None:
    """Maps of similarity before and after training, and how well they fit the grid."""
    run = inputs.run
    after = "After training" if run.is_done else f"After {run.step} steps"
    n_patch, side = result.n_patch, round(result.n_patch**0.5)
    for place, title, maps in zip(
        ui.pair("similarity", alike=True), ("Before training", after), (result.before, result.after), strict=True
    ):
        with place:
            ui.pictures(
                np.zeros((n_patch, side, side), np.uint8),
                key=f"similarity-{'before' if maps is result.before else 'after'}-{run.seed}-{n_patch}",
                label=title,
                takeaway=ui.words("maps", title=title, beside=maps.beside),
                titles=[f"{i}" for i in range(n_patch)],
                details=[f"position {i}, compared with another" for i in range(n_patch)],
                weights=as_grid(maps.cosine),
                weight_title="cosine",
                limits=(-1, 1),
                kind="signed",
                lines=1 if side < 8 else None,  # on cells of a few pixels they would hide what they divide
                columns=side,
                size=96 if side < 8 else 48,
                least=24,  # a phone keeps the grid, for the place of a map is the place of its patch
            )
