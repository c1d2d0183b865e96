"""Glossary: every term explained simply, with the names that other codebases use for it."""

from core.rooms.glossary import ROOM

ROOM.header()

from core.lessons.glossary_page import show_glossary  # noqa: E402  (the title first)

show_glossary()
