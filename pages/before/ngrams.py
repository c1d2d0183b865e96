"""N-grams."""

from core.ui import layout

layout.page_header(
    "N-grams",
    "Count which token follows which. How far does counting alone go?",
)
