"""Captions: a decoder that reads a picture by cross-attention."""

from core.ui import layout

layout.page_header(
    "Captions",
    "An encoder reads a digit, a decoder says what it sees, word by word.",
)
