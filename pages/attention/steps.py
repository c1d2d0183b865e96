"""Attention, step by step."""

from core.ui import layout

layout.page_header(
    "Attention, step by step",
    "From a query to the output: every matrix of one attention layer, small enough to check by hand, and every cell with its own arithmetic.",
)
