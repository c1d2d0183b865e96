"""Each command that writes where a person says: what it may not write into is refused before anything is done."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.logger import get_logger, set_log_level

from benchmarks import seeds
from core.browser.page import MADE_WITH
from core.data.output_paths import OutputPathRefused, output_file, output_folder
from core.export import __main__ as export
from core.export.files import write_page
from core.jobs import export_run
from core.train import checkpoint, command as training, experiment

TOO_LONG = "n" * 300
# What is typed for --out, and what the message then says.
FOLDERS = {
    "": "is empty",
    "  ": "is empty",
    "/": "root of the file system",
    "//": "root of the file system",
    "full/../../../../../../../../../../..": "root of the file system",
    "~": "your home folder",
    "HOME": "your home folder",
    "~nobody-of-this-name": "no such home folder",
    ".": "other files in it",
    "letter.doc": "is a file",
    "letter.doc/model": "letter.doc is a file",
    "full": "other files in it (letter.doc)",
    "full/": "other files in it (letter.doc)",
    "two files": "other files in it (a.txt and 1 more)",
    "hidden": "other files in it (.profile)",
    "holds a folder": "other files in it (inner)",
    "foreign": "other files in it (config.json and 1 more)",
    "half foreign": "other files in it (model.safetensors)",
    "run and foreign": "other files in it (config.json and 1 more)",
    "nowhere": "a link to something that doesn't exist",
    "link to full": "other files in it (letter.doc)",
    "/dev/null": "is a file",
    "zero\0byte": "a zero byte",
    TOO_LONG: "longer than 255 bytes",
    "new/" + TOO_LONG: "longer than 255 bytes",
}
FILES = {
    "": "is empty",
    "  ": "is empty",
    "/": "is a folder",
    ".": "is a folder",
    "~": "is a folder",
    "full": "is a folder",
    "empty": "is a folder",
    "new/": "is a folder",
    "link to full": "is a folder",
    "letter.doc": "wasn't made by Glassformer",
    "page.html": "wasn't made by Glassformer",
    "letter.doc/page.html": "letter.doc is a file",
    "nowhere": "a link to something that doesn't exist",
    "/dev/null": "wasn't made by Glassformer",
    "zero\0byte": "a zero byte",
    TOO_LONG: "longer than 255 bytes",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with everything that a command may not touch; it's the current one, and a home is in it."""
    files = {
        "letter.doc": "mine", "page.html": "<html>mine", "full/letter.doc": "mine", "two files/a.txt": "mine",
        "two files/b.txt": "mine", "hidden/.profile": "mine", "holds a folder/inner/letter.doc": "mine",
        "foreign/config.json": json.dumps({"model_type": "gpt2", "kind": "mine"}), "foreign/tokenizer.json": "{}",
        "half foreign/model.safetensors": "mine", "run and foreign/config.json": "{}",
        f"run and foreign/{checkpoint.CHECKPOINT_FILE}": "mine", "home/.bashrc": "mine",
        "my.txt": "Tom and Mia. " * 400,
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "empty").mkdir()
    (tmp_path / "nowhere").symlink_to(tmp_path / "not there")
    (tmp_path / "link to full").symlink_to(tmp_path / "full")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    level = get_logger("root").level
    yield tmp_path
    set_log_level(level)


def state(folder: Path) -> dict[str, tuple[int, int]]:
    """Every name under a folder, with its time and size."""
    return {str(one): (one.lstat().st_mtime_ns, one.lstat().st_size) for one in sorted(folder.rglob("*"))}


def train(out: str) -> None:
    sys.exit(training.main(["my.txt", "--steps", "1", "--out", out]))


def with_arguments(main: Callable[[], None], *arguments: str) -> Callable[[str], None]:
    def call(out: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["command", *(one.replace("OUT", out) for one in arguments)])
            main()

    return call


