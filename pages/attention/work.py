"""Heads at work."""

from core.ui import layout

layout.page_header(
    "Heads at work",
    "Small transformers trained in front of you, in seconds, on tasks whose answer is known: what are the mask, the positions, the second layer, and each head good for?",
)
