"""Two gaps at once: each is filled independently, so two answers that are good alone may not fit together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic.masked_stories import masked_story_vocabulary
from core.exhibit import Inputs as Base, slider, text_input
from core.inspect import gaps as inspect_gaps
from core.inspect.gaps import TwoGapPredictions
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.inputs import STORY, last_gap, note_story, story_ids, trained_pair
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "masked"
N_WORD = 5
FIRST, SECOND = 18, 19  # "an apple"
CODE = (inspect_gaps.fill_two_gaps,)


class Inputs(Base, prefix="two_"):
    text: str = text_input(task.PROBE, max_chars=400, notes=note_story, label=STORY)
    first: int = slider(1, last_gap, lambda i: min(FIRST, last_gap(i) - 1), heading="")
    second: int = slider(1, last_gap, SECOND)


@dataclass(frozen=True)
class GapPairs(TwoGapPredictions):
    """Pairs of words in two gaps of a text."""

    ids: tuple[int, ...]  # (T,) ids of the text
    gaps: tuple[int, int]  # both positions

    tokens: list[str]
    truth: NDArray[np.bool_]  # (n, n) True where both words match the text
    best: tuple[tuple[int, int], tuple[int, int]]  # the best pair at once, and one after the other
    formula: str  # the best pair's probability at once, and one after the other


def compute(inputs: Inputs, run: ExperimentRun) -> GapPairs:
    """Fill both gaps at once; then predict the second again, with each of the first gap's words filled in."""
    opened, ids = trained_pair(run), story_ids(inputs.text)
    one, other = inputs.first, inputs.second
    if one == other:
        other = one + 1 if one < len(ids) - 1 else one - 1
    found = inspect_gaps.fill_two_gaps(
        opened.bert, ids, (one, other), masked_story_vocabulary().mask_id, N_WORD, masked_story_vocabulary().n_plain
    )
    against = LABELS["formula.against"]
    at_once, then = (divmod(int(p.argmax()), p.shape[1]) for p in (found.apart, found.in_turn))
    return GapPairs(
        **vars(found),
        ids=ids,
        gaps=(one, other),
        tokens=masked_story_vocabulary().labels(ids),
        truth=(found.first == ids[one])[:, None] & (found.second == ids[other]),
        best=(at_once, then),
        formula=rf"{found.apart.max():.3f} \quad\text{{{against}}}\quad {found.in_turn[at_once]:.3f}",
    )


def draw(result: GapPairs, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the same pairs of words, filled independently and one after the other."""
    ui.add_template_values(is_one=inputs.first == inputs.second)
    first, second = result.labels
    titles = LABELS["at_once"], LABELS["in_turn"]
    if ui.depth_at_least("numbers"):
        titles = LABELS["at_once.exact"], LABELS["in_turn.exact"]
    limits = 0, max(0.01, float(max(result.apart.max(), result.in_turn.max())))
    how: dict[str, Any] = {"rows": first, "columns": second, "truth": result.truth, "limits": limits}
    how |= {"row_title": LABELS["first_gap"], "column_title": LABELS["second_gap"]}
    how |= {"value_title": LABELS["probability"], "truth_title": LABELS["truth"]}
    maps = {"apart": result.apart, "turn": result.in_turn}
    for place, (key, p), best, label in zip(ui.two_columns("two-maps"), maps.items(), result.best, titles, strict=True):
        takeaway = LABELS(
            "takeaway", label=label, first=first[best[0]], second=second[best[1]], probability=float(p.max())
        )
        with place:
            ui.matrix(p, key=f"two-{key}", selected=best, label=label, takeaway=takeaway, height=240, **how)
