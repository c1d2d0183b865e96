"""The encoder: a BERT reads in both directions, learns from gaps, and is then taught a task."""

from core.ui import layout

layout.page_header(
    "Encoder",
    "It reads the whole text at once. It learns by filling gaps, and then anything else faster.",
)
