"""The row that is copied: what the widget is sent, what it may send back, and what is refused."""

from typing import Any

import numpy as np
import pytest

from core.rooms.tokens import row_copy_widget
from core.ui.widgets.message import unpack

GIVEN: dict[str, Any] = {"entries": ["0:a", "7:b"], "tokens": ["b", "a", "b"], "rows": [1, 0, 1], "at": 0, "key": "k"}
TABLE = np.array([[1.0, -3], [0.5, 2]])


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    box: dict[str, Any] = {}

    def mount(name: str, key: str, message: bytes, **state: None) -> dict[str, Any]:
        box["header"], box["arrays"] = unpack(message)
        return {}

    monkeypatch.setattr(row_copy_widget, "mount", mount)
    return box


def test_the_table_is_sent_with_the_row_of_each_token(sent: dict[str, Any]) -> None:
    row_copy_widget.copied(TABLE, **GIVEN)
    header = sent["header"]
    assert (header["rows"], header["at"], header["limit"]) == ([1, 0, 1], 0, 3)
    assert "multiplied by 1, 7:b" in header["takeaway"]
    np.testing.assert_array_equal(sent["arrays"]["table"], TABLE)


@pytest.mark.parametrize(
    "wrong", [{"entries": ["a"]}, {"rows": [1, 0]}, {"rows": [1, 0, 2]}, {"rows": [-1, 0, 1]}, {"at": 3}, {"at": -1}]
)
def test_what_does_not_fit_is_refused(sent: dict[str, Any], wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"match|outside"):
        row_copy_widget.copied(TABLE, **GIVEN | wrong)
