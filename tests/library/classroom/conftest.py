"""A data folder of its own for each test, with one class in it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.classroom import registry
from core.classroom.store import Classroom


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def room() -> Iterator[Classroom]:
    code, _ = registry.start_class()
    with closing(Classroom(code)) as made:
        yield made
