"""The clocks: what Python sends, what it takes back, and that the browser computes what Python does."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from core.inspect import positions as measured
from core.nn.positions import rotate, sinusoidal
from core.rooms.positions import clock_widget
from core.rooms.positions.clock_widget import ClockAt
from core.ui.widgets.message import unpack

PARITY = Path(__file__).with_name("clock_parity.mjs")
AT: ClockAt = {"position": 3, "distance": 2, "pair": 1}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Instead of a browser: the last message."""
    box: dict[str, Any] = {}

    def mount(name: str, key: str, message: bytes, **state: None) -> None:
        box["header"], box["arrays"] = unpack(message)

    monkeypatch.setattr(clock_widget, "mount", mount)
    return box


def test_the_table_arrives_as_it_is(sent: dict[str, Any]) -> None:
    table = sinusoidal(8, 4).numpy()
    clock_widget.clock(table, [1, 0.01], at=AT, key="c")
    np.testing.assert_array_equal(sent["arrays"]["table"], table)
    assert (sent["header"]["n_position"], sent["header"]["width"], sent["header"]["at"]) == (8, 4, AT)


@pytest.mark.parametrize(
    "pick",
    [
        None,
        "x",
        [],
        {"position": 8, "distance": 0, "pair": 0},
        {"position": 5, "distance": 3, "pair": 0},  # the second hand would stand at 8 of 0 .. 7
        {"position": 0, "distance": 0, "pair": 2},
        {"position": True, "distance": 0, "pair": 0},
        {"position": 1.5, "distance": 0, "pair": 0},
        {"position": 0, "distance": -1, "pair": 0},
        {"position": 0},
    ],
)
def test_only_a_place_that_exists_is_taken(pick: Any) -> None:
    assert clock_widget.clock_at(pick, 8, 4) is None


def test_a_place_is_taken_without_what_else_is_sent() -> None:
    assert clock_widget.clock_at(AT | {"more": 1}, 8, 4) == AT
    assert clock_widget.rotary_at({"query": 7, "key": 0}, 8) == {"query": 7, "key": 0}
    for broken in ({"query": 8, "key": 0}, {"query": "7", "key": 0}, {}, 3):
        assert clock_widget.rotary_at(broken, 8) is None


def test_the_browser_computes_what_python_does(node: str) -> None:
    generator = torch.Generator().manual_seed(0)
    table = sinusoidal(40, 16, dtype=torch.float64)
    cases: list[dict[str, Any]] = [{"table": table.tolist(), "a": a, "b": b} for a, b in ((0, 0), (3, 17), (39, 4))]
    expected: list[Any] = [float(table[case["a"]] @ table[case["b"]]) for case in cases]
    for interleaved in (True, False):
        for m, n in ((0, 0), (9, 4), (31, 30)):
            q, k = torch.randn(2, 1, 6, generator=generator, dtype=torch.float64)
            turned = rotate(q, torch.tensor([m]), 10_000.0, interleaved)
            total = float(turned[0] @ rotate(k, torch.tensor([n]), 10_000.0, interleaved)[0])
            frequencies = measured.frequencies(6).tolist()
            cases.append(
                {"q": q[0].tolist(), "k": k[0].tolist(), "m": m, "n": n, "interleaved": interleaved}
                | {"frequencies": frequencies}
            )
            expected.append({"q": turned[0].tolist(), "total": total})
    done = subprocess.run([node, PARITY], input=json.dumps(cases), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    for got, wanted in zip(json.loads(done.stdout), expected, strict=True):
        if isinstance(wanted, float):
            assert got == pytest.approx(wanted, abs=1e-12)
        else:
            assert got["q"] == pytest.approx(wanted["q"], abs=1e-12)
            assert got["total"] == pytest.approx(wanted["total"], abs=1e-12)
