"""How large a model is: weights, work and memory, from your own to GPT-3."""

from core.ui import layout

layout.page_header(
    "Sizes",
    "Where do all the weights sit, and what do they cost?",
)
