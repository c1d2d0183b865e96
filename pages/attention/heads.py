"""Attention heads: all heads of a model on any text, one of them large, and what happens without them."""

from core.ui import layout

layout.page_header(
    "Attention heads",
    "A transformer reads with many heads at once. Here are all of them, on your own words: find out what each one "
    "looks at, and what the model loses without it.",
)

from core.exhibits import edit_row, heads, knockout  # noqa: E402  (the title stands before torch is imported)
from core.ui import controls  # noqa: E402
from core.ui.frame import show  # noqa: E402
from core.ui.looking import look  # noqa: E402

looked = look(most=heads.MOST_TOKENS)
if looked is not None:
    heads.room(looked)
    layout.section(
        "Does it matter?",
        "A striking pattern is a picture, no proof. What counts is what the model does when the pattern is gone: "
        "switch a head off, or point it somewhere else by hand, and everything after it is computed anew.",
    )
    if (
        controls.segmented("experiment", "Experiment", knockout.EXPERIMENTS, knockout.EXPERIMENTS[0])
        == knockout.EXPERIMENTS[0]
    ):
        show(knockout.switch_off, looked)
    else:
        show(edit_row.set_a_row, looked, *heads.open_head(looked))
