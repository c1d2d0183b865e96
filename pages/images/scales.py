"""A multi-scale ViT: windows, patch merging, stages."""

from core.ui import layout

layout.page_header(
    "Many scales",
    "From many small patches with few channels to few large ones with many.",
)
