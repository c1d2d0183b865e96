"""Many heads: each projects the whole vector, and splitting the vector first loses something."""

import numpy as np

from core import ui
from core.exhibit import Inputs as Base, seed, segmented_control
from core.nn.attention import MultiHeadAttention
from core.rooms.step_by_step.compute.split_heads import (
    ChunkedLinear,
    SplitComparison,
    compare_splits,
    split_then_project,
)

VIEWS = {"weights": "The query matrix", "reach": "What a head can see", "mixed": "What the output matrix is for"}


class Inputs(Base, prefix="split_"):
    d_model: int = segmented_control("Width", (8, 16, 32, 64), 16, name="split_width")
    n_head: int = segmented_control("Heads", (1, 2, 4, 8), 4, name="split_heads")
    seed: int = seed()
    view: str = segmented_control("Show", VIEWS, "weights", heading="")


CODE = (MultiHeadAttention, ChunkedLinear, split_then_project, compare_splits)


def compute(inputs: Inputs) -> SplitComparison:
    """Run both layers, and count the weights of their modules."""
    return compare_splits(inputs.d_model, inputs.n_head, inputs.seed)


def draw(result: SplitComparison, inputs: Inputs) -> None:
    """Draw both layers side by side: their weights, the input each head can see, or the effect of W_O."""
    view, d_model, n_head = inputs.view, inputs.d_model, inputs.n_head
    pair = {"weights": result.w_q, "reach": result.reach, "mixed": result.mixed}[view]
    titles = ("Project, then split (standard)", "Split, then project")
    if view == "mixed":
        titles = ("With the output matrix", "Without it: heads only side by side")
    ui.add_template_values(seen=[int((changes != 0).sum(-1).min()) for changes in pair])
    heads, numbers = [f"head {h}" for h in range(n_head)], [f"x{number}" for number in range(d_model)]
    slots = [f"h{number * n_head // d_model}·{number % (d_model // n_head)}" for number in range(d_model)]
    rows, columns, row_title, column_title, value_title = {
        "weights": (slots, numbers, "number of q", "number of x", "weight"),
        "reach": (heads, numbers, "head", "number of the token that grows by 1", "change of q"),
        "mixed": (heads, [f"out{n}" for n in range(d_model)], "head switched off", "number of the output", "change"),
    }[view]
    limit = float(np.abs(pair).max())
    for side, values, title in zip(ui.two_columns("split"), pair, titles, strict=True):
        with side:
            ui.matrix(
                values,
                rows=rows,
                columns=columns,
                key=f"split.{view}.{title[:7]}",
                kind="signed" if view == "weights" else "value",
                limits=(-limit if view == "weights" else 0.0, limit),
                row_title=row_title,
                column_title=column_title,
                value_title=value_title,
                label=title,
                height=420,
                takeaway=f"{title}: {int((values == 0).sum())} of {values.size} cells are exactly 0.",
            )
