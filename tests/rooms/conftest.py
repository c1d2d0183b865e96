"""Pages are read at the depth Formula; `test_story.py` reads what a new visitor gets."""

import pytest


@pytest.fixture(autouse=True)
def _as_chosen(reads_formulas: None) -> None:
    """The visitor has chosen it."""
