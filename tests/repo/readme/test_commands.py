"""The command-line examples, each typed unchanged, in the order of the README, in one clean clone."""

import re
import shutil

import pytest

from core.data import corpora
from tests.repo.readme.blocks import blocks, typed
from tests.repo.readme.clone import HOUR, Shell, clone

__all__ = ["clone"]
pytestmark = [pytest.mark.full, pytest.mark.timeout(3 * HOUR), pytest.mark.xdist_group("readme")]


@pytest.fixture(scope="module")
def my_model(clone: Shell) -> Shell:
    """A model of a text of one's own, as the first example makes it."""
    (clone.folder / "my.txt").write_text(corpora.load("python-topics").text[:60_000], encoding="utf-8")
    printed = clone.type(typed("python -m core.train my.txt"))
    assert "saved in my-model" in printed
    return clone


def test_a_text_of_ones_own_is_learned_written_and_exported(my_model: Shell) -> None:
    assert my_model.type(typed("python -m core.generate")).startswith("Once upon a time")
    my_model.type(typed("python -m core.export my-model"))
    assert "<html" in (my_model.folder / "my-model.html").read_text(encoding="utf-8")


def test_a_recipe_is_trained_for_a_while_and_goes_on(clone: Shell) -> None:
    printed = clone.type(typed("python -m core.train python-topics"))
    goes_on = re.search(r"continue with: (.+)", printed)
    assert goes_on is None or goes_on[1].strip() == typed("python -m core.train my-run")
    printed = clone.type(typed("python -m core.train my-run"), fails=goes_on is None)
    assert "saved in my-run" in printed or "finished" in printed


def test_an_encoder_is_trained(clone: Shell) -> None:
    assert "fills gaps" in clone.type(typed("python -m core.train stories-bert"))


@pytest.mark.parametrize(
    ("start", "file"),
    [
        ("python -m core.export heads.one-head", "head.html"),
        ("python -m core.export lessons/induction", "induction.html"),
        ("python -m core.export lessons --out course", "course/index.html"),
    ],
)
def test_pages_are_written(clone: Shell, start: str, file: str) -> None:
    clone.type(typed(start))
    assert "<html" in (clone.folder / file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("start", "file"),
    [
        ("python -m core.train stories --out assets/models/stories --overwrite", "models/stories/model.safetensors"),
        ("python -m core.train.experiment induction", "experiments/induction.safetensors"),
        ("python -m core.train.experiment digits", "experiments/digits.safetensors"),
        ("python -m core.rooms.sweeps.recorded_example", "rooms/sweeps/example.json"),
        ("python -m benchmarks.screenshots", "screenshots/home.png"),
    ],
)
def test_the_shipped_files_can_be_remade(clone: Shell, start: str, file: str) -> None:
    place = clone.folder / "assets" / file
    kept = place.stat().st_mtime_ns
    clone.type(typed(start))
    assert place.stat().st_mtime_ns > kept


def test_a_lesson_of_ones_own_is_checked(clone: Shell) -> None:
    shutil.copy(clone.folder / "assets/lessons/05-masks.md", clone.folder / "my-lesson.md")
    clone.type(typed("python -m core.lessons check"))


@pytest.mark.parametrize("block", [one.code for one in blocks("python") if one.section == "Without the web app"])
def test_python_in_the_top_folder(clone: Shell, block: str) -> None:
    """A block as a file, in the folder where the README's other commands are typed; `test_notebooks` has the others."""
    (clone.folder / "block.py").write_text(block, encoding="utf-8")
    assert clone.type("python -W error block.py").strip()
