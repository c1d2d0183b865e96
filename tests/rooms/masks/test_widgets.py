"""The widgets of masks: what a drawing becomes in an address, what is sent and refused, and the browser's own reach."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from streamlit.testing.v1 import AppTest

from core.nn import masks
from core.rooms.masks import mask_batch_widget, mask_editor_widget
from core.rooms.masks.compute.reach import layers_needed
from core.rooms.masks.mask_editor_widget import Drawn, to_hex
from core.ui.widgets.message import unpack

SCRIPT = Path(__file__).with_name("reach_cases.mjs")
TOKENS = ["Tom", " hid", " here", "."]
drawings = st.integers(1, 24).flatmap(lambda n: hnp.arrays(bool, (n, n)))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Instead of a browser: the last message, and the state that the browser would hold."""
    box: dict[str, Any] = {"state": {}}

    def mount(name: str, key: str, message: bytes, **state: None) -> dict[str, Any]:
        box["name"] = name
        box["header"], box["arrays"] = unpack(message)
        return {part: box["state"].get(part) for part in state}

    for module in (mask_editor_widget, mask_batch_widget):
        monkeypatch.setattr(module, "mount", mount)
    return box


@given(drawings, st.integers(1, 8))
@settings(max_examples=60)
def test_a_drawing_survives_its_address(mask: NDArray[np.bool_], n_layer: int) -> None:
    text = mask_editor_widget.to_address(Drawn(mask, n_layer))
    assert len(text) <= 150
    found = mask_editor_widget.from_address(text, len(mask))
    np.testing.assert_array_equal(found.mask, mask)
    assert found.n_layer == n_layer
    assert mask_editor_widget.to_address(Drawn(masks.causal(5).numpy(), 2)) == "2.5.80c0e0f0f8"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "cannot be read"),
        ("2.4.8cef" + "f" * 5000, "cannot be read"),
        ("2.4.8CEF", "cannot be read"),
        ("2.4.8ce", "4 tokens is 4 hexadecimal digits"),
        ("2.5.80c0e0f0f8", "a mask for 5 tokens; this text has 4"),
        ("0.4.8cef", "asks for 0 layers; 1 to 8"),
        ("99.4.8cef", "asks for 99 layers"),
        ("2.4.８cef", "cannot be read"),
    ],
)
def test_hostile_addresses_are_refused_in_words(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        mask_editor_widget.from_address(text, 4)
    with pytest.raises(ValueError, match="beyond its 3 columns"):
        mask_editor_widget.from_address("1.3.8cf", 3)


def test_a_batch_is_sent_or_refused(sent: dict[str, Any]) -> None:
    mask_batch_widget.mask_batch([["a", "b"], ["c", "[pad]"]], [2, 1], key="b", label="Batch")
    assert sent["header"]["lengths"] == [2, 1]
    assert "real tokens: 2, 1, filled up to 2" in sent["header"]["takeaway"]
    for tokens, lengths, words in (
        ([], [], "0 texts of 0 tokens"),
        ([["a"]] * 5, [1] * 5, "5 texts"),
        ([["a"] * 21], [1], "of 21 tokens"),
        ([["a"], ["b", "c"]], [1, 1], "are no batch"),
        ([["a"]], [2], r"do not lie within 0\.\.1"),
    ):
        with pytest.raises(ValueError, match=words):
            mask_batch_widget.mask_batch(tokens, lengths, key="b")


def test_a_drawing_comes_back_and_what_is_none_is_dropped(sent: dict[str, Any]) -> None:
    first = masks.causal(4).numpy()
    sent["state"]["drawn"] = {"cells": "f00f", "layers": 3, "turn": 5}
    drawn = mask_editor_widget.mask_editor(Drawn(first, 2), masks.full(4).numpy(), tokens=TOKENS, key="m")
    assert drawn is not None and drawn.n_layer == 3
    assert drawn.mask.tolist() == [[True] * 4, [False] * 4, [False] * 4, [True] * 4]
    np.testing.assert_array_equal(sent["arrays"]["mask"], np.tril(np.ones((4, 4))))
    assert sent["arrays"]["reset"].all() and sent["header"]["n_layer"] == 2
    for state in (None, "x", {}, {"cells": 5, "layers": 1}, {"cells": "8cef", "layers": 2.5}):
        sent["state"]["drawn"] = state
        assert mask_editor_widget.mask_editor(Drawn(first, 2), first, tokens=TOKENS, key="m") is None


def test_masks_that_do_not_fit_are_refused(sent: dict[str, Any]) -> None:
    three, four = masks.full(3).numpy(), masks.full(4).numpy()
    with pytest.raises(ValueError, match=r"masks \(3, 3\) and \(4, 4\) do not match 4 tokens"):
        mask_editor_widget.mask_editor(Drawn(three, 1), four, tokens=TOKENS, key="m")
    many = masks.full(25).numpy()
    with pytest.raises(ValueError, match="25 tokens are more than the 24"):
        mask_editor_widget.mask_editor(Drawn(many, 1), many, tokens=["x"] * 25, key="m")


def test_the_widgets_run_without_a_browser_and_answer_the_newest_stroke() -> None:
    def page() -> None:
        import numpy
        import streamlit

        from core.rooms.masks import mask_batch_widget, mask_editor_widget
        from core.ui.widgets.mount import turn

        mask = numpy.eye(2, dtype=bool)
        drawn = mask_editor_widget.mask_editor(mask_editor_widget.Drawn(mask, 1), mask, tokens=["a", "b"], key="m")
        mask_batch_widget.mask_batch([["a", "b"]], [1], key="b")
        streamlit.json({"turn": turn("m"), "open": 0 if drawn is None else int(drawn.mask.sum())})

    app = AppTest.from_function(page, default_timeout=30).run()
    assert not app.exception and '"turn":null' in app.json[0].value.replace(" ", "")
    app.session_state["m"] = {"drawn": {"cells": "cc", "layers": 1, "turn": 4}}
    app.run()
    assert not app.exception and '"turn":4,"open":4' in app.json[0].value.replace(" ", "")
    for wrong in (True, -1, 2**31, "4", None):
        app.session_state["m"] = {"drawn": {"turn": wrong}}
        assert '"turn":null' in app.run().json[0].value.replace(" ", "") and not app.exception


def blocks(n: int, size: int) -> torch.Tensor:
    block = torch.arange(n) // size
    return block[:, None] == block


def test_powers_presets_and_digits_agree(node: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    drawn = []
    for n in [*range(1, 25), *range(4, 12)]:
        mask = rng.random((n, n)) < rng.choice([0.05, 0.15, 0.5])
        cells, needed = mask.astype(int).ravel().tolist(), layers_needed(mask).ravel().tolist()
        drawn.append({"n": n, "cells": cells, "needed": needed, "hex": to_hex(mask)})
    presets = [
        {"name": name, "n": n, "size": size, "cells": mask.int().flatten().tolist()}
        for n, size in ((1, 1), (5, 2), (9, 3), (4, 4))
        for name, mask in {
            "full": masks.full(n),
            "causal": masks.causal(n),
            "prefix": masks.prefix(n, size),
            "window": masks.sliding_window(n, size),
            "blocks": blocks(n, size),
            "none": torch.zeros(n, n, dtype=torch.bool),
        }.items()
    ]
    cases = tmp_path / "reach.json"
    cases.write_text(json.dumps({"drawn": drawn, "presets": presets}))
    done = subprocess.run(
        [node, "--test", str(SCRIPT)],
        capture_output=True,
        text=True,
        env=os.environ | {"REACH": str(cases)},
        timeout=60,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "# pass 1" in done.stdout
