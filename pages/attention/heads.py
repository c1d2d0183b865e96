"""Attention heads: all heads of a model on any text, one of them large, and what happens without them."""

import streamlit as st

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
    grid = st.container()
    with st.container(key="open-head"):
        layer, head = heads.choose_head(looked)
    with grid:
        show(heads.all_heads, looked, layer, head)
    show(heads.one_head, looked, layer, head)
    layout.section(
        "Does it matter?",
        "A striking pattern is a picture, no proof. What counts is what the model does when the pattern is gone: "
        "switch a head off, or point it somewhere else by hand, and everything after it is computed anew.",
    )
    if controls.segmented("experiment", "Experiment", knockout.EXPERIMENTS, "Switch heads off") == "Switch heads off":
        show(knockout.switch_off, looked)
    else:
        show(edit_row.set_a_row, looked, layer, head)
