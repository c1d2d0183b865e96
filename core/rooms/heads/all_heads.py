"""All heads of a model on one text, ranked by what they attend to."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import MAX_MODELS, MAX_TRACES, Result, ViewChoice, memoize, segmented_control, slider
from core.inspect import head_scores as heads
from core.inspect.attention_record import AttentionRecord
from core.inspect.head_scores import SCORE_NAMES, HeadScores, RankedHead
from core.inspect.model_inputs.model_and_text import load_text_reader, parse_ids_key, text_attention
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.heads.inputs import HeadInputs

LABELS = module_labels(__name__)

WARM_UP = True  # torch imports hundreds of modules at its first use
CODE = (heads.induction_on_random_tokens, heads.head_scores_from_weights, heads.rank_heads)


RANKINGS = {name: label for name, label in SCORE_NAMES.items() if name != "induction_text"}


class Inputs(HeadInputs):
    rank: str = segmented_control(RANKINGS, "previous_token", view=ViewChoice())
    threshold: float = slider(0.05, 1.0, 0.5, step=0.05, view=ViewChoice())


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
    return heads.induction_on_random_tokens(load_text_reader(key))


@memoize(MAX_TRACES)
def _cached_scores(key: ModelKey, ids_key: str) -> HeadScores:
    """Return the scores of all heads on a text, as `score_heads` does."""
    record = text_attention(key, ids_key)
    return heads.head_scores_from_weights(record.weights, parse_ids_key(ids_key), *_cached_induction(key), record.masks)


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
    names = {
        rank: {"label": ui.section_text(f"label-{rank}"), "meaning": ui.section_text(f"meaning-{rank}")}
        for rank in RANKINGS
    }

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

    def sentence(rank: str) -> str:
        first = ranked[rank][0]
        key = "no_case" if np.isnan(first.value) else "sentence"
        return LABELS(key, name=names[rank]["label"], layer=first.layer, head=first.head, value=first.value)

    ui.add_template_values(
        ui.for_each_option(best, inputs.rank, inputs.threshold), layers_differ=result.record.layers_differ
    )
    ui.head_grid(
        result.record.weights,
        tokens=inputs.given.tokens,
        key="heads.grid",
        selected=(ui.choice_ref(inputs.layer), ui.choice_ref(inputs.head)),
        scores=ui.select_by_choice(
            [{label: getattr(result.scores, name)} for name, label in RANKINGS.items()], inputs.rank
        ),
        best=ui.select_by_choice([*RANKINGS.values()], inputs.rank),
        threshold=ui.choice_ref(inputs.threshold),
        label="",
        sentence=ui.for_each_option(sentence, inputs.rank),
    )
