"""Attention, step by step: a soft dictionary, then one whole layer whose every cell explains itself."""

from core.ui import layout

layout.page_header(
    "Attention, step by step",
    "From a query to the output: every matrix of one attention layer, small enough to check by hand, and every cell "
    "with its own arithmetic.",
)

from core.exhibits.steps import walk  # noqa: E402  (the title stands before torch is imported)
from core.ui.frame import show  # noqa: E402

layout.section(
    "One layer, small enough to check",
    "Step through it, point at any cell to see where it comes from, and set any number yourself: everything after it "
    "follows.",
)
show(walk.whole_walk)
