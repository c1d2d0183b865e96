"""What the tests of several widgets need."""

from typing import Any

import pytest

from core.browser.message import unpack
from core.ui.widgets import parts, pictures, strips, widgets


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Instead of a browser: the last message, and the state that the browser would hold."""
    box: dict[str, Any] = {"state": {}}

    def mount(name: str, key: str, message: bytes, **state: None) -> dict[str, Any]:
        box["message"] = message
        box["header"], box["arrays"] = unpack(message)
        return {part: box["state"].get(part) for part in state}

    for module in (parts, pictures, strips, widgets):
        monkeypatch.setattr(module, "mount", mount)
    return box
