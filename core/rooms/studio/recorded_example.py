"""The studio's example, shown before there is any run: the recorded training of the shipped model.

assets/models/stories/recipe.json     recipe, seed, step, losses
assets/models/stories/history.json    its points
assets/models/stories/frames/*.frame  its frames
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.data.localization.labels import module_labels
from core.exhibit import memoize
from core.jobs.runs import RunInfo
from core.train.curve_point import CurvePoint

if TYPE_CHECKING:
    from core.train.watch.tensor_summary import WatchFrame

LABELS = module_labels(__name__)

EXAMPLE_ID = "example"
EXAMPLE_MODEL = "stories"
EXAMPLE_FOLDER = Path(__file__).resolve().parents[3] / "assets" / "models" / EXAMPLE_MODEL


def example_run() -> RunInfo | None:
    """Return the example in the form of a run in the store, or None if it was not recorded."""
    return _info(EXAMPLE_FOLDER)


def example_points() -> tuple[CurvePoint, ...]:
    """Return its points in order of steps; none if it was not recorded."""
    return _points(EXAMPLE_FOLDER)


@memoize(2)  # a page asks for both a dozen times
def _info(folder: Path) -> RunInfo | None:
    about, found = _read(folder / "recipe.json"), _points(folder)
    if not isinstance(about, dict) or not isinstance(about.get("recipe"), dict) or not found:
        return None
    recipe = about["recipe"]
    return RunInfo(
        id=EXAMPLE_ID,
        owner="",
        name=LABELS["name"],
        recipe=recipe,
        seed=int(about.get("seed", 0)),
        state="finished",
        request=None,
        step=found[-1].step,
        n_step=int(recipe.get("n_step", found[-1].step)),
        n_parameter=int(about.get("n_parameter", 0)),
        message="",
        sample=_last_sample(),
        created=0.0,
        started=None,
        ended=None,
        seconds=0.0,
        tokens_per_second=None,
        n_byte=0,
    )


@memoize(2)
def _points(folder: Path) -> tuple[CurvePoint, ...]:
    history = _read(folder / "history.json")
    if not isinstance(history, dict):
        return ()
    rows = (dict(zip(history["columns"], row, strict=True)) for row in history["points"])
    return tuple(CurvePoint._make(map(row.get, CurvePoint._fields)) for row in rows)


def example_frames() -> list[bytes]:
    """Return its frames in order of steps."""
    return [path.read_bytes() for path in sorted((EXAMPLE_FOLDER / "frames").glob("*.frame"))]


def example_tensors(query: str) -> "WatchFrame":
    """Return these tensors of the shipped model at its end; none was recorded earlier, so there are no step updates."""
    from core.models import pretrained
    from core.train.recipes import Recipe
    from core.train.run import TrainRun
    from core.train.watch.watcher import Watcher

    about = _read(EXAMPLE_FOLDER / "recipe.json")
    run = TrainRun(Recipe.from_dict(about["recipe"]), about["seed"], "cpu")
    run.model.load_state_dict(pretrained.load(EXAMPLE_FOLDER).model.state_dict())
    watcher = Watcher(run)
    watcher.ask(query)
    return replace(watcher.take(), step=about["step"])


def _last_sample() -> str:
    from core.train.watch.behavior_snapshots import RunFrame

    found = example_frames()
    return RunFrame.from_bytes(found[-1]).sample if found else ""


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
