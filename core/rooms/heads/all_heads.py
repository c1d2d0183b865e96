"""All heads of a model on one text, ranked by what they look at."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import MAX_MODELS, MAX_TRACES, Look, memoize, segmented, slider
from core.inspect import head_scores as heads
from core.inspect.head_scores import NAMES, HeadScores, RankedHead
from core.inspect.reading.model_and_text import attention, parse_ids, reader
from core.inspect.reading.model_key import ModelKey
from core.inspect.trace import AttentionRecord
from core.rooms.heads.inputs import Head

WARM_UP = True  # torch imports hundreds of modules only when it is first used
CODE = (heads.random_induction, heads.score_weights, heads.rank_heads)


RANKS = {name: label for name, label in NAMES.items() if name != "induction_text"}


class Inputs(Head):
    """By which score, and from where on a head has its name."""

    rank: str = segmented("Rank the heads by", RANKS, "previous_token", look=Look())
    threshold: float = slider("Threshold for the name", 0.05, 1.0, 0.5, step=0.05, look=Look())


@dataclass(frozen=True)
class Result:
    """The attention of a text, all scores, and all heads by one of them, the highest first."""

    record: AttentionRecord
    scores: HeadScores
    ranked: list[RankedHead]
    uniform: float  # the score of a head beside the best one, in its layer, that reads all alike

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


@memoize(MAX_MODELS)
def induction(key: ModelKey) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """On random tokens: the same for every text."""
    return heads.random_induction(reader(key))


@memoize(MAX_TRACES)
def scores_of(key: ModelKey, ids_key: str) -> HeadScores:
    """The scores of all heads on a text, as `score_heads` has them."""
    record = attention(key, ids_key)
    return heads.score_weights(record.weights, parse_ids(ids_key), *induction(key), record.masks)


def compute(inputs: Inputs) -> Result:
    """Two passes: one over the text, one over random tokens that come twice, which only induction can foresee."""
    given, by = inputs.given, inputs.rank
    scores = scores_of(given.key, given.encoded.ids_key)
    ranked = heads.rank_heads(scores, by, inputs.threshold)
    return Result(given.attention, scores, ranked, float(scores.uniform[by][ranked[0].layer]))


def draw(result: Result, inputs: Inputs) -> None:
    """The grid with the score that ranks it below each head, and who is best."""
    scores = {name: getattr(result.scores, name) for name in RANKS}
    _say(result, inputs, [heads.rank_heads(result.scores, name) for name in RANKS])
    ui.head_grid(
        result.record.weights,
        tokens=inputs.given.tokens,
        key="heads.grid",
        selected=(ui.chosen("layer"), ui.chosen("head")),
        scores=ui.along([{RANKS[name]: score} for name, score in scores.items()], "rank"),
        best=ui.along([*RANKS.values()], "rank"),
        threshold=ui.chosen("threshold"),
        label="All heads",
    )


def _say(result: Result, inputs: Inputs, ranked: list[list[RankedHead]]) -> None:
    """Who is best by each score, and how many heads reach each threshold; a text may have no case for a score."""
    steps = [round(step / 20, 2) for step in range(1, 21)]
    reached = [[sum(head.value >= step for head in heads) for step in steps] for heads in ranked]
    has_case = [not np.isnan(heads[0].value) for heads in ranked]
    best = [heads[0] for heads in ranked]
    facts = {
        "value": ui.along([head.value for head in best], "rank"),
        "layer": ui.along([head.layer for head in best], "rank"),
        "head": ui.along([head.head for head in best], "rank"),
        "label": ui.along([ui.words(f"label-{name}") for name in RANKS], "rank"),
        "meaning": ui.along([ui.words(f"meaning-{name}") for name in RANKS], "rank"),
        "n": ui.along([[n or "None" for n in row] for row in reached], "rank", "threshold"),
        "reach": ui.along([["reaches" if n < 2 else "reach" for n in row] for row in reached], "rank", "threshold"),
        "threshold": ui.along(steps, "threshold"),
        "uniform": ui.along(
            [result.scores.uniform[name][one.layer] for name, one in zip(RANKS, best, strict=True)], "rank"
        ),
        "layers_differ": result.record.layers_differ,
        "n_head": len(ranked[0]),
    }
    ui.say(ui.along(["best" if one else "" for one in has_case], "rank"), **facts)
    ui.say(ui.along(["verdict" if one else "no-case" for one in has_case], "rank"), **facts)
