"""Beam search."""

from core.ui import layout

layout.page_header(
    "Beam search",
    "Keep several texts at once, and choose at the end.",
)
