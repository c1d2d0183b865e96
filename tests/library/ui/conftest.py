"""Fixtures for the tests of several widgets."""

import sys
from typing import Any

import pytest

from core.browser.message import unpack
from core.ui.widgets import parts, pictures, strips

_TENSORS = ("distribution", "head_grid", "matrix", "scrubber", "token_row")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Instead of a browser: the last message, and the state that the browser would hold."""
    box: dict[str, Any] = {"state": {}}

    def mount(name: str, key: str, message: bytes, **state: None) -> dict[str, Any]:
        box["message"] = message
        box["header"], box["arrays"] = unpack(message)
        return {part: box["state"].get(part) for part in state}

    tensors = [sys.modules[f"core.ui.widgets.tensors.{name}"] for name in _TENSORS]
    for module in (parts, pictures, strips, *tensors):
        monkeypatch.setattr(module, "mount", mount)
    return box
