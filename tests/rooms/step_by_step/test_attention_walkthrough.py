"""The small layer that is walked through: the real one, its edits, and the browser's own computation of it."""

import json
import math
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from core.rooms.step_by_step.compute import walkthrough_edits
from core.rooms.step_by_step.compute.attention_walkthrough import MOST_WORDS, Layer, Walk, draw, split_words, walk
from core.rooms.step_by_step.compute.walkthrough_edits import Cell, check, pack, parse, shapes

ROOT = Path(__file__).parents[3]
WORDS = ("the", "cat", "sat", "on", "the", "mat")
LAYERS = [
    Layer(d_model=d_model, n_head=n_head, seed=seed, positions=seed % 2 == 0, is_causal=seed != 2)
    for d_model in (4, 6, 8)
    for n_head in (1, 2)
    for seed in (0, 1, 2)
]
EDITS: list[dict[Cell, float]] = [
    {},
    {Cell("x", 0, 1, 2): 2.5},
    {Cell("w_v", 0, 0, 1): -3.0, Cell("w_o", 0, 3, 3): 1.25},
    {Cell("q", 0, 3, 1): 4.0, Cell("w_q", 0, 1, 1): 9.0},
    {Cell("k", 0, 2, 0): -1.5, Cell("v", 0, 0, 0): 7.0},
    {Cell("dots", 0, 5, 1): 12.0},
    {Cell("scores", 0, 5, 0): 99.0, Cell("dots", 0, 5, 0): 1.0},
    {Cell("weights", 0, 4, 4): 0.0, Cell("heads", 0, 2, 1): -0.5},
]


def by_hand(one: Walk) -> Any:
    """The output from X and the four matrices, by torch's own attention."""
    n_head = one.q.shape[0]
    x, w_q, w_k, w_v, w_o = (torch.tensor(getattr(one, name)) for name in ("x", "w_q", "w_k", "w_v", "w_o"))
    q, k, v = ((x @ w).unflatten(-1, (n_head, -1)).transpose(0, 1) for w in (w_q, w_k, w_v))
    mixed = scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=torch.tensor(one.mask))[0]
    return mixed.transpose(0, 1).flatten(1) @ w_o


