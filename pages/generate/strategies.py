"""Strategies."""

from core.ui import layout

layout.page_header(
    "Strategies",
    "One prompt, one model, up to six ways to choose the next token, side by side.",
)
