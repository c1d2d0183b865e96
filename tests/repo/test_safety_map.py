"""The map of safety tests: each test of the list is in it, and every file that it names exists."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAP = (ROOT / "tests" / "safety" / "README.md").read_text(encoding="utf-8")
AUTOMATED = {f"T{n}" for n in (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 14, 15, 16)}


def test_every_test_of_the_list_has_a_place() -> None:
    assert set(re.findall(r"^\| (T\d+) \|", MAP, flags=re.MULTILINE)) == AUTOMATED


def test_every_place_exists() -> None:
    named = set(re.findall(r"`((?:tests|benchmarks)/[\w/]+\.py)`", MAP))
    assert len(named) > 25
    assert [name for name in sorted(named) if not (ROOT / name).is_file()] == []


def test_every_file_of_the_folder_is_on_the_map() -> None:
    files = {path.name for path in (ROOT / "tests" / "safety").glob("*.py")}
    assert [name for name in sorted(files) if name not in MAP] == []


def test_twelve_surfaces() -> None:
    surfaces = MAP.split("The surfaces of T1:")[1]
    assert len(re.findall(r"^\| [a-z]", surfaces, flags=re.MULTILINE)) == 12


def test_every_tally_is_of_the_list() -> None:
    told = set()
    for path in (ROOT / "tests").rglob("*.py"):
        told |= set(re.findall(r"tally\(\s*f?\"(T\d+)", path.read_text(encoding="utf-8")))
    assert told <= AUTOMATED and len(told) > 10
