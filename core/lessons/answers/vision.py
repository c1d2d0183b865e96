"""Answers on the vision transformer: patches, attention, what hiding them changes, positions."""

from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.train.experiments.live import Live
from core.ui.text import percent


@answer("vision.tokens")
def tokens(side: int = 224, patch: int = 16) -> Answer:
    """How many tokens a ViT makes of a square picture, cut into patches of so many pixels a side."""
    from core.rooms.pixels.compute.picture_cost import patch_tokens

    n, wide = patch_tokens(side, patch), side // patch
    return Answer(n, f"{side} / {patch} = {wide} patches a side, {wide} × {wide} = {wide * wide}, and one token more.",
                  patch_tokens)  # fmt: skip


@answer("vision.empty-patches")
def empty_patches() -> Answer:
    """In how many digits the patch that matters most, when patches are left out, has no ink."""
    from core.rooms.patches import rollout
    from core.rooms.patches.compute import patch_effect

    found = rollout.compute(rollout.Inputs(run=shown("digits"))).found
    return Answer(
        found.n_empty,
        f"In **{found.n_empty}** of {found.n} digits, or {percent(found.n_empty / found.n)}, the patch that changed "
        f"the answer most is blank. Of all patches {percent(found.empty)} are blank: that share would come by chance.",
        patch_effect.effect_of_each,
    )


@answer("vision.hidden-curve")
def hidden_curve(x: list[float], order: str = "most first", way: str = "removed") -> Answer:
    """Percent of digits that are still read with so many patches hidden, in the order of the class token's rollout."""
    import numpy as np

    from core.rooms.patches import hide
    from core.rooms.patches.compute import patch_effect

    result = hide.compute(hide.Inputs(run=shown("digits"), way=way))
    found, at, half = result.curves, hide.counts(result.n_patch), result.n_patch // 2
    heights = [100 * float(y) for y in np.interp(x, at, found[order])]
    told = ", ".join(f"{name} {percent(float(np.interp(half, at, found[name])))}" for name in hide.ORDERS)
    return Answer(
        heights, f"Read right with {half} of {result.n_patch} patches hidden: {told}.", patch_effect.accuracy_without
    )


@answer("vision.most-alike")
def most_alike() -> Answer:
    """Which other patches a position is most like: "side", "above", "row", "column" or "elsewhere"."""
    import numpy as np

    from core.rooms.patches import similarity
    from core.rooms.patches.compute.position_maps import GROUPS, position_maps

    found = similarity.compute(similarity.Inputs(run=shown("digits"))).after.groups
    names = ("side", "above", "row", "column", "elsewhere")
    told = ", ".join(f"{group} {value:.2f}" for group, value in zip(GROUPS, found, strict=True) if np.isfinite(value))
    return Answer(
        names[int(np.nanargmax(found))], f"Mean similarity of a place, from −1 to 1, to those {told}.", position_maps
    )


@answer("vision.bag")
def bag() -> Answer:
    """How many digits a twin without positions reads: about one in "ten", about "half", or "most"."""
    from core.rooms.patches.compute import patch_order

    share, whole, n = _shares(shown("digits"))
    return Answer(
        _size(share),
        f"The twin without positions reads **{percent(share)}** of {n} digits, the ViT {percent(whole)}.",
        patch_order.n_right,
    )


@answer("vision.own-bag")
def own_bag() -> Answer | NotYet:
    """The same question about the learner's own twin without positions."""
    from core.rooms.patches.compute import patch_order

    mine = own("digits", patch_size=4)
    if isinstance(mine, NotYet):
        return mine
    share, whole, n = _shares(mine)
    return Answer(
        _size(share),
        f"With 4 patches, your twin without positions reads **{percent(share)}** of {n} digits, your "
        f"ViT {percent(whole)}.",
        patch_order.n_right,
    )


def _shares(run: Live) -> tuple[float, float, int]:
    """Of the held-out digits, the shares that the twin without positions and the ViT read; how many there are."""
    from core.inputs import SHOW
    from core.rooms.patches import shuffle

    found = shuffle.compute(shuffle.Inputs(run=run, guess=SHOW))
    return found.scores["bag"].before / found.n, found.scores["ViT"].before / found.n, found.n


def _size(share: float) -> str:
    return "ten" if share < 0.25 else "half" if share < 0.75 else "most"
