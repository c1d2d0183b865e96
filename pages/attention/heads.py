"""Attention heads: all heads of a model on any text, one of them in every detail, and what happens without them."""

from core.ui.frame import layout

layout.page_header(
    "Attention heads",
    "A transformer reads with many heads at once. Here they all are, on your own words: find out what each one looks "
    "at, and what the model loses without it.",
)

from core.rooms.heads import (  # noqa: E402
    all_heads,
    attention_rollout,
    open_head,
    set_a_row,
    switch_off,
)
from core.rooms.heads.room import ROOM  # noqa: E402
from core.ui.controls import controls  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402

contents(ROOM)

looked = open_head.look_here()
if looked is not None:
    all_heads.room(looked)
    layout.section(
        "Does it matter?",
        "A striking pattern proves nothing. Switch a head off, or point it somewhere else by hand: everything after it "
        "is computed again, and you see whether the model cares.",
    )
    if not open_head.can_measure(looked):
        pass
    elif (
        controls.segmented("experiment", "Experiment", switch_off.EXPERIMENTS, switch_off.EXPERIMENTS[0])
        == switch_off.EXPERIMENTS[0]
    ):
        show(switch_off.switch_off, looked)
    else:
        show(set_a_row.set_a_row, looked, *open_head.open_head(looked))
    layout.section(
        "One picture for all layers?",
        "A head in the second layer reads tokens that already hold what the first layer brought them. **Rollout** "
        "multiplies the layers into one map, as many papers do. Compare it with a measurement of what matters.",
    )
    show(attention_rollout.attention_rollout, looked)
