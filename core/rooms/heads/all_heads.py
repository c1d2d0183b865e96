"""All heads of a model on one text, ranked by what they look at."""

from dataclasses import dataclass

import numpy as np

from core import ui
from core.cache import MAX_TRACES, memoize
from core.inputs import segmented, slider
from core.inspect.reading.model_and_text import reader, unpack
from core.inspect.reading.model_key import ModelKey
from core.inspect.trace import AttentionRecord
from core.rooms.heads.compute import heads
from core.rooms.heads.compute.heads import NAMES, HeadScores, RankedHead
from core.rooms.heads.inputs import Head

WARM_UP = True  # torch imports hundreds of modules only when it is first used
CODE = (heads.score_heads, heads.from_weights, heads.rank)


class Inputs(Head):
    """By which score, and from where on a head has its name."""

    rank: str = segmented(
        "Rank the heads by",
        {name: label for name, label in NAMES.items() if name != "induction_text"},
        "previous_token",
    )
    threshold: float = slider("Threshold for the name", 0.05, 1.0, 0.5, step=0.05)


@dataclass(frozen=True)
class Result:
    """The attention of a text, all scores, and all heads by one of them, the highest first."""

    record: AttentionRecord
    scores: HeadScores
    ranked: list[RankedHead]
    uniform: float

    @property
    def scored(self) -> list[RankedHead]:
        """Those for which the text gives a case."""
        return [head for head in self.ranked if not np.isnan(head.value)]

    @property
    def reached(self) -> list[RankedHead]:
        return [head for head in self.ranked if head.reaches]

    def table(self) -> dict[str, list[float]]:
        """One line for each head, one column for each score."""
        return self.scores.table()


@memoize(MAX_TRACES)
def scores_of(key: ModelKey, packed: str) -> HeadScores:
    """The scores of all heads on a text."""
    return heads.score_heads(reader(key), unpack(packed))


def compute(inputs: Inputs) -> Result:
    """Two passes: one over the text, one over random tokens that come twice, which only induction can foresee."""
    given, by = inputs.given, inputs.rank
    scores = scores_of(given.key, given.encoded.packed)
    return Result(given.attention, scores, heads.rank(scores, by, inputs.threshold), scores.uniform[by])


def draw(result: Result, inputs: Inputs) -> None:
    """The grid with the score that ranks it below each head, and who is best."""
    given, layer, head, name = inputs.given, inputs.layer, inputs.head, NAMES[inputs.rank]
    if ui.picks.has_news("heads.grid", given.content):
        ui.st.rerun()  # the whole page opens another head
    if result.scored:
        ui.say("best")
    ui.say("verdict")
    ui.head_grid(
        result.record.weights,
        tokens=given.tokens,
        key=ui.picks.key("heads.grid", given.content, {"layer": layer, "head": head}),
        selected=(layer, head),
        scores={name: getattr(result.scores, inputs.rank)},
        best=name,
        threshold=inputs.threshold,
        label="All heads",
    )
