"""Glossary: every term in plain words, with the names that other codebases use for it."""

from core.ui import layout

layout.page_header("Glossary", "Every term in plain words.")
