"""Glossary: every term in plain words, with the names that other codebases use for it."""

from core.ui.frame import layout

layout.page_header(
    "Glossary",
    "Every term in plain words, with the names that other code and papers use for it. The year of a paper is that of "
    "its first preprint, or of its publication where there was none.",
)

from core.lessons.glossary import show_glossary  # noqa: E402  (the title first)

show_glossary()
