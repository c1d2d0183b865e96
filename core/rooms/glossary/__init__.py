"""Glossary: every term explained simply, with its names in other codebases."""

from core.ui.room import Room

ROOM = Room(
    package=__package__,
    page="pages/lessons/glossary.py",
    order=2,
    icon=":material/dictionary:",
)
