"""A beam search as a table: one line for each candidate that it called."""

from collections.abc import Sequence
from typing import Any

from core.data.printable import visible
from core.generate.beam import BeamResult


def candidate_table(result: BeamResult, vocabulary: Sequence[str]) -> dict[str, list[Any]]:
    """All candidates of all steps, the best of each step first.

    Args:
        result: of a search.
        vocabulary: (V,) tokens as they can be read.

    Returns:
        By column: the step and the candidate's place in it (from 1), the place of the text that it continues among
        those kept (from 1), its token, log-probability, sum and score, and whether it was kept, finished or dropped.
    """
    columns: dict[str, list[Any]] = {
        name: [] for name in ("step", "place", "parent", "token", "log_prob", "sum", "score", "fate")
    }
    for n, step in enumerate(result.tree, start=1):
        for c, token in enumerate(step.tokens.tolist()):
            fate = "finished" if step.finished[c] else "kept" if step.kept[c] else "dropped"
            values = (
                n, c + 1, int(step.parents[c]) + 1, visible(vocabulary[token]),
                float(step.log_probs[c]), float(step.totals[c]), float(step.scores[c]), fate,
            )  # fmt: skip
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
    return columns
