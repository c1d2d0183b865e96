"""The widgets of masks: what a drawing becomes in an address, what is sent and refused, and the browser's own reach."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from core.nn import masks
from core.rooms.masks import draw
from core.rooms.masks.draw import DrawnMask, layers_needed, mask_to_hex

SCRIPT = Path(__file__).with_name("reach_cases.mjs")
TOKENS = ["Tom", " hid", " here", "."]
drawings = st.integers(1, 24).flatmap(lambda n: hnp.arrays(bool, (n, n)))


@given(drawings, st.integers(1, 8))
@settings(max_examples=60)
def test_a_drawing_survives_its_address(mask: NDArray[np.bool_], n_layer: int) -> None:
    text = draw.mask_to_address(DrawnMask(mask, n_layer))
    assert len(text) <= 150
    found = draw.mask_from_address(text, len(mask))
    np.testing.assert_array_equal(found.mask, mask)
    assert found.n_layer == n_layer
    assert draw.mask_to_address(DrawnMask(masks.causal(5).numpy(), 2)) == "2.5.80c0e0f0f8"


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
        draw.mask_from_address(text, 4)
    with pytest.raises(ValueError, match="beyond its 3 columns"):
        draw.mask_from_address("1.3.8cf", 3)


def blocks(n: int, size: int) -> torch.Tensor:
    block = torch.arange(n) // size
    return block[:, None] == block


def test_powers_presets_and_digits_agree(node: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    drawn = []
    for n in [*range(1, 25), *range(4, 12)]:
        mask = rng.random((n, n)) < rng.choice([0.05, 0.15, 0.5])
        cells, needed = mask.astype(int).ravel().tolist(), layers_needed(mask).ravel().tolist()
        drawn.append({"n": n, "cells": cells, "needed": needed, "hex": mask_to_hex(mask)})
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
