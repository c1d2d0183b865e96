"""Answers on what “it” is: with a causal mask, without positions, with one layer."""

from core.data import referents
from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.ui.live import Live
from core.ui.text import percent
from core.ui.trained import trained

NAME = "three-switches"


def right_share(live: Live, variant: str) -> float:
    """Share of the held-out sentences in which a trained variant names the right noun."""
    import torch

    from core.train.experiment import rebuild
    from core.train.experiments import naming
    from core.train.experiments.three_switches import VARIANTS

    model = rebuild(trained(live).record, variant, VARIANTS[variant])
    ids, answers = (torch.from_numpy(array) for array in referents.encode(referents.split(live.seed)[1]))
    with torch.no_grad():
        said = naming.answer_logits(model, ids).argmax(-1)
    return float((said == answers).double().mean())


def _measured(variant: str) -> tuple[float, str]:
    """How often a variant is right, and a sentence that says so."""
    live = shown(NAME)
    share, n = right_share(live, variant), len(referents.split(live.seed)[1])
    return share, f"It finds the right vessel in {round(share * n)} of {n} sentences: **{percent(share)}**."


@answer("switches.right")
def right(variant: str) -> Answer:
    """How often a variant is right, in percent."""
    from core.train.experiments.naming import Namer

    share, sentence = _measured(variant)
    return Answer(round(100 * share), sentence, Namer.advance)


@answer("switches.which")
def which(variant: str) -> Answer:
    """The same, as "all" (95% or more), "some" (above 60%), "half" (35 to 60%) or "less"."""
    from core.train.experiments.naming import Namer

    share, sentence = _measured(variant)
    name = "all" if share >= 0.95 else "some" if share > 0.6 else "half" if share >= 0.35 else "less"
    return Answer(name, sentence, Namer.advance)


@answer("switches.points-at")
def points_at(ending: str, first: str = "bottle", second: str = "cup") -> Answer:
    """The noun that the head which points best reads most from “it”: "first" or "second"."""
    from core.exhibits.work import three_switches as room
    from core.inspect import naming

    live = shown(NAME)
    models = trained(live)
    best = room.pointing_of(models, "full", live.seed).best
    row = room.named(models, "full", first, second, ending).rows[best]
    one, two = float(row[referents.FIRST]), float(row[referents.SECOND])
    return Answer(
        "first" if one > two else "second",
        f"In head {best[0]}.{best[1]} “it” reads {first} with {one:.2f} and {second} with {two:.2f}.",
        naming.pointing,
    )


@answer("switches.causal-moves")
def causal_moves(first: str = "bottle", second: str = "cup") -> Answer:
    """By how much anything that “it” reads moves with the ending, under a causal mask: "nothing", "little", "much"."""
    import numpy as np

    from core.exhibits.work import three_switches as room
    from core.nn.masks import causal

    models = trained(shown(NAME))
    full, empty = (room.named(models, "causal", first, second, ending) for ending in referents.ENDINGS)
    moved = max(float(np.abs(full.rows - empty.rows).max()), float(np.abs(full.nouns - empty.nouns).max()))
    return Answer(
        "nothing" if moved == 0 else "little" if moved < 0.1 else "much",
        f"Largest change of a weight or a probability at “it”, from “full” to “empty”: **{moved:g}**.",
        causal,
    )


@answer("switches.own-one-layer")
def own_one_layer() -> Answer | NotYet:
    """How often the learner's own model of one layer is right, in percent."""
    from core.train.experiments.naming import Namer

    mine = own(NAME)
    if isinstance(mine, NotYet):
        return mine
    share, full = right_share(mine, "one_layer"), right_share(mine, "full")
    return Answer(
        round(100 * share),
        f"With seed {mine.seed} and {mine.n_step} steps, your single layer is right in **{percent(share)}**, your two "
        f"layers in {percent(full)}.",
        Namer.advance,
    )
