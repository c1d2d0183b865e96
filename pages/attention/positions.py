"""Positions."""

from core.ui import layout

layout.page_header(
    "Positions",
    "Attention alone does not know the order of the words. Here are the ways to tell it, what each one promises, and the proof on screen.",
)
