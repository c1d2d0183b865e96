"""Texts and pictures as a model reads them."""
