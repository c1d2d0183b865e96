"""Answers on masks."""

from core.lessons.answers.answer import Answer, answer
from core.nn import masks


@answer("masks.open-cells")
def open_cells(n: int, kind: str = "causal") -> Answer:
    """How many cells of an n x n map may be read."""
    mask = masks.causal(n) if kind == "causal" else masks.full(n)
    n_open = int(mask.sum())
    return Answer(n_open, f"`masks.{kind}({n})` has {n_open} cells that are True.", masks.causal)