@pytest.mark.parametrize("layer", LAYERS)
def test_the_walk_is_torchs_attention(layer: Layer) -> None:
    one = walk(layer, WORDS)
    torch.testing.assert_close(torch.tensor(one.out), by_hand(one), atol=1e-5, rtol=1e-5)
    np.testing.assert_allclose(one.weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(one.dots, one.q @ one.k.transpose(0, 2, 1), atol=1e-5)
    np.testing.assert_allclose(one.scores * math.sqrt(one.q.shape[-1]), one.dots, atol=1e-5)
    assert np.array_equal(np.isneginf(one.masked), np.broadcast_to(~one.mask, one.masked.shape))


def test_numbers_are_those_that_can_be_read() -> None:
    drawn = draw(Layer(d_model=8, seed=3), WORDS)
    for name, digits in (("embedding", 1), ("position", 2), ("x", 2), ("w_q", 1), ("w_k", 1), ("w_v", 1), ("w_o", 1)):
        matrix = getattr(drawn, name)
        assert np.array_equal(matrix, np.round(matrix, digits))
        assert not np.signbit(matrix[matrix == 0]).any() or name in ("position", "x")


def test_a_word_has_the_same_row_everywhere_and_another_seed_another() -> None:
    one, other = draw(Layer(), WORDS), draw(Layer(), ("mat", "the"))
    assert np.array_equal(one.embedding[0], one.embedding[4])
    assert np.array_equal(one.embedding[[5, 0]], other.embedding)
    assert not np.array_equal(draw(Layer(seed=1), WORDS).embedding, one.embedding)


def test_same_seed_same_walk() -> None:
    one, other = walk(Layer(seed=7), WORDS), walk(Layer(seed=7), WORDS)
    assert np.array_equal(one.out, other.out)


def test_edits_take_the_place_of_what_was_computed() -> None:
    before = walk(Layer(), WORDS)
    for edits in EDITS[1:]:
        after = walk(Layer(), WORDS, edits)
        for cell, value in edits.items():
            tensor = getattr(after, cell.name)
            at = cell[1:] if tensor.ndim == 3 else cell[2:]
            assert tensor[at] == np.float32(value)
        assert not np.array_equal(after.out, before.out)


def test_an_edited_dot_product_becomes_a_score() -> None:
    after = walk(Layer(), WORDS, {Cell("dots", 1, 5, 2): 3.0})
    assert after.scores[1, 5, 2] == pytest.approx(3 / math.sqrt(2))
    assert after.weights[1, 5].sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("count", [0, MOST_WORDS + 1])
def test_too_few_and_too_many_words_are_told(count: int) -> None:
    with pytest.raises(ValueError, match=f"{count} words"):
        walk(Layer(), ["word"] * count)


def test_a_width_that_does_not_divide_is_told() -> None:
    with pytest.raises(ValueError, match="d_model=6 is not divisible by n_head=4"):
        Layer(d_model=6, n_head=4)


def test_words() -> None:
    assert split_words("Hello, world!") == ["Hello", ",", "world", "!"]
    assert split_words("猫坐 yes") == ["猫", "坐", "yes"]
    assert split_words("don't (stop) …") == ["don't", "(", "stop", ")", "…"]
    assert split_words("👨‍👩‍👧 שלום नमस्ते") == ["👨‍👩‍👧", "שלום", "नमस्ते"]
    assert split_words(" \n ") == []


@given(st.text(max_size=80))
def test_words_keep_every_letter(text: str) -> None:
    assert "".join(split_words(text)) == "".join(text.split())


SIZES = shapes(6, 4, 2)


@pytest.mark.parametrize("edits", EDITS)
def test_edits_travel_in_an_address(edits: dict[Cell, float]) -> None:
    assert parse(pack(edits), SIZES) == (edits, 0)


@pytest.mark.parametrize(
    "text",
    [
        *("x", "x.1.2", "x.9.9=1", "x.0.1.2=1", "q.1.2=1", "q.2.0.0=1"),
        *("x.1.2=nan", "x.1.2=1e5", "x.1.2=123", "~", "out.0.0=1"),
    ],
)
def test_broken_edits_are_refused(text: str) -> None:
    edits, refused = parse(text, SIZES)
    assert edits == {} and refused >= 1


def test_a_flood_of_edits_is_cut() -> None:
    assert sum(map(len, parse("~".join(["x.0.0=1"] * 100_000), SIZES)[:1])) == 1
    assert check([["x", 0, 0, 0, 1]] * (walkthrough_edits.MOST_EDITS + 1), SIZES) is None


@pytest.mark.parametrize(
    "given",
    [
        *(None, "x", [1], [["x"]], [["x", 0, 0, 0, "1"]], [["x", 0, 0, 99, 1]], [["x", 0, 0, 0, 1e9]]),
        *([["x", 0, 0, 0, True]], [["x", 0.0, 0, 0, 1]], [["x", 0, 0, 0, math.nan]], [[["x"], 0, 0, 0, 1]]),
    ],
)
def test_forged_edits_are_refused(given: Any) -> None:
    assert check(given, SIZES) is None


def test_committed_edits_are_taken() -> None:
    assert check([["x", 0, 1, 2, 0.5], ["q", 1, 0, 0, -2]], SIZES) == {Cell("x", 0, 1, 2): 0.5, Cell("q", 1, 0, 0): -2}


def test_the_browser_computes_the_same(node: str, tmp_path: Path) -> None:
    """Node runs the widget's own arithmetic on what the widget is sent, and compares every tensor with the layer's."""
    cases = []
    for layer in LAYERS:
        for edits in EDITS:
            one = walk(layer, WORDS, {c: v for c, v in edits.items() if c.column < layer.d_model // layer.n_head})
            kept = [[*c, v] for c, v in edits.items() if c.column < layer.d_model // layer.n_head]
            drawn = {name: getattr(one.drawn, name).tolist() for name in one.drawn.__dataclass_fields__}
            names = ("x", "q", "k", "v", "dots", "scores", "weights", "heads", "concat", "out")
            cases.append(
                {
                    "given": drawn | {"nHead": layer.n_head, "mask": one.mask.astype(int).tolist()},
                    "about": {"words": WORDS, "nHead": layer.n_head, "dHead": layer.d_model // layer.n_head}
                    | {"dModel": layer.d_model, "positions": layer.positions, "causal": layer.is_causal},
                    "edits": kept,
                    "tensors": {name: getattr(one, name).ravel().tolist() for name in names},
                }
            )
    (tmp_path / "walks.json").write_text(json.dumps(cases))
    script = Path(__file__).with_name("walk_parity.mjs")
    environment = os.environ | {"WALKS": str(tmp_path)}
    done = subprocess.run([node, "--test", str(script)], capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert re.search(r"^# skipped 0$", done.stdout, re.MULTILINE)
