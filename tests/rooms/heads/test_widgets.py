"""The lines of the heads' room: what is sent, and what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.browser.choice_indexed_values import ChoiceRef
from core.browser.message_packing import unpack_message
from core.rooms.heads import lines_widget as lines_module
from core.rooms.heads.lines_widget import draw_attention_lines

ROOT = Path(__file__).parents[3]
HEAD = (ChoiceRef("layer"), ChoiceRef("head"))
TOKENS = ["a", " b", "\n", "語"]
WEIGHTS = np.broadcast_to(np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None], (2, 3, 4, 4))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Instead of a browser: the last message."""
    box: dict[str, Any] = {}

    def mount(name: str, key: str, message: bytes, **state: None) -> None:
        box["header"], box["arrays"] = unpack_message(message)

    monkeypatch.setattr(lines_module, "mount", mount)
    return box


def draw_lines(**options: Any) -> None:
    given: dict[str, Any] = {"tokens": TOKENS, "key": "l", "open_head": HEAD, "row": ChoiceRef("query")} | options
    draw_attention_lines(given.pop("weights", WEIGHTS), **given)


def test_all_heads_travel_once_as_bytes(sent: dict[str, Any]) -> None:
    draw_lines()
    assert sent["arrays"]["weights"].dtype == np.uint8
    assert sent["arrays"]["weights"][1, 2, 3].tolist() == [64, 64, 64, 64]
    assert sent["header"]["open"] == [one.to_message() for one in HEAD] and sent["header"]["rows"] == TOKENS


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"weights": WEIGHTS[0]}, "do not match"),
        ({"tokens": ["a"]}, "do not match"),
        ({"weights": WEIGHTS * 2}, "between 0 and 1"),
        ({"weights": np.zeros((1, 1, 65, 65)), "tokens": ["x"] * 65}, "more than the 64"),
    ],
)
def test_lines_that_cannot_be_drawn_are_refused(sent: dict[str, Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw_lines(**options)
