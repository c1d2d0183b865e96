"""All heads of a model on one text, ranked by what they attend to."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import MAX_MODELS, MAX_TRACES, Look, Result, memoize, segmented, slider
from core.inspect import head_scores as heads
from core.inspect.head_scores import NAMES, HeadScores, RankedHead
from core.inspect.reading.model_and_text import attention, parse_ids, reader
from core.inspect.reading.model_key import ModelKey
from core.inspect.trace import AttentionRecord
from core.rooms.heads.inputs import HeadInputs

WARM_UP = True  # torch imports hundreds of modules at its first use
CODE = (heads.random_induction, heads.score_weights, heads.rank_heads)


RANKINGS = {name: label for name, label in NAMES.items() if name != "induction_text"}


class Inputs(HeadInputs):
    rank: str = segmented("Rank the heads by", RANKINGS, "previous_token", look=Look())
    threshold: float = slider("Threshold for the name", 0.05, 1.0, 0.5, step=0.05, look=Look())


class HeadRanking(Result):
    """The attention on a text, all scores, and all heads ranked by one of them, highest first."""

    record: AttentionRecord
    scores: HeadScores
    ranked: list[RankedHead]
    scored: list[RankedHead]  # heads with a score: those for which the text has a case
    reached: list[RankedHead]  # heads that reach the threshold

    def table(self) -> dict[str, list[float]]:
        return self.scores.table()


@memoize(MAX_MODELS)
def _cached_induction(key: ModelKey) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the induction scores on random tokens, which are the same for every text."""
    return heads.random_induction(reader(key))


@memoize(MAX_TRACES)
def _cached_scores(key: ModelKey, ids_key: str) -> HeadScores:
    """Return the scores of all heads on a text, as `score_heads` does."""
    record = attention(key, ids_key)
    return heads.score_weights(record.weights, parse_ids(ids_key), *_cached_induction(key), record.masks)


def compute(inputs: Inputs) -> HeadRanking:
    """Run the model twice: on the text, and on random tokens that come twice, which only induction can predict."""
    given = inputs.given
    scores = _cached_scores(given.key, given.encoded.ids_key)
    ranked = heads.rank_heads(scores, inputs.rank, inputs.threshold)
    return HeadRanking(
        record=given.attention,
        scores=scores,
        ranked=ranked,
        scored=[head for head in ranked if not np.isnan(head.value)],
        reached=[head for head in ranked if head.reaches],
    )


def draw(result: HeadRanking, inputs: Inputs) -> None:
    """Draw the grid of heads, with each head's score for the ranking below it."""
    ranked = {rank: heads.rank_heads(result.scores, rank) for rank in RANKINGS}
    names = {rank: {"label": ui.words(f"label-{rank}"), "meaning": ui.words(f"meaning-{rank}")} for rank in RANKINGS}

    def best(rank: str, threshold: float) -> dict[str, object]:
        first = ranked[rank][0]
        return names[rank] | {
            "layer": first.layer,
            "head": first.head,
            "value": first.value,
            "has_case": not np.isnan(first.value),
            "n": sum(head.value >= threshold for head in ranked[rank]),
            "n_head": len(ranked[rank]),
            "threshold": threshold,
            "uniform": float(result.scores.uniform[rank][first.layer]),
        }

    ui.facts(ui.each(best, inputs.rank, inputs.threshold), layers_differ=result.record.layers_differ)
    ui.head_grid(
        result.record.weights,
        tokens=inputs.given.tokens,
        key="heads.grid",
        selected=(ui.chosen(inputs.layer), ui.chosen(inputs.head)),
        scores=ui.along([{label: getattr(result.scores, name)} for name, label in RANKINGS.items()], inputs.rank),
        best=ui.along([*RANKINGS.values()], inputs.rank),
        threshold=ui.chosen(inputs.threshold),
        label="All heads",
    )
