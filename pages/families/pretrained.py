"""Open a pretrained model from a folder or an upload, and look at it in every room."""

from core.ui import layout

layout.page_header(
    "Pretrained",
    "Real models, trained by others on far more text, opened in the same rooms.",
)
