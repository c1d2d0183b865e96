"""Answers on masks: counted, and measured on the stories model."""

from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.ui.numbers import power_of_ten

NO_MODEL = NotYet("The model of little stories isn't on this machine, so there's nothing to compute an answer with.")


@answer("masks.open-cells")
def open_cells(n: int, kind: str = "causal") -> Answer:
    """How many cells of an n x n map may be read."""
    from core.nn import masks

    mask = masks.causal(n) if kind == "causal" else masks.full(n)
    n_open = int(mask.sum())
    return Answer(n_open, f"The {kind} mask for {n} words has {n_open} open cells.", masks.causal)


@answer("masks.and-or")
def and_or(n_token: int = 14, n_padding: int = 3) -> Answer:
    """Whether “or” in place of “and” opens more cells of a causal and a padding mask, or fewer."""
    from core.rooms.masks.compute import masks

    n = n_token + n_padding
    kinds = ("causal", "padding")
    n_open = {
        how: int(masks.combine(kinds, n, n_real=n_token, n_prefix=0, window=1, how=how).sum()) for how in ("and", "or")
    }
    came = "more" if n_open["or"] > n_open["and"] else "fewer" if n_open["or"] < n_open["and"] else "same"
    return Answer(
        came,
        f"Of {n * n} cells, “and” leaves {n_open['and']} open, “or” {n_open['or']}.",
        masks.combine,
    )


@answer("masks.zero-before")
def zero_before(text: str = "", layer: int = 0, head: int = -1) -> Answer | NotYet:
    """Percent of its weight that a text's first token gives to later ones, when blocked scores become 0 first."""
    from core.inspect.reading.model_and_text import read
    from core.rooms.masks import inputs, places
    from core.rooms.masks.compute import mask_placement
    from core.ui.models import models

    try:
        given = read("stories", text or inputs.SENTENCE)
        n_head = int(given.config.n_head)
        found = places.compute(places.Inputs(given=given, layer=layer, head=head % n_head))
    except models.ModelUnreadable:
        return NO_MODEL
    return Answer(
        100 * float(found.leaks[1, 0]),
        f"Measured in layer {layer}, head {head % n_head} of the stories model. With minus infinity it's "
        f"{100 * float(found.leaks[0, 0]):g}%.",
        mask_placement.zero_before,
    )


@answer("masks.empty-row")
def empty_row(number: str = "−1e9", kind: str = "float32", n_key: int = 14) -> Answer:
    """What a softmax makes of a row in which every score is blocked with this number."""
    import numpy as np

    from core.rooms.masks.compute import mask_placement

    scores = np.linspace(-1, 1, n_key, dtype=np.float32)
    every = mask_placement.lowest_numbers(scores, np.arange(n_key) == 0)
    row = next(one for one in every.found if (one.number, one.kind) == (number, kind)).empty_row
    if np.isnan(row).any():
        return Answer("nan", f"All {n_key} weights are nan: 0 divided by 0.", mask_placement.lowest_numbers)
    if not row.any():
        return Answer("zeros", f"All {n_key} weights are 0.", mask_placement.lowest_numbers)
    return Answer(
        "even" if np.allclose(row, row[0], rtol=0.02) else "other",
        f"All {n_key} weights are {row[0]:.3f}: the row reads everything alike.",
        mask_placement.lowest_numbers,
    )


@answer("masks.reach")
def reach(window: int = 3, n_layer: int = 4, n_token: int = 24) -> Answer:
    """How many tokens back something can come from, through layers with a window each."""
    import numpy as np

    from core.nn import masks
    from core.rooms.masks.compute import reach as reaching

    mask = masks.sliding_window(n_token, window).numpy()
    furthest = {n: n_token - 1 - int(np.flatnonzero(reaching.reach(mask, n)[-1])[0]) for n in (1, n_layer)}
    return Answer(
        furthest[n_layer],
        f"One layer reaches {furthest[1]} tokens back, {n_layer} layers {furthest[n_layer]}.",
        reaching.reach,
    )


@answer("masks.padding-noticed")
def padding_noticed(causal: bool, masked: bool) -> Answer | NotYet:
    """Whether a text's outputs change when it is padded on the right in a batch."""
    from core.rooms.masks import batch
    from core.rooms.masks.compute import padded_batch
    from core.ui.models import models

    try:
        found = batch.compute(batch.Inputs()).changes
    except models.ModelUnreadable:
        return NO_MODEL
    case = next(one for one in found if (one.causal, one.masked, one.left) == (causal, masked, False))
    size = "exactly 0" if case.largest == 0 else power_of_ten(case.largest)
    return Answer(
        "kept" if case.largest < batch.SAME else "moved",
        f"The largest change in a real token's output is {size}.",
        padded_batch.changes_by_padding,
    )


@answer("masks.at-the-end")
def at_the_end() -> Answer:
    """How the model without a mask does where nothing follows: against the one with it, as trained last."""
    from core.rooms.masks.cheating import EXPERIMENT as NAME
    from core.rooms.masks.cheating import outcome
    from core.rooms.masks.experiments import cheating

    mine = own(NAME)
    now = shown(NAME) if isinstance(mine, NotYet) else mine
    masked, unmasked = (float(now.record[f"end_loss.{v}"]) for v in cheating.VARIANTS)
    return Answer(
        outcome(masked, unmasked),
        f"At the end of a text the loss is {masked:.2f} with the mask and {unmasked:.2f} without. Over a whole "
        f"new text it was {float(now.record['val_loss.masked']):.2f} against "
        f"{float(now.record['val_loss.unmasked']):.2f}.{'' if now.is_example else ' These are your own two models.'}",
        cheating.end_loss,
    )
