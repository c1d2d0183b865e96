"""Attention heads: placeholder until its exhibits stand."""

from core.ui import layout

layout.page_header("Attention heads", "See which positions each head reads from.")
