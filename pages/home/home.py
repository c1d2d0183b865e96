"""Home: placeholder until its exhibits stand."""

from core.ui import layout

layout.page_header("Home", "A transformer that you can see through.")
