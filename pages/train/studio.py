"""Training studio: placeholder until its exhibits stand."""

from core.ui import layout

layout.page_header("Training studio", "Train a small model and watch it learn.")
