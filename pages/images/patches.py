"""A ViT: a picture cut into patches, trained live, and looked into."""

from core.ui import layout

layout.page_header(
    "Patches",
    "A picture cut into squares, and an encoder that reads them like words.",
)
