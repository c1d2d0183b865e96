"""Pages are read at the depth Formula with all exhibits open; `test_every_room.py` reads what a new visitor gets."""

import pytest


@pytest.fixture(autouse=True)
def _as_chosen(reads_formulas: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The visitor has chosen it, and has opened what is folded."""
    monkeypatch.setattr("core.ui.exhibit.folding.is_unfolded", lambda *_: True)
