"""The modules of all experiments by name, and code that several of them share."""

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

ROOMS = Path(__file__).resolve().parents[2] / "rooms"
# name -> module: `three-switches` is `core/rooms/<room>/experiments/three_switches.py`; see `Experiment`.
EXPERIMENTS: Mapping[str, str] = {
    path.stem.replace("_", "-"): f"core.rooms.{path.parts[-3]}.experiments.{path.stem}"
    for path in sorted(ROOMS.glob("*/experiments/*.py"))
    if path.stem != "__init__"
}


def experiment_module(name: str) -> ModuleType:
    """Import the module of an experiment by its name.

    Raises ValueError if there is no experiment of this name.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r:.40}; there are {', '.join(EXPERIMENTS)}")
    return importlib.import_module(EXPERIMENTS[name])
