"""The scripts of the widgets: their own tests run in node, and their colors equal Python's."""

import itertools
import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch

from core.browser.message_packing import pack_message
from core.charts import theme
from core.generate import filters

ROOT = Path(__file__).parents[3]
SCRIPTS = sorted((ROOT / "assets" / "widgets").rglob("*.js"))


def _write_frames(folder: Path) -> None:
    arrays = {
        "bytes": np.array([0, 1, 254, 255, 7], np.uint8),
        "floats": np.array([[0, 0.5, 1], [-1, 2.25, 1e10]], np.float32),
        "halves": np.array([0.5, -2, 65504], np.float16),
        "integers": np.array([-1, 2147483647], np.int32),
        "none": np.zeros((0, 3), np.float32),
    }
    header = {"label": "Größe 語 🙂 \u2028", "answer": 42}
    (folder / "plain.bin").write_bytes(pack_message(header, arrays))
    (folder / "deflated.bin").write_bytes(pack_message(header, arrays, compress=True))


def _write_samples(folder: Path) -> None:
    """Return core.generate's results for the same settings, which the sliders must match."""
    generator = torch.Generator().manual_seed(0)
    cases = []
    for temperature, top_k, top_p in itertools.product((0.3, 1.0, 2.5), (0, 1, 7, 50), (0.1, 0.5, 0.9, 1.0)):
        logits = torch.randn(50, generator=generator).mul(3).round(decimals=1)  # rounded, so that there are ties
        cut = filters.temperature(logits.double(), temperature)
        cut = filters.top_k(cut, top_k) if top_k else cut
        cut = filters.top_p(cut, top_p) if top_p < 1 else cut
        settings = {"temperature": temperature, "topK": top_k, "topP": top_p}
        cases.append({"logits": logits.tolist(), "settings": settings, "after": cut.softmax(-1).tolist()})
    (folder / "samples.json").write_text(json.dumps(cases))


def test_scripts_pass_their_own_tests(node: str, tmp_path: Path) -> None:
    _write_frames(tmp_path)
    _write_samples(tmp_path)
    files = sorted(str(p) for p in (ROOT / "tests").rglob("*.test.mjs"))
    done = subprocess.run(
        [node, "--test", *files],
        capture_output=True,
        text=True,
        env=os.environ | {"FRAMES": str(tmp_path)},
        timeout=600,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert re.search(r"^# skipped 0$", done.stdout, re.MULTILINE), done.stdout[-1000:]


def test_a_script_is_found_by_its_name_in_whatever_folder() -> None:
    names = [path.name for path in SCRIPTS if path.name != "labels.js"]  # each folder has one, of its texts
    assert len(set(names)) == len(names) > 100


def test_browser_and_python_share_one_set_of_colors() -> None:
    assert (ROOT / "assets" / "widgets" / "drawing" / "theme.js").read_text(
        encoding="utf-8"
    ) == theme._theme_as_javascript()


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_scales_have_the_number_of_steps_that_streamlit_takes(mode: theme.ThemeMode) -> None:
    assert len(theme.sequential_colors(mode)) == 10
    assert len(theme._diverging_colors(mode)) == 11
    assert len(theme.categorical_colors(mode)) == 8
    every = [
        *theme.sequential_colors(mode),
        *theme._diverging_colors(mode),
        *theme.categorical_colors(mode),
        theme.accent_color(mode),
    ]
    assert all(re.fullmatch(r"#[0-9A-F]{6}", color) for color in every)
