"""The browser's reach of a drawn mask is Python's: the same random masks and presets on both sides."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import torch

from core.nn import masks
from core.rooms.masks.compute.reach import layers_needed
from core.rooms.masks.mask_editor_widget import to_hex

SCRIPT = Path(__file__).with_name("reach_cases.mjs")


def _blocks(n: int, size: int) -> torch.Tensor:
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
            "blocks": _blocks(n, size),
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
