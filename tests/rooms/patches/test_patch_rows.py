"""The message to the widget of patches: what it holds, and what is refused."""

from typing import Any

import numpy as np
import pytest

from core.rooms.patches import patch_rows_widget as widget
from core.rooms.patches.patch_rows_widget import Step, patch_rows
from core.ui.widgets.message import unpack


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    messages: list[bytes] = []
    monkeypatch.setattr(widget, "mount", lambda name, key, message: messages.append(message))
    return messages


def draw(rows: np.ndarray, values: np.ndarray, **more: Any) -> None:
    told = {"patch_size": 2, "top": 16, "ink": True, "title": "rows", "told": "", "key": "k"}
    patch_rows(rows, [Step("next", "it goes on", values)], **told | more)


def test_the_message(sent: list[bytes]) -> None:
    rows = np.arange(16 * 4, dtype=np.uint8).reshape(16, 4)
    values = np.linspace(-3, 2, 17 * 5, dtype=np.float32).reshape(17, 5)
    draw(rows, values)
    header, arrays = unpack(sent[0])
    assert (header["side"], header["channels"], header["top"]) == (4, 1, 16)
    assert np.array_equal(arrays["rows"], rows) and np.array_equal(arrays["step0"], values)
    assert [one["first"] for one in header["steps"]] == [0, 1] and header["steps"][1]["limit"] == 3


@pytest.mark.parametrize(
    ("rows", "values", "says"),
    [
        (np.zeros((15, 4), np.uint8), np.zeros((15, 5)), "no square"),
        (np.zeros((16, 5), np.uint8), np.zeros((16, 5)), "no square"),
        (np.zeros((16, 4), np.float32), np.zeros((16, 5)), "float32"),
        (np.zeros((16, 4), np.uint8), np.zeros((18, 5)), "there are 16 patches"),
        (np.zeros((289, 4), np.uint8), np.zeros((289, 5)), "more than the 256 patches"),
    ],
)
def test_refusals(sent: list[bytes], rows: np.ndarray, values: np.ndarray, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        draw(rows, values)
    assert not sent
