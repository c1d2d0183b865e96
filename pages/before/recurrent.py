"""Recurrent nets."""

from core.ui import layout

layout.page_header(
    "Recurrent nets",
    "A net that reads one token at a time and must keep what it needs in its state.",
)
