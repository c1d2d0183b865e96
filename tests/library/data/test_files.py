"""Files: atomic writes, and names that cannot leave their folder."""

import os
import threading
from pathlib import Path

import platformdirs
import pytest
from hypothesis import example, given, strategies as st

from core.data import files
from core.data.files import data_dir, safe_name, write_atomic


def test_data_dir_follows_the_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path / "a" / "b"))
    assert data_dir() == tmp_path / "a" / "b"
    assert data_dir().is_dir()


def test_data_dir_survives_a_home_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLASSFORMER_DATA", raising=False)
    (tmp_path / "home").write_text("a file where a folder should be")
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda *_, **__: str(tmp_path / "home" / "glassformer"))
    monkeypatch.setattr(files.tempfile, "gettempdir", lambda: str(tmp_path))
    assert data_dir().parent == tmp_path
    assert data_dir().is_dir()


def test_a_write_replaces_and_makes_folders_and_a_failed_one_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def disk_full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "new" / "file.bin"
    write_atomic(path, b"one")
    write_atomic(path, b"two")
    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(path, b"three")
    assert path.read_bytes() == b"two"
    assert os.listdir(path.parent) == ["file.bin"]


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    contents = {bytes([i]) * 200_000 for i in range(4)}
    write_atomic(path, next(iter(contents)))
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            for content in contents:
                write_atomic(path, content)

    writer = threading.Thread(target=write)
    writer.start()
    seen = [path.read_bytes() in contents for _ in range(300)]
    stop.set()
    writer.join()
    assert all(seen)


def test_safe_name() -> None:
    for text, name in {
        "  spaces   inside ": "spaces inside", "../../etc/passwd": "etc-passwd", "..": "unnamed",
        "C:\\Windows\\x": "C-Windows-x", "CON": "file-CON", "nul.txt": "file-nul.txt", "COM¹": "file-COM¹",
        "LPT9 .log": "file-LPT9 .log", "console": "console", "Straße 漢字 हिन्दी": "Straße 漢字 हिन्दी",
        "e\u0301": "é", "a\x00b\u202ec": "a-b-c",
    }.items():  # fmt: skip
        assert safe_name(text) == name


@given(st.text(max_size=100))
@example("con." + "x" * 80)
@example("." * 59 + "NUL")
@example("a" * 59 + " b")
def test_safe_names_are_safe(text: str) -> None:
    name = safe_name(text)
    assert 1 <= len(name) <= 60
    assert len(name.encode("utf-8")) <= 255
    assert not set(name) & set('/\\:*?"<>|\0\n\r\t')
    assert name[0] not in ". " and name[-1] not in ". "
    assert name.split(".")[0].strip().upper() not in {"CON", "PRN", "AUX", "NUL", "COM1", "LPT1"}
    assert safe_name(name) == name
    assert Path("folder", name).parent == Path("folder")
