"""The picture whose patches are clicked away: what is sent and comes back, its place in the address, its bars."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.rooms.patches import patch_switches_widget as module
from core.rooms.patches.answers_chart import answers, in_percent
from core.rooms.patches.patch_switches_widget import from_address, from_browser, patch_switches, to_address
from core.ui.widgets.message import unpack

PIXELS = np.arange(64, dtype=np.uint8).reshape(8, 8) % 17
FULL = st.integers(0, 64).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, max(0, n - 1)), max_size=n)))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    box: dict[str, Any] = {"drawn": None}

    def mount(name: str, key: str, message: bytes, **state: None) -> dict[str, Any]:
        box["header"], box["arrays"] = unpack(message)
        return {"drawn": box["drawn"]}

    monkeypatch.setattr(module, "mount", mount)
    return box


def draw(**options: Any) -> Any:
    given: dict[str, Any] = {"pixels": PIXELS, "patch_size": 2, "hidden": (), "key": "s"} | options
    pixels, size, gone = given.pop("pixels"), given.pop("patch_size"), given.pop("hidden")
    return patch_switches(pixels, size, gone, label="One", takeaway="A digit.", **given)


def test_hidden_patches_and_weights_are_sent(sent: dict[str, Any]) -> None:
    assert draw(hidden=[3, 4], weights=np.arange(16) / 30) is None
    np.testing.assert_array_equal(np.flatnonzero(sent["arrays"]["hidden"]), [3, 4])
    assert sent["arrays"]["weights"].shape == (1, 4, 4)
    assert sent["header"]["high"] == pytest.approx(0.5) and sent["header"]["turn"] is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pixels": PIXELS.astype(float)}, "float64"),
        ({"pixels": PIXELS[None]}, r"\(1, 8, 8\)"),
        ({"patch_size": 3}, "patches of 3 pixels"),
        ({"hidden": [16]}, "patches 0 to 15"),
        ({"weights": np.zeros(15)}, r"\(15,\) do not match 16"),
        ({"pixels": np.zeros((40, 40), np.uint8), "patch_size": 2}, "400 patches"),
    ],
)
def test_what_does_not_fit_is_refused(sent: dict[str, Any], options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        draw(**options)


@pytest.mark.parametrize(
    ("drawn", "expected"),
    [
        ({"hidden": [5, 1], "turn": 1}, [1, 5]),
        ({"hidden": []}, []),
        ({"hidden": [16]}, None),
        ({"hidden": ["1"]}, None),
        ({"hidden": [True]}, None),
        ({"hidden": [0] * 17}, None),
        ({"hidden": 3}, None),
        ([1], None),
        (None, None),
    ],
)
def test_only_patches_come_back(drawn: Any, expected: Any) -> None:
    assert from_browser(drawn, 16) == expected


@given(FULL)
def test_the_address_holds_the_hidden_patches(case: tuple[int, set[int]]) -> None:
    n, gone = case[0] + 1, case[1]
    assert from_address(to_address(gone, n), n) == sorted(gone)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("16", "cannot be read"),
        ("16.", "cannot be read"),
        ("16.g", "cannot be read"),
        ("16.-1", "cannot be read"),
        ("²6.1", "cannot be read"),
        ("16." + "f" * 9999, "cannot be read"),
        ("64.1", "a picture with 64 patches; this one has 16"),
        ("9" * 5000 + ".1", "this one has 16"),
        ("16.10000", "beyond the 16 there are"),
    ],
)
def test_an_address_that_makes_no_sense_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        from_address(text, 16)


def test_bars_of_answers() -> None:
    spec = answers(["0", "1"], [0.25, 0.75], [1, 0], right=1)
    rows = spec["datasets"]["rows"]
    assert [(row["answer"], row["now"], row["before"], row["text"]) for row in rows] == [
        ("0", 0.25, 1, "25.0%"),
        ("1 ✓", 0.75, 0, "75.0%"),
    ]
    assert len(spec["layer"]) == 3 and len(answers(["0"], [1.0])["layer"]) == 2
    assert [in_percent(p) for p in (0, 0.9994, 0.9999, 1)] == ["0.0%", "99.9%", "> 99.9%", "100.0%"]
    with pytest.raises(ValueError, match="2 names do not match 1"):
        answers(["0", "1"], [1.0])
