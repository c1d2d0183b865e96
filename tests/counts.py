"""How often a test of safety repeats itself: a little in every run, in full where `GLASSFORMER_FULL=1` is set."""

import os

IS_FULL = os.environ.get("GLASSFORMER_FULL") == "1"
TALLIES: list[str] = []


def count(small: int, full: int) -> int:
    """The number of repetitions of this run."""
    return full if IS_FULL else small


def tally(test: str, **counted: object) -> None:
    """Note what was counted; the end of the run prints it (see `tests/safety/conftest.py`)."""
    TALLIES.append(f"{test}: " + ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in counted.items()))
