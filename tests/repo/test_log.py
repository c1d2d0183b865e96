"""The log of experiments says what its records and commits hold.

Faults these catch: a number that no record contains, a record that was trained again with another result, a commit that
doesn't exist.
"""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from core.train.experiment import EXAMPLE_FOLDER

ROOT = Path(__file__).resolve().parents[2]
LOG = (ROOT / ".github/LOG.md").read_text(encoding="utf-8")
CELLS = re.findall(r"`([\w-]+)`: ((?:`[\w.+-]+` [-\d., ]+;? ?)+)", LOG)
ENTRIES = [(record, *one) for record, cell in CELLS for one in re.findall(r"`([\w.+-]+)` ([-\d., ]*\d)", cell)]


def test_the_figures_are_found_at_all() -> None:
    assert len(ENTRIES) > 60 and len({record for record, _, _ in ENTRIES}) > 15


@pytest.mark.parametrize("record", sorted({record for record, _, _ in ENTRIES}))
def test_each_figure_is_the_records(record: str) -> None:
    held = safetensors.numpy.load((EXAMPLE_FOLDER / f"{record}.safetensors").read_bytes())
    for name, entry, said in ENTRIES:
        if name == record:
            figures = said.split(", ")
            last = np.atleast_1d(held[entry] if held[entry].ndim < 2 else held[entry][-1])[-len(figures) :]
            for figure, value in zip(figures, last.tolist(), strict=True):
                digits = len(figure.partition(".")[2])
                assert abs(float(figure) - value) <= 0.5 * 10**-digits + 1e-6, f"{entry}: {figure}, and it is {value}"


def test_each_commit_is_in_the_history() -> None:
    named = re.findall(r"commit ([0-9a-f]{8})", LOG)
    log = subprocess.run(
        ["git", "log", "--format=%h", "--abbrev=8"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    known = set(log.stdout.split())
    if len(known) > 1_000:  # else it's a copy, or a clone without its history
        assert named and set(named) <= known
