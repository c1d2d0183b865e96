"""Attention heads: all heads of a model on any text, one of them in every detail, and what happens without them."""

from core.ui import layout

layout.page_header(
    "Attention heads",
    "A transformer reads with many heads at once. Here they all are, on your own words: find out what each one looks "
    "at, and what the model loses without it.",
)

from core.exhibits import (  # noqa: E402  (the title stands before torch)
    edit_row,
    heads,
    heads_lines,
    heads_one,
    heads_open,
    heads_product,
    heads_rollout,
    knockout,
)
from core.ui import controls  # noqa: E402
from core.ui.frame import contents, show  # noqa: E402
from core.ui.looking import look  # noqa: E402
from core.ui.models import READERS  # noqa: E402

contents(
    heads.all_heads,
    heads_one.one_head,
    heads_lines.as_lines,
    heads_product.coordinates,
    knockout.switch_off,
    heads_rollout.attention_rollout,
)

looked = look(most=heads_open.MOST_TOKENS, kinds=READERS)
if looked is not None:
    heads.room(looked)
    layout.section(
        "Does it matter?",
        "A striking pattern proves nothing. Switch a head off, or point it somewhere else by hand: everything after it "
        "is computed again, and you see whether the model cares.",
    )
    if not heads_open.can_measure(looked):
        pass
    elif (
        controls.segmented("experiment", "Experiment", knockout.EXPERIMENTS, knockout.EXPERIMENTS[0])
        == knockout.EXPERIMENTS[0]
    ):
        show(knockout.switch_off, looked)
    else:
        show(edit_row.set_a_row, looked, *heads_open.open_head(looked))
    layout.section(
        "One picture for all layers?",
        "A head in the second layer reads tokens that already hold what the first layer brought them. **Rollout** "
        "multiplies the layers into one map, as many papers do. Compare it with a measurement of what matters.",
    )
    show(heads_rollout.attention_rollout, looked)
