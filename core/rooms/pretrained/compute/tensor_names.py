"""What an import does to names: each tensor of a folder's weights, and which of our parameters it becomes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.models import registry
from core.models.imports.tensor_plan import SAME, places
from core.models.imports.weights_file import ImportRefused, Shape, read_json
from core.models.imports.weights_folder import find, inside
from core.models.pretrained import FAMILIES


@dataclass(frozen=True)
class Renamed:
    """One tensor of the file.

    Args:
        theirs: its name there.
        shape: as it is stored.
        ours: the parameters that it becomes; empty where it is not read (a mask that is computed here, say).
        is_turned: whether its numbers are laid out anew (transposed, cut in three), not only renamed.
    """

    theirs: str
    shape: Shape
    ours: tuple[str, ...]
    is_turned: bool


def renamed(folder: Path | str) -> tuple[Renamed, ...]:
    """The table of an import, read from the headers alone: nothing of the weights themselves is read.

    Args:
        folder: one that `core.models.pretrained.load` reads. Our own folders need no new names.

    Raises:
        ImportRefused: if it holds no such model.
    """
    folder = Path(folder)
    stored = find(folder)
    values = read_json(inside(folder, "config.json"))
    if "kind" in values:
        return tuple(Renamed(name, one.entry.shape, (name,), False) for name, one in stored.items())
    family = FAMILIES.get(str(values.get("model_type")))
    if family is None:
        raise ImportRefused("a model of this type cannot be read here")
    plain = {name: family.plain(name) for name in stored}
    plan = family.plan(values, {short: stored[name].entry.shape for name, short in plain.items() if short is not None})
    found = places(plan.rows, registry.empty(registry.from_dict(plan.fields)))
    rows = []
    for name, one in stored.items():
        place = found.get(plain[name] or "")
        ours = () if place is None or plain[name] in plan.unused else place.ours
        rows.append(Renamed(name, one.entry.shape, ours, bool(ours) and place is not None and place.turn is not SAME))
    return tuple(rows)


def renamed_table(rows: Sequence[Renamed]) -> dict[str, list[Any]]:
    """One line for each tensor of the file."""
    return {
        "in the file": [row.theirs for row in rows],
        "shape": [" × ".join(map(str, row.shape)) for row in rows],
        "here": [", ".join(row.ours) for row in rows],
        "laid out anew": [row.is_turned for row in rows],
    }
