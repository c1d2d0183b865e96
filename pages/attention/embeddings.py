"""Embeddings."""

from core.ui import layout

layout.page_header(
    "Embeddings",
    "Each token becomes a vector, a row of a table that the model has learned. See where they lie, which are neighbors, and how a word's vector moves from layer to layer.",
)
