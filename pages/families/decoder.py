"""The decoder: a GPT learns from any text, by guessing each next token."""

from core.ui import layout

layout.page_header(
    "Decoder",
    "A text is its own teacher: each token is the answer to the ones before it.",
)
