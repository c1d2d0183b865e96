"""Lessons find results by their keys: their questions are answered in the pseudo-locale, too."""

import os
import subprocess
import sys

import pytest

from core.data.localization.locales import PSEUDO_LOCALE
from tests.counts import in_turn
from tests.repo.translations.structure import ASSETS

LESSONS = [str(path) for path in sorted((ASSETS / "lessons").rglob("[0-9]*.md"))]


@pytest.mark.parametrize("path", in_turn(LESSONS, 8))
def test_a_lesson_needs_no_label(path: str) -> None:
    """Catch a question or an answer that looks a result up by a label, which a translation changes."""
    done = subprocess.run(
        [sys.executable, "-m", "core.lessons", "check", path],
        env=os.environ | {"GLASSFORMER_LOCALE": PSEUDO_LOCALE},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
