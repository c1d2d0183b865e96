"""A reader who only has Python: the commands of Start and Test in a new environment, in a clean clone."""

import re
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.chromium import LONGEST_WAIT
from tests.repo.readme.blocks import ROOT, sections, typed
from tests.repo.readme.clone import HOUR, Started, alone, shell, wait_until
from tests.safety.visitor import Visitor

__all__ = ["alone"]


def test_ci_types_the_same_test_command() -> None:
    """The same commands run as for a reader, and without variables that a reader wouldn't have."""
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert "\ntest_command=$(sed -n 's/^pip install -r requirements-dev.txt && //p' README.md)\n" in ci
    assert re.search(r"^\$test_command\b", ci, flags=re.MULTILINE)
    before = ci.partition("\n$test_command")[0]
    assert not re.search(r"\b(OMP|MKL|OPENBLAS|PYTEST|GLASSFORMER)_\w+=", before), "set after the README's command only"


def answers(url: str, started: Started) -> bool:
    started.check()
    try:
        with urllib.request.urlopen(url, timeout=LONGEST_WAIT) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.mark.full
@pytest.mark.timeout(3 * HOUR)
@pytest.mark.usefixtures("alone")
def test_start_and_test_in_a_new_environment(tmp_path: Path) -> None:
    """Fails where a requirement is missing or clashes, where the app needs a variable, or a test needs CI's."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "python").symlink_to(getattr(sys, "_base_executable", sys.executable))
    here = shell(tmp_path, programs)
    here.type(typed("python -m venv .venv && source .venv/bin/activate"))
    active = "source .venv/bin/activate\n"
    url = re.search(r"`(http://localhost:\d+)`", sections()["Start"])[1]
    with here.start(active + typed("pip install -r requirements.txt && streamlit run app.py")) as app:
        wait_until(lambda: answers(url, app), HOUR)
        with Visitor(url) as visitor:
            visitor.open()
            assert not visitor.exceptions
    here.type(active + typed("pip install -r requirements-dev.txt && pytest"))
    here.type(active + typed("pytest tests/rooms/masks"))
