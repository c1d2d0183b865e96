"""Next token: placeholder until its exhibits stand."""

from core.ui import layout

layout.page_header("Next token", "See what the model expects to come next.")
