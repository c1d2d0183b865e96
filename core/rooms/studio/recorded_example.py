"""The example that stands in the studio before anybody has trained: how the shipped model learned, as it was recorded.

assets/models/stories/recipe.json     recipe, seed, step, losses
assets/models/stories/history.json    its points
assets/models/stories/frames/*.frame  its frames, and what was watched: *.watched
"""

import json
from pathlib import Path
from typing import Any

from core.jobs.runs import RunInfo

ID = "example"
MODEL = "stories"
FOLDER = Path(__file__).resolve().parents[3] / "assets" / "models" / MODEL


def info() -> RunInfo | None:
    """The example as if it were a run of the store, or None where it was not recorded."""
    about, found = _read("recipe.json"), points()
    if not isinstance(about, dict) or not isinstance(about.get("recipe"), dict) or not found:
        return None
    recipe = about["recipe"]
    return RunInfo(
        id=ID,
        owner="",
        name=str(recipe.get("title", MODEL)),
        recipe=recipe,
        seed=int(about.get("seed", 0)),
        state="finished",
        request=None,
        step=int(found[-1]["step"]),
        n_step=int(recipe.get("n_step", found[-1]["step"])),
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


def points() -> list[dict[str, Any]]:
    """Its points in order of steps; none where it was not recorded."""
    history = _read("history.json")
    if not isinstance(history, dict):
        return []
    return [dict(zip(history["columns"], row, strict=True)) for row in history["points"]]


def frames() -> list[bytes]:
    """Its frames in order of steps."""
    return [path.read_bytes() for path in sorted((FOLDER / "frames").glob("*.frame"))]


def watched() -> list[bytes]:
    """What was watched in it, in order of steps."""
    return [path.read_bytes() for path in sorted((FOLDER / "frames").glob("*.watched"))]


def _last_sample() -> str:
    from core.train.snapshots import Frame

    found = frames()
    return Frame.from_bytes(found[-1]).sample if found else ""


def _read(name: str) -> Any:
    try:
        return json.loads((FOLDER / name).read_bytes())
    except (OSError, ValueError):
        return None
