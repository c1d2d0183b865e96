"""Tokens."""

from core.ui import layout

layout.page_header(
    "Tokens",
    "A model reads no letters but numbers. Watch a text fall into pieces, see how the pieces are found, and what a larger vocabulary costs.",
)
