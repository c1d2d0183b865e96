"""How often a test repeats itself, and with how many seeds: a few in every run, all with `GLASSFORMER_FULL=1`."""

import hashlib
import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

IS_FULL = os.environ.get("GLASSFORMER_FULL") == "1"
TALLIES: list[str] = []


def count(small: int, full: int) -> int:
    """The number of repetitions of this run."""
    return full if IS_FULL else small


def tally(test: str, **counted: object) -> None:
    """Note what was counted; the end of the run prints it (see `tests/safety/conftest.py`)."""
    TALLIES.append(f"{test}: " + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in counted.items()))


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """In the full run the work inside must take this thread no more CPU seconds; elsewhere only a hang fails.

    How long something takes depends on who else uses the machine, so no test of every change may ask.
    """
    began = time.thread_time()
    yield
    took = time.thread_time() - began
    assert took < seconds or not IS_FULL, f"{took:.1f} CPU seconds, and it may take {seconds}"


SEEDS = range(count(1, 3))  # of what a live training must learn


def rest_is_full(first: Any, *rest: Any) -> list[Any]:
    """Cases of a test: one with every change, the others in the full run."""
    return [first, *(pytest.param(one, marks=pytest.mark.full) for one in rest)]


@cache
def tree_number() -> int:
    """A number that is the same for the same files: of git's tree, or of all names and sizes where there's no git."""
    asked = ["git", "rev-parse", "HEAD^{tree}"]
    root = Path(__file__).parents[1]
    told = subprocess.run(asked, cwd=root, capture_output=True, text=True, check=False).stdout.strip()
    if not told:
        files = sorted(path for folder in ("core", "assets", "pages", "tests") for path in (root / folder).rglob("*"))
        told = "\n".join(f"{path} {path.stat().st_size}" for path in files if "__pycache__" not in path.parts)
    return int(hashlib.sha256(told.encode()).hexdigest(), 16)


def in_turn(cases: Iterable[Any], parts: int) -> list[Any]:
    """All cases of a sweep; every change runs one of so many parts, each change another, and the full run all."""
    its_turn, later = pytest.mark.its_turn, pytest.mark.full
    return [pytest.param(one, marks=its_turn if is_turn(i, parts) else later) for i, one in enumerate(cases)]


def is_turn(i: int, parts: int) -> bool:
    """Whether this change runs the one with this number, where each change runs one of so many parts."""
    return (i - tree_number()) % parts == 0
