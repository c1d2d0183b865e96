"""Keys of the server: one for all processes, never an empty one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from core.ui.server.identity import secret_key
from core.ui.server.identity.secret_key import _KeyDamaged

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


def test_a_key_is_made_once_and_for_its_owner_alone(folder: Path) -> None:
    """Fault: a key that changes, that others can read, or that two purposes share."""
    key = secret_key.secret_key("a.key")
    assert len(key) == 32 and secret_key.secret_key("a.key") == key != secret_key.secret_key("b.key")
    assert (folder / "a.key").stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in folder.iterdir()) == ["a.key", "b.key"]


@settings(max_examples=30)
@given(st.binary(max_size=70).filter(lambda content: len(content) != 32))
def test_what_is_no_key_is_refused_in_words(content: bytes) -> None:
    """Fault: an empty or short file that signs, for ever, what anybody can sign."""
    path = Path(os.environ["GLASSFORMER_DATA"]) / "a.key"
    path.write_bytes(content)
    with pytest.raises(_KeyDamaged, match=rf"a\.key is damaged \({len(content)} bytes .*Delete it"):
        secret_key.secret_key("a.key")
    assert path.read_bytes() == content, "it isn't replaced without a word"


@pytest.mark.parametrize("at", ["write", "fsync"])
def test_a_full_disk_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    """Fault: an empty key, or a temporary file, where the disk was full at the first use."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    if at == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(secret_key.secrets, "token_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        secret_key.secret_key("a.key")
    assert list(folder.iterdir()) == []
    monkeypatch.undo()
    monkeypatch.setenv("GLASSFORMER_DATA", str(folder))
    assert len(secret_key.secret_key("a.key")) == 32


def test_who_comes_second_takes_the_key_of_the_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fault: two processes at the very first use, each with a key of its own."""
    make = secret_key._make

    def both(path: Path) -> None:
        make(path)  # the other process, between our look and our link
        first = path.read_bytes()
        make(path)
        assert path.read_bytes() == first

    monkeypatch.setattr(secret_key, "_make", both)
    key = secret_key.secret_key("a.key")
    monkeypatch.undo()
    monkeypatch.setenv("GLASSFORMER_DATA", str(folder))
    assert secret_key.secret_key("a.key") == key and [path.name for path in folder.iterdir()] == ["a.key"]


@pytest.mark.slow
def test_processes_that_start_together_have_one_key(folder: Path) -> None:
    """Fault: the same, with processes."""
    code = "from core.ui.server.identity.secret_key import secret_key; print(secret_key('a.key').hex())"
    started = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    said = [one.communicate()[0].strip() for one in started]
    assert set(said) == {(folder / "a.key").read_bytes().hex()}
