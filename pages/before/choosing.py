"""Soft and hard attention."""

from core.ui import layout

layout.page_header(
    "Soft and hard attention",
    "Look at everything a little, or choose one place?",
)
