"""What a lesson can say of an exhibit: its controls, and the inputs and results that an answer is made of."""

import importlib
from dataclasses import dataclass
from inspect import get_annotations
from typing import get_args, get_type_hints

from core.ui.exhibit.words import words_of
from core.ui.room import Entry


@dataclass(frozen=True)
class About:
    """An exhibit: its title, and names.

    Attributes:
        controls: as they stand in its address.
        inputs: of its computation.
        results: fields of what that returns.
    """

    title: str
    controls: tuple[str, ...]
    inputs: tuple[str, ...]
    results: tuple[str, ...]


def about(entry: Entry) -> About:
    """The names of an exhibit, read from its module."""
    *_, room, file = entry.module.split(".")
    module = importlib.import_module(entry.module)
    declared = list(module.Inputs.controls())
    made = get_type_hints(module.compute).get("return", object)
    results = {name for kind in get_args(made) or (made,) for name in _names(kind)}
    return About(
        words_of(room, file).title,
        tuple(str(one.name) for _, one in declared if one.kind != "custom"),
        tuple(name for name, _ in declared),
        tuple(sorted(results)),
    )


def _names(kind: type) -> set[str]:
    fields = {name for one in kind.__mro__ for name in get_annotations(one)}
    return {name for name in fields | {*dir(kind)} - {*dir(tuple)} if not name.startswith("_")}
