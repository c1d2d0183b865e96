"""A text, or a picture, as a model reads it."""
