"""Many heads: each projects the whole vector, and splitting the vector first loses something."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, seed, segmented_control
from core.nn.attention import MultiHeadAttention
from core.rooms.step_by_step.compute.split_heads import (
    ChunkedLinear,
    SplitComparison,
    compare_splits,
    split_then_project,
)

LABELS = module_labels(__name__)

VIEWS = {"weights": LABELS["view.weights"], "reach": LABELS["view.reach"], "mixed": LABELS["view.mixed"]}


class Inputs(Base, prefix="split_"):
    d_model: int = segmented_control((8, 16, 32, 64), 16, name="split_width")
    n_head: int = segmented_control((1, 2, 4, 8), 4, name="split_heads")
    seed: int = seed()
    view: str = segmented_control(VIEWS, "weights", heading="")


CODE = (MultiHeadAttention, ChunkedLinear, split_then_project, compare_splits)


def compute(inputs: Inputs) -> SplitComparison:
    """Run both layers, and count the weights of their modules."""
    return compare_splits(inputs.d_model, inputs.n_head, inputs.seed)


def draw(result: SplitComparison, inputs: Inputs) -> None:
    """Draw both layers side by side: their weights, the input each head can see, or the effect of W_O."""
    view, d_model, n_head = inputs.view, inputs.d_model, inputs.n_head
    pair = {"weights": result.w_q, "reach": result.reach, "mixed": result.mixed}[view]
    titles = (LABELS["project_first"], LABELS["split_first"])
    if view == "mixed":
        titles = (LABELS["with_output"], LABELS["without_output"])
    ui.add_template_values(seen=[int((changes != 0).sum(-1).min()) for changes in pair])
    heads, numbers = [LABELS("head_number", head=h) for h in range(n_head)], [f"x{number}" for number in range(d_model)]
    slots = [f"h{number * n_head // d_model}·{number % (d_model // n_head)}" for number in range(d_model)]
    rows, columns, row_title, column_title, value_title = {
        "weights": (slots, numbers, LABELS["q_number"], LABELS["x_number"], LABELS["weight"]),
        "reach": (heads, numbers, LABELS["head"], LABELS["token_number"], LABELS["q_change"]),
        "mixed": (
            heads,
            [f"out{n}" for n in range(d_model)],
            LABELS["head_off"],
            LABELS["out_number"],
            LABELS["change"],
        ),
    }[view]
    limit = float(np.abs(pair).max())
    for place, (side, values, title) in enumerate(zip(ui.two_columns("split"), pair, titles, strict=True)):
        with side:
            ui.matrix(
                values,
                rows=rows,
                columns=columns,
                key=f"split.{view}.{place}",
                kind="signed" if view == "weights" else "value",
                limits=(-limit if view == "weights" else 0.0, limit),
                row_title=row_title,
                column_title=column_title,
                value_title=value_title,
                label=title,
                height=420,
                takeaway=LABELS("zeros", title=title, n_zero=int((values == 0).sum()), n_cell=values.size),
            )
