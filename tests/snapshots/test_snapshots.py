"""Everything that each exhibit shows is as it was: a change of it is to be seen in the diff of a text file.

What this catches: a number, a sentence, an axis or an array that is another one, or is gone, in any exhibit.
"""

from pathlib import Path

import pytest

from core.rooms import all_exhibits
from tests.snapshots.take import HERE, MAX_LINES, differences, file_of, snapshot


@pytest.fixture(autouse=True)
def _no_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    monkeypatch.setenv("GLASSFORMER_TRAINING", "off")


@pytest.mark.slow
@pytest.mark.parametrize("name", all_exhibits())
def test_an_exhibit_shows_what_it_showed(name: str) -> None:
    changed = "\n".join(differences(file_of(name).read_text(encoding="utf-8"), snapshot(name)))
    assert not changed, f"if this is meant: python -m tests.snapshots.take {name}\n{changed}"


def test_there_is_a_short_text_of_each_exhibit_and_no_other() -> None:
    kept = {path: path.read_text(encoding="utf-8").count("\n") for path in HERE.rglob("*.txt")}
    assert kept.keys() == set(map(file_of, all_exhibits()))
    assert max(kept.values()) <= MAX_LINES


@pytest.mark.parametrize(("kept", "found", "is_same"), [
    ("mean 0.512 of 1,000", "mean 0.515 of 1,003", True),
    ("a −2.5 nats", "a −2.51 nats", True),
    ("mean 0.512", "mean 0.612", False),
    ("a −2.5", "a 2.5", False),
    ("the dog", "the cat", False),
    ("one\ntwo", "one", False),
])  # fmt: skip
def test_only_rounding_is_forgiven(kept: str, found: str, is_same: bool) -> None:
    assert (not differences(kept, found)) == is_same
