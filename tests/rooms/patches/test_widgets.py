"""What is sent to the two widgets of patches and what comes back; hidden patches in the address; bars of answers."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.browser.linked import Chosen
from core.browser.message import unpack
from core.rooms.patches import patch_rows_widget, patch_switches_widget
from core.rooms.patches.answer_bars_widget import in_percent
from core.rooms.patches.patch_rows_widget import Step, patch_rows
from core.rooms.patches.patch_switches_widget import from_address, patch_switches, to_address

PIXELS = np.arange(64, dtype=np.uint8).reshape(8, 8) % 17
ROWS = np.arange(64, dtype=np.uint8).reshape(16, 4)
FULL = st.integers(1, 65).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, max(0, n - 2)))))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The messages, unpacked: header and arrays of each."""
    messages: list[Any] = []

    def mount(name: str, key: str, message: bytes, **state: None) -> dict[str, Any]:
        messages.append(unpack(message))
        return {}

    for module in (patch_rows_widget, patch_switches_widget):
        monkeypatch.setattr(module, "mount", mount)
    return messages


def draw_rows(rows: np.ndarray, values: np.ndarray) -> None:
    step = Step("next", "it goes on", values)
    patch_rows(rows, [step], patch_size=2, top=16, ink=True, title="rows", told="", key="k")


def draw_switches(pixels: np.ndarray = PIXELS, patch_size: int = 2, weights: Any = None) -> None:
    how: dict[str, Any] = {"sets": {"first": [0]}, "k": 1, "weights": weights}
    patch_switches(pixels, patch_size, Chosen("gone"), key="s", label="One", takeaway="A digit.", **how)


def test_rows_and_what_they_become_are_sent(sent: list[Any]) -> None:
    values = np.linspace(-3, 2, 17 * 5, dtype=np.float32).reshape(17, 5)
    draw_rows(ROWS, values)
    [(header, arrays)] = sent
    assert (header["side"], header["channels"], header["top"]) == (4, 1, 16)
    assert np.array_equal(arrays["rows"], ROWS) and np.array_equal(arrays["step0"], values)
    assert [one["first"] for one in header["steps"]] == [0, 1] and header["steps"][1]["limit"] == 3


def test_weights_are_sent(sent: list[Any]) -> None:
    draw_switches(weights=np.arange(16) / 30)
    [(header, arrays)] = sent
    assert arrays["weights"].shape == (1, 4, 4)
    assert header["high"] == pytest.approx(0.5) and header["chooses"] == {"gone": "gone"}


def test_what_does_not_fit_is_refused(sent: list[Any]) -> None:
    for rows, values, words in (
        (ROWS[:15], np.zeros((15, 5)), "no square"),
        (np.zeros((16, 5), np.uint8), np.zeros((16, 5)), "no square"),
        (ROWS.astype(np.float32), np.zeros((16, 5)), "float32"),
        (ROWS, np.zeros((18, 5)), "there are 16 patches"),
        (np.zeros((289, 4), np.uint8), np.zeros((289, 5)), "more than the 256 patches"),
    ):
        with pytest.raises(ValueError, match=words):
            draw_rows(rows, values)
    options: dict[str, dict[str, Any]] = {
        "float64": {"pixels": PIXELS.astype(float)}, r"\(1, 8, 8\)": {"pixels": PIXELS[None]},
        "patches of 3 pixels": {"patch_size": 3},
        r"\(15,\) do not match 16": {"weights": np.zeros(15)}, "400 patches": {"pixels": np.zeros((40, 40), np.uint8)},
    }  # fmt: skip
    for words, odd in options.items():
        with pytest.raises(ValueError, match=words):
            draw_switches(**odd)
    assert not sent


@given(FULL)
def test_the_address_holds_the_hidden_patches(case: tuple[int, set[int]]) -> None:
    n, gone = case
    assert from_address(to_address(gone, n), n) == sorted(gone)


def test_an_address_that_makes_no_sense_is_refused() -> None:
    cannot = dict.fromkeys(("", "16", "16.", "16.g", "16.-1", "²6.1", "16." + "f" * 9999), "cannot be read")
    for text, words in cannot.items() | {
        ("64.1", "a picture with 64 patches; this one has 16"),
        ("9" * 5000 + ".1", "this one has 16"),
        ("16.10000", "beyond the 16 there are"),
    }:
        with pytest.raises(ValueError, match=words):
            from_address(text, 16)


def test_a_share_that_is_not_quite_all_does_not_say_so() -> None:
    assert [in_percent(p) for p in (0, 0.9994, 0.9999, 1)] == ["0.0%", "99.9%", "> 99.9%", "100.0%"]
