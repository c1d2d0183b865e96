"""Sequence to sequence."""

from core.ui import layout

layout.page_header(
    "Sequence to sequence",
    "One net reads, another one writes. What passes between the two?",
)
