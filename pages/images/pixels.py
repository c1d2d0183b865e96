"""ImageGPT: pixels as tokens, a palette, completions, and what it learned on the way."""

from core.ui import layout

layout.page_header(
    "Pixels",
    "A picture as one long sentence of colors, written pixel by pixel.",
)
