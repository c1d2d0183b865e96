"""Answers on what “it” is: with a causal mask, without positions, with one layer."""

from core.data.synthetic import referents
from core.lessons.answers.answer import Answer, NotYet, answer
from core.lessons.answers.trainings import own, shown
from core.train.experiments.live import Live
from core.ui.text import percent

NAME = "three-switches"


def right_share(live: Live, variant: str) -> float:
    """Share of the held-out sentences in which a trained variant names the right noun."""
    import torch

    from core.rooms.heads_at_work.experiments.three_switches import VARIANTS
    from core.train.experiment import rebuild
    from core.train.experiments import naming

    model = rebuild(live.record, variant, VARIANTS[variant])
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


@answer("switches.turns")
def turns(variant: str, first: str = "bottle", second: str = "cup") -> Answer:
    """Whether the noun that "it" reads more "turns" with the ending or "stays", in the head where the ratio of the two
    changes most."""
    import numpy as np

    from core.rooms.heads_at_work import three_switches as room
    from core.rooms.heads_at_work.compute import naming

    found = room.compute(room.Inputs(model=variant, first=first, second=second), shown(NAME))
    shares = []
    for ending in referents.ENDINGS:
        rows = found.readings[ending].rows.astype(np.float64)
        one, two = rows[..., referents.FIRST], rows[..., referents.SECOND]
        shares.append(one / (one + two))
    moved = np.abs(shares[0] - shares[1])
    head = np.unravel_index(int(moved.argmax()), moved.shape)
    full, empty = (float(share[head]) for share in shares)
    return Answer(
        "turns" if (full > 0.5) != (empty > 0.5) else "stays",
        f"In head {head[0]}.{head[1]}, of what “it” reads of the two, the {first} has {percent(full)} with “full” and "
        f"{percent(empty)} with “empty”. In no head do the shares change more.",
        naming.name_it,
    )


@answer("switches.sure")
def sure(variant: str, first: str = "bottle", second: str = "cup") -> Answer:
    """The probability of the noun that a variant names where the ending is "full", in percent."""
    import numpy as np

    from core.data.synthetic import NOUNS
    from core.rooms.heads_at_work import three_switches as room
    from core.rooms.heads_at_work.compute import naming

    found = room.compute(room.Inputs(model=variant, first=first, second=second), shown(NAME))
    full, empty = (found.readings[ending] for ending in referents.ENDINGS)
    moved = max(float(np.abs(full.rows - empty.rows).max()), float(np.abs(full.nouns - empty.nouns).max()))
    told = " and ".join(f"{noun} {percent(float(full.nouns[NOUNS.index(noun)]))}" for noun in (first, second))
    return Answer(
        round(100 * float(full.nouns.max())),
        f"At “full” it gives {told}. From “full” to “empty”, a probability or a weight at “it” changes by at most "
        f"**{moved:g}**.",
        naming.name_it,
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