INTO_FOLDERS = {
    "core.train": train,
    "core.train.experiment": with_arguments(experiment.main, "induction", "--out", "OUT"),
    "core.export lessons": with_arguments(export.main, "lessons", "--out", "OUT"),
    "core.jobs.export_run": with_arguments(export_run.main, "stories", "OUT"),
    "benchmarks.seeds": with_arguments(seeds.main, "--out", "OUT"),
}
INTO_FILES = {
    "core.export model": with_arguments(export.main, "stories", "--out", "OUT"),
    "core.export exhibit": with_arguments(export.main, "heads.one-head", "--out", "OUT"),
    "core.export lesson": with_arguments(export.main, "lessons/induction", "--out", "OUT"),
}
CASES = [
    *((name, call, *case) for name, call in INTO_FOLDERS.items() for case in FOLDERS.items()),
    *((name, call, *case) for name, call in INTO_FILES.items() for case in FILES.items()),
]


def never(*_: object, **__: object) -> None:
    raise AssertionError("something was computed before --out was looked at")


@pytest.mark.parametrize(
    ("name", "call", "typed", "words"), CASES, ids=[f"{name} {typed[:40]!r}" for name, _, typed, _ in CASES]
)
def test_what_may_not_be_written_is_refused_before_anything_is_done(
    name: str, call: Callable[[str], None], typed: str, words: str, here: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Fails where a command writes among a stranger's files, or finds out after it has computed (faults 25 and 33)."""
    for place in ("core.train.command.TrainRun", "core.train.experiment._remake_example",
                  "core.jobs.export_run._train_and_export", "core.export.__main__._page",
                  "core.export.lesson_page.write_course", "benchmarks.seeds.row"):  # fmt: skip
        monkeypatch.setattr(place, never)
    before, at_root = state(here), sorted(Path("/").iterdir())
    typed = typed.replace("HOME", str(here / "home"))
    with pytest.raises(SystemExit) as left:
        call(typed)
    assert left.value.code
    said = left.value.code if isinstance(left.value.code, str) else capsys.readouterr().err
    line = said.strip().splitlines()[-1]
    option = "the folder" if name == "core.jobs.export_run" else "--out"
    assert words in line and option in line, line
    assert not typed.strip() or typed.split("\0")[0].rstrip("/") in line  # as it was typed
    assert state(here) == before and sorted(Path("/").iterdir()) == at_root


@pytest.mark.parametrize("typed", ["new", "new/deep/er", "empty", "clutter", "a link", "~/new", "ours"])
def test_a_folder_that_is_free_or_ours_is_taken_and_not_yet_made(typed: str, here: Path) -> None:
    (here / "clutter").mkdir()
    for name in (".DS_Store", ".write-abc.tmp"):
        (here / "clutter" / name).write_text("")
    (here / "a link").symlink_to(here / "empty")
    (here / "ours").mkdir()
    (here / "ours/config.json").write_text('{"kind": "gpt"}')
    (here / "ours/recipe.json").write_text('{"recipe": {}}')
    (here / "ours/notes.txt").write_text("of whoever trained it")
    before = state(here)
    folder = output_folder(typed, checkpoint.is_own_model_folder)
    assert state(here) == before
    folder.mkdir(parents=True, exist_ok=True)


@pytest.mark.parametrize("typed", ["new.html", "new/deep/er.html", "ours.html"])
def test_a_page_is_written_to_a_new_file_or_over_one_of_ours(
    typed: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_page(here / "ours.html", f"<html>{MADE_WITH}, once")
    monkeypatch.setattr(export, "_page", lambda what, inputs: f"<html>{MADE_WITH}, again")
    INTO_FILES["core.export exhibit"](typed)
    assert (here / typed).read_text() == f"<html>{MADE_WITH}, again"
    assert (here / typed).stat().st_mode & 0o777 == 0o644


def test_examples_and_shipped_models_are_ours() -> None:
    assert experiment._holds_records(experiment.EXAMPLE_FOLDER)
    assert checkpoint.checkpoint_folder_kind(experiment.EXAMPLE_FOLDER.parent / "models" / "stories") == "model"
    assert output_folder(str(experiment.EXAMPLE_FOLDER), experiment._holds_records) == experiment.EXAMPLE_FOLDER


def test_a_fault_while_looking_is_a_refusal(here: Path) -> None:
    def breaks(path: Path) -> bool:
        raise PermissionError(13, "Permission denied")

    for look, typed in ((output_folder, "full"), (output_file, "letter.doc")):
        with pytest.raises(OutputPathRefused, match=f"--out {typed} can't be used: Permission denied"):
            look(typed, breaks)
