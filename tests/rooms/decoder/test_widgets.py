"""The pictures of the decoder room refuse what does not fit, and draw what they are given."""

import numpy as np
import pytest

from core.rooms.decoder import predictions_widget
from core.rooms.decoder.dots_chart import starts
from core.rooms.decoder.finite_difference_chart import LEAST, check


def test_the_marks_and_dots_of_starts_are_the_values() -> None:
    spec = starts({"a": [1.0, 2.0], "b": [3.0]}, marks={"ln V": 1.5}, chosen="b")
    dots = spec["datasets"]["dots"]
    assert [one["value"] for one in dots] == [1.0, 2.0, 3.0] and [one["seed"] for one in dots] == [0, 1, 0]
    low, high = spec["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert low < 1 and high > 3


def test_an_error_of_zero_has_a_place_and_the_smallest_is_marked() -> None:
    spec = check(np.array([1e-1, 1e-2]), np.array([0.0, 1e-3]), mode="dark")
    assert [row["error"] for row in spec["datasets"]["rows"]] == [LEAST, 1e-3]
    assert spec["datasets"]["best"][0]["h"] == 1e-1


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    monkeypatch.setattr(predictions_widget, "mount", lambda name, key, message: found.update({name: message}))
    return found


def test_the_lens_sends_only_the_words_that_it_shows(sent: dict[str, bytes]) -> None:
    from core.ui.widgets.message import unpack

    top = np.array([[[[7, 2], [2, 7]], [[7, 5], [5, 2]]]])  # (1, 2, 2, 2)
    words = [f"w{i}" for i in range(50_000)]
    rest = {"rank": np.array([[[1, 0], [2, 0]]]), "truth": np.array([[[0.5, np.nan], [0.25, np.nan]]])}
    predictions_widget.lens(top=top, probabilities=np.full(top.shape, 0.5), rows=["a", "b"], tokens=["x", "y"],
                     vocabulary=words, key="k", **rest)  # fmt: skip
    header, arrays = unpack(sent["lens"])
    assert header["words"] == ["w2", "w5", "w7"]
    assert [header["words"][i] for i in arrays["top"].ravel()] == [f"w{i}" for i in top.ravel()]
    assert not np.isnan(arrays["truth"]).any()
    with pytest.raises(ValueError, match="does not match"):
        predictions_widget.lens(top=top, probabilities=np.full(top.shape, 0.5), rows=["a"], tokens=["x", "y"],
                         vocabulary=words, key="k", **rest)  # fmt: skip
