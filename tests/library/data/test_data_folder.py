"""The data folder: other accounts of the machine read nothing in it, and nobody else's folder is closed."""

import os
import re
import stat
from pathlib import Path

import pytest

from core.data import files
from core.data.files import data_dir

ROOT = Path(__file__).resolve().parents[3]


def mode(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "a" / "data"))
    return tmp_path / "a" / "data"


def test_a_new_folder_is_ones_own(chosen: Path) -> None:
    """Fails where other accounts of the machine could read nicknames and answers (C4)."""
    before = os.umask(0)
    try:
        assert mode(data_dir()) == 0o700
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    ("name", "expected"), [("", 0o700), ("runs", 0o700), ("classes", 0o700), ("thesis.tex", 0o755)]
)
def test_a_folder_of_ours_is_closed_and_no_other(chosen: Path, name: str, expected: int) -> None:
    """Fails where a folder of an earlier version stays open, or where `GLASSFORMER_DATA=/srv` shuts others out."""
    chosen.mkdir(parents=True)
    chosen.chmod(0o755)
    if name:
        (chosen / name).mkdir()
    assert mode(data_dir()) == expected


def test_a_folder_that_cannot_be_closed_is_used_as_it_is(chosen: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    chosen.mkdir(parents=True)
    chosen.chmod(0o755)
    monkeypatch.setattr(files.Path, "chmod", refuse)
    assert data_dir() == chosen


def test_all_that_we_keep_there_is_known() -> None:
    """Fails where a new file or folder makes the data folder look like somebody else's."""
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "core").rglob("*.py"))
    kept = set(re.findall(r'(?:data_dir\(\)|Path\(data_folder\(\)\)) / "([\w.]+)"', code))
    kept |= set(re.findall(r'secret_key\("([\w.]+)"\)', code))
    assert len(kept) > 6 and {name for name in kept if not files._is_own_name(name)} == set()
