"""Renamed tensors: theirs beside our parameters."""

import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from core.exhibit import NothingToShow, Result
from core.models import pretrained, registry
from core.models.imports import tensor_plan
from core.models.imports.families import foreign_family, plan_and_tensors
from core.models.imports.folder import ModelFolder
from core.models.imports.weights_file import ImportRefused, Shape
from core.rooms.pretrained.inputs import Looked


class Inputs(Looked):
    """Only the model."""


class Renamed(NamedTuple):
    """One tensor of the file."""

    theirs: str  # its name there
    shape: Shape  # as it is stored
    # the parameters that it becomes; empty where it is not read (a mask that is computed here, say)
    ours: tuple[str, ...]
    is_turned: bool  # whether its numbers are laid out anew (transposed, cut in three), not only renamed


def renamed(folder: Path | str) -> tuple[Renamed, ...]:
    """The table of an import, read from the headers alone: nothing of the weights themselves is read.

    Args:
        folder: one that `core.models.pretrained.load` reads. Our own folders need no new names.

    Raises:
        ImportRefused: if it holds no such model.
    """
    opened = ModelFolder(folder)
    plan, read = plan_and_tensors(foreign_family(opened.config), opened.config, opened.tensors)
    found = tensor_plan.places(plan.rows, registry.empty(pretrained.config_of(plan.fields)))
    becomes = {one.name: found[name] for name, one in read.items() if name in found}
    rows = []
    for name, one in opened.tensors.items():
        place = becomes.get(name)
        is_turned = place is not None and place.layout is not tensor_plan.SAME
        rows.append(Renamed(name, one.shape, () if place is None else place.ours, is_turned))
    return tuple(rows)


CODE = (renamed, tensor_plan.places, tensor_plan.convert, pretrained.load)


class Names(Result):
    """Every tensor of a model's files, and what it became."""

    rows: tuple[Renamed, ...]
    is_own: bool  # whether all have our names already
    grouped: list[tuple[Renamed, int]]  # tensors of one name and shape in several blocks: one line, with their number

    def table(self) -> dict[str, list[Any]]:
        """One line for each tensor of the file."""
        return {
            "in the file": [row.theirs for row in self.rows],
            "shape": [" × ".join(map(str, row.shape)) for row in self.rows],
            "here": [", ".join(row.ours) for row in self.rows],
            "laid out anew": [row.is_turned for row in self.rows],
        }


def names(rows: tuple[Renamed, ...]) -> Names:
    """The table, with the tensors of all blocks in one line."""
    lines = (Renamed(_starred(row.theirs), row.shape, tuple(map(_starred, row.ours)), row.is_turned) for row in rows)
    is_own = all(row.ours == (row.theirs,) for row in rows)
    return Names(rows=rows, is_own=is_own, grouped=list(Counter(lines).items()))


def compute(inputs: Inputs) -> Names:
    """The names, read from the headers of the files; the weights themselves stay where they are."""
    try:
        rows = renamed(inputs.key.folder)
    except (ImportRefused, ValueError, OSError):
        rows = ()
    if not rows:
        raise NothingToShow("The model's files can no longer be read.")
    return names(rows)


def draw(result: Names, inputs: Inputs) -> None:
    """Nothing but the table of its prose."""


def _starred(name: str) -> str:
    """A name with `*` for the number of its block, which a narrow screen may break after a dot or a dash below."""
    return re.sub(r"([._])", "\\1\u200b", re.sub(r"(?<=\.)\d+(?=\.)", "*", name, count=1)[:120])
