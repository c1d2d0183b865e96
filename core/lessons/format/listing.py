"""What an exhibit is called and which controls it asks for, read from its declaration without drawing it."""

import importlib

from core.ui.exhibit.words import words_of
from core.ui.room import Entry


def about(entry: Entry) -> tuple[str, tuple[str, ...]]:
    """(title, names of controls)."""
    *_, room, exhibit = entry.module.split(".")
    declared = importlib.import_module(entry.module).Inputs.controls()
    return words_of(room, exhibit).title, tuple(str(one.name) for _, one in declared if one.kind != "asked")
