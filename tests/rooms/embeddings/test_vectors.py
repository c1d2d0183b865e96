"""The two arrows: the browser's numbers are Python's, and only vectors that fit the picture come back."""

import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.rooms.embeddings import two_vectors
from core.rooms.embeddings import vectors_widget as widget
from core.rooms.embeddings.compute import vectors

ROOT = Path(__file__).parents[3]


def test_the_browser_computes_what_python_computes(node: str) -> None:
    drawn = np.random.default_rng(0).uniform(-5, 5, size=(200, 2, 2)).round(1).tolist()
    cases = [*drawn, [[0, 0], [1, 2]], [[1, 0], [3, 3]], [[2, 1], [-1, 2]], [[5, 5], [5, 5]]]
    script = (
        f"import {{ compare }} from {json.dumps((ROOT / 'assets/widgets/embeddings/vectors_math.js').as_uri())};"
        f"console.log(JSON.stringify({json.dumps(cases)}.map(([q, k]) => compare(q, k))));"
    )
    command = [node, "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    for (q, k), shown in zip(cases, json.loads(done.stdout), strict=True):
        pair = vectors.compare(q, k)
        assert shown["dot"] == pytest.approx(pair.dot, abs=1e-12)
        assert shown["lengths"] == pytest.approx(pair.lengths, abs=1e-12)
        assert shown["distance"] == pytest.approx(pair.distance, abs=1e-12)
        if math.isnan(pair.cosine):
            assert shown["cosine"] is None and shown["angle"] is None  # JSON has no nan
        else:
            assert shown["cosine"] == pytest.approx(pair.cosine, abs=1e-12)
            assert shown["angle"] == pytest.approx(pair.angle, abs=1e-5)


@pytest.mark.parametrize(
    "pick",
    [
        "x",
        {},
        {"q": [1, 2]},
        {"q": [1, 2], "k": [1]},
        {"q": [1, 2], "k": [1, 99]},
        {"q": [1, 2], "k": [1, math.nan]},
        {"q": [1, 2], "k": [1, True]},
        {"q": "12", "k": [1, 1]},
        {"q": [1, 2], "k": ["1", 1]},
    ],
)
def test_only_two_vectors_of_the_picture_come_back(pick: Any) -> None:
    assert two_vectors._dragged(pick, None) is None
    assert two_vectors._dragged({"q": [1, 2], "k": [-5, 0.5]}, None) == "1,2;-5,0.5"


def test_an_author_who_draws_outside_is_told() -> None:
    with pytest.raises(ValueError, match="two vectors of two numbers from -5 to 5 are needed"):
        widget.two_vectors((9, 0), (3, 3), key="v")
