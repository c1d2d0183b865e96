"""Masks."""

from core.ui import layout

layout.page_header(
    "Masks",
    "A mask says who may read whom. See what it does to the scores, why it must come before the softmax, and draw your own.",
)
