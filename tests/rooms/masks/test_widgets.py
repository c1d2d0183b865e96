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

from core.browser.linked import Chosen
from core.browser.message import unpack
from core.nn import masks
from core.rooms.masks import mask_batch_widget, mask_editor_widget
from core.rooms.masks.compute.reach import layers_needed
from core.rooms.masks.mask_editor_widget import Drawn, to_address, to_hex

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


def test_a_mask_to_begin_with_that_does_not_fit_is_refused(sent: dict[str, Any]) -> None:
    def editor(n: int, tokens: list[str]) -> None:
        mask_editor_widget.mask_editor(
            Chosen("drawn"), to_address(Drawn(masks.full(n).numpy(), 1)), tokens=tokens, key="m"
        )

    editor(4, TOKENS)
    assert sent["header"]["chooses"] == {"drawn": "drawn"} and sent["header"]["first"] == "1.4.ffff"
    with pytest.raises(ValueError, match="a mask for 3 tokens; this text has 4"):
        editor(3, TOKENS)
    with pytest.raises(ValueError, match="25 tokens are more than the 24"):
        editor(25, ["x"] * 25)


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
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "# pass 1" in done.stdout
