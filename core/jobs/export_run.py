"""Export a training run as files that ship with the app: the model, its points and its frames.

The studio shows the exported run as its example.

python -m core.jobs.export_run stories assets/models/stories --seed 0 --watch "blocks.*.attn.weights, update:*.w_q"

config.json  model.safetensors  tokenizer.json  recipe.json     the model, in the format that every viewer reads
history.json     {"columns": ["step", "loss", ...], "points": [[1, 4.6, ...], ...]}
frames/<step>.frame  frames/<step>.watched                       the frames, and the watched tensors if there are any
"""

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from core.data.files import write_atomic
from core.data.output_paths import OutputPathRefused, output_folder
from core.jobs import operating_system
from core.jobs.reporter import JobReporter
from core.jobs.runs import JobSpec
from core.jobs.worker import run_job
from core.train import checkpoint
from core.train.curve_point import CurvePoint

MODEL_FILES = ("config.json", "model.safetensors", "tokenizer.json", "recipe.json")


class _FileReporter(JobReporter):
    """A reporter that collects the points, rounded to 5 significant digits, and writes the frames to a folder."""

    def __init__(self, folder: Path, watch: str = "") -> None:
        self.folder, self._watch = folder, watch
        self.rows: list[list[float | None]] = []

    def points(self, points: Sequence[CurvePoint]) -> None:
        for point in points:
            step, *measured = point
            self.rows.append([step, *(None if value is None else float(f"{value:.5g}") for value in measured)])

    def frame(self, step: int, data: bytes, sample: str) -> None:
        write_atomic(self.folder / "frames" / f"{step:09d}.frame", data)

    def watched(self, step: int, data: bytes) -> None:
        write_atomic(self.folder / "frames" / f"{step:09d}.watched", data)

    def to_watch(self) -> str:
        return self._watch


def _train_and_export(recipe_name: str, folder: Path, seed: int = 0, watch: str = "") -> None:
    """Train a recipe to its end and write the model and its frames to a folder. Raises KeyError."""
    from core.train.recipes import RECIPES

    recipe = RECIPES[recipe_name]
    folder.mkdir(parents=True, exist_ok=True)  # before the training, not after it
    with tempfile.TemporaryDirectory() as scratch:
        reporter = _FileReporter(Path(scratch) / "film", watch)
        run_job(JobSpec(recipe.to_dict(), seed, Path(scratch), device="cpu"), reporter)
        for name in MODEL_FILES:
            write_atomic(folder / name, (Path(scratch) / name).read_bytes())
        shutil.rmtree(folder / "frames", ignore_errors=True)  # earlier frames stay until the new ones are complete
        shutil.copytree(reporter.folder / "frames", folder / "frames")
    measured = [n for n, column in enumerate(zip(*reporter.rows, strict=True)) if set(column) != {None}]
    rows = [[row[n] for n in measured] for row in reporter.rows]
    history = {"columns": [CurvePoint._fields[n] for n in measured], "points": rows}
    write_atomic(folder / "history.json", json.dumps(history, separators=(",", ":")).encode())


def main() -> None:
    """Train and export the recipe that is named on the command line."""
    parser = argparse.ArgumentParser(prog="python -m core.jobs.export_run", description=main.__doc__)
    parser.add_argument("recipe")
    parser.add_argument("folder", help="new, empty, or exported by this command before")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--watch", default="", help="tensors to keep with the frames, see core.train.watch.watched_tensor_patterns"
    )
    options = parser.parse_args()
    try:
        folder = output_folder(options.folder, checkpoint.is_own_model_folder, "the folder")
    except OutputPathRefused as refused:
        parser.error(str(refused))
    os.environ.update(operating_system.one_thread_environment())
    _train_and_export(options.recipe, folder, options.seed, options.watch)


if __name__ == "__main__":
    main()
