"""The encoder-decoder: one side reads a text, the other writes one."""

from core.ui import layout

layout.page_header(
    "Encoder-decoder",
    "One side reads, the other writes, and asks the first one at every word.",
)
