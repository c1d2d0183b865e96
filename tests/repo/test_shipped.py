"""The trained models that ship: small, in all three families, and each reproducible by a command in its README."""

import json
import re
from pathlib import Path

from core.train.experiment import EXAMPLE_FOLDER, EXPERIMENTS
from core.train.recipes import RECIPES

ROOT = Path(__file__).resolve().parents[2]
MODELS = ROOT / "assets" / "models"
MOST_BYTES = 8_000_000


def test_the_models_are_small_together() -> None:
    folders = [path.parent for path in MODELS.glob("*/model.safetensors")]
    kinds = {json.loads((folder / "config.json").read_bytes())["kind"] for folder in folders}
    assert {"gpt", "bert", "rnn"} <= kinds
    translators = [
        EXAMPLE_FOLDER / f"{name}.safetensors" for name in ("translation", "applications", "dates", "bottleneck")
    ]
    weights = [folder / "model.safetensors" for folder in folders] + translators
    assert sum(path.stat().st_size for path in weights) < MOST_BYTES


def test_the_models_of_images_are_small_together() -> None:
    records = [
        EXAMPLE_FOLDER / f"{name}.safetensors" for name in ("digits", "pixels", "scales", "captions", "captions-class")
    ]
    assert sum(path.stat().st_size for path in records) < 4_000_000


def test_each_model_names_the_command_that_remakes_it() -> None:
    for folder in MODELS.iterdir():
        command = re.search(r"python -m core\.train (\S+) .*--out (\S+)", (folder / "README.md").read_text("utf-8"))
        assert command, folder.name
        assert command[1] in RECIPES and ROOT / command[2] == folder


def test_every_experiment_has_its_example_and_no_other_is_there() -> None:
    assert {path.stem for path in EXAMPLE_FOLDER.glob("*.safetensors")} == set(EXPERIMENTS)
