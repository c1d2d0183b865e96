"""Fixtures for the tests of several widgets."""

import sys
from typing import Any

import pytest

from core.browser.message_packing import unpack_message
from core.ui.widgets import picture_grid, sum_of_parts, vector_rows

_TENSORS = ("distribution", "head_grid", "matrix", "scrubber", "token_row")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Instead of a browser: the last message, and the state that the browser would hold."""
    box: dict[str, Any] = {"state": {}}

    def mount(name: str, key: str, message: bytes, **state: None) -> dict[str, Any]:
        box["message"] = message
        box["header"], box["arrays"] = unpack_message(message)
        return {part: box["state"].get(part) for part in state}

    tensors = [sys.modules[f"core.ui.widgets.tensors.{name}"] for name in _TENSORS]
    for module in (sum_of_parts, picture_grid, vector_rows, *tensors):
        monkeypatch.setattr(module, "mount", mount)
    return box
