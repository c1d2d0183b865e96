"""The walked layer and the soft dictionary: attention itself, their edits, and the browser's own computation."""

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
from hypothesis import given, strategies as st
from torch.nn.functional import scaled_dot_product_attention

from core.rooms.step_by_step.compute import attention_walkthrough, soft_lookup
from core.rooms.step_by_step.compute.attention_walkthrough import (
    MOST_WORDS,
    AttentionWalk,
    WalkCell,
    WalkLayer,
    check_edits,
    draw_layer,
    pack_edits,
    parse_edits,
    split_words,
    tensor_shapes,
    walk_attention,
)
from core.rooms.step_by_step.compute.soft_lookup import (
    COLDEST,
    ENTRY_NAMES,
    HOTTEST,
    Dictionary,
    default_dictionary,
    flatten_dictionary,
    soft_look_up,
)

WORDS = ("the", "cat", "sat", "on", "the", "mat")
LAYERS = [
    WalkLayer(d_model=d_model, n_head=n_head, seed=seed, positions=seed % 2 == 0, is_causal=seed != 2)
    for d_model in (4, 6, 8)
    for n_head in (1, 2)
    for seed in (0, 1, 2)
]
EDITS: list[dict[WalkCell, float]] = [
    {},
    {WalkCell("x", 0, 1, 2): 2.5},
    {WalkCell("w_v", 0, 0, 1): -3.0, WalkCell("w_o", 0, 3, 3): 1.25},
    {WalkCell("q", 0, 3, 1): 4.0, WalkCell("w_q", 0, 1, 1): 9.0},
    {WalkCell("k", 0, 2, 0): -1.5, WalkCell("v", 0, 0, 0): 7.0},
    {WalkCell("dots", 0, 5, 1): 12.0},
    {WalkCell("scores", 0, 5, 0): 99.0, WalkCell("dots", 0, 5, 0): 1.0},
    {WalkCell("weights", 0, 4, 4): 0.0, WalkCell("heads", 0, 2, 1): -0.5},
]


def by_hand(one: AttentionWalk) -> Any:
    """The output from X and the four matrices, by torch's own attention."""
    n_head = one.q.shape[0]
    x, w_q, w_k, w_v, w_o = (torch.tensor(getattr(one, name)) for name in ("x", "w_q", "w_k", "w_v", "w_o"))
    q, k, v = ((x @ w).unflatten(-1, (n_head, -1)).transpose(0, 1) for w in (w_q, w_k, w_v))
    mixed = scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=torch.tensor(one.mask))[0]
    return mixed.transpose(0, 1).flatten(1) @ w_o


def passes(node: str, script: str, **folders: Path) -> None:
    """Node runs the widget's own arithmetic on what it is sent, and compares it with ours."""
    path, environment = Path(__file__).with_name(script), {name: str(folder) for name, folder in folders.items()}
    done = subprocess.run(
        [node, "--test", str(path)], capture_output=True, text=True, env=os.environ | environment, timeout=600
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert re.search(r"^# skipped 0$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("layer", LAYERS)
def test_the_walk_is_torchs_attention(layer: WalkLayer) -> None:
    one = walk_attention(layer, WORDS)
    torch.testing.assert_close(torch.tensor(one.out), by_hand(one), atol=1e-5, rtol=1e-5)
    np.testing.assert_allclose(one.weights.sum(-1), 1, atol=1e-6)
    np.testing.assert_allclose(one.dots, one.q @ one.k.transpose(0, 2, 1), atol=1e-5)
    np.testing.assert_allclose(one.scores * math.sqrt(one.q.shape[-1]), one.dots, atol=1e-5)


def test_numbers_are_those_that_can_be_read() -> None:
    drawn = draw_layer(WalkLayer(d_model=8, seed=3), WORDS)
    for name, digits in (("embedding", 1), ("position", 2), ("x", 2), ("w_q", 1), ("w_k", 1), ("w_v", 1), ("w_o", 1)):
        matrix = getattr(drawn, name)
        assert np.array_equal(matrix, np.round(matrix, digits))
        assert not np.signbit(matrix[matrix == 0]).any() or name in ("position", "x")


def test_a_word_has_the_same_row_everywhere_and_another_seed_another() -> None:
    one, other = draw_layer(WalkLayer(), WORDS), draw_layer(WalkLayer(), ("mat", "the"))
    assert np.array_equal(one.embedding[0], one.embedding[4])
    assert np.array_equal(one.embedding[[5, 0]], other.embedding)
    assert not np.array_equal(draw_layer(WalkLayer(seed=1), WORDS).embedding, one.embedding)
    assert np.array_equal(walk_attention(WalkLayer(seed=7), WORDS).out, walk_attention(WalkLayer(seed=7), WORDS).out)


def test_edits_take_the_place_of_what_was_computed() -> None:
    before = walk_attention(WalkLayer(), WORDS)
    for edits in EDITS[1:]:
        after = walk_attention(WalkLayer(), WORDS, edits)
        for cell, value in edits.items():
            tensor = getattr(after, cell.name)
            at = cell[1:] if tensor.ndim == 3 else cell[2:]
            assert tensor[at] == np.float32(value)
        assert not np.array_equal(after.out, before.out)
    after = walk_attention(WalkLayer(), WORDS, {WalkCell("dots", 1, 5, 2): 3.0})
    assert after.scores[1, 5, 2] == pytest.approx(3 / math.sqrt(2))
    assert after.weights[1, 5].sum() == pytest.approx(1, abs=1e-6)


def test_too_few_and_too_many_words_and_a_width_that_does_not_divide_are_told() -> None:
    for count in (0, MOST_WORDS + 1):
        with pytest.raises(ValueError, match=f"{count} words"):
            walk_attention(WalkLayer(), ["word"] * count)
    with pytest.raises(ValueError, match="d_model=6 is not divisible by n_head=4"):
        WalkLayer(d_model=6, n_head=4)


def test_words() -> None:
    assert split_words("Hello, world!") == ["Hello", ",", "world", "!"]
    assert split_words("猫坐 yes") == ["猫", "坐", "yes"]
    assert split_words("don't (stop) …") == ["don't", "(", "stop", ")", "…"]
    assert split_words("👨‍👩‍👧 שלום नमस्ते") == ["👨‍👩‍👧", "שלום", "नमस्ते"]
    assert split_words(" \n ") == []


@given(st.text(max_size=80))
def test_words_keep_every_letter(text: str) -> None:
    assert "".join(split_words(text)) == "".join(text.split())


SIZES = tensor_shapes(6, 4, 2)


def test_edits_travel_in_an_address() -> None:
    for edits in EDITS:
        assert parse_edits(pack_edits(edits), SIZES) == (edits, 0)


@pytest.mark.parametrize(
    "text", ["x.1.2", "x.9.9=1", "x.0.1.2=1", "q.1.2=1", "q.2.0.0=1", "x.1.2=nan", "x.1.2=1e5", "~", "out.0.0=1"]
)
def test_broken_edits_are_refused(text: str) -> None:
    edits, refused = parse_edits(text, SIZES)
    assert edits == {} and refused >= 1


@pytest.mark.parametrize(
    "given",
    [
        *(None, "x", [1], [["x"]], [["x", 0, 0, 0, "1"]], [["x", 0, 0, 99, 1]], [["x", 0, 0, 0, 1e9]]),
        *([["x", 0, 0, 0, True]], [["x", 0.0, 0, 0, 1]], [["x", 0, 0, 0, math.nan]], [[["x"], 0, 0, 0, 1]]),
        [["x", 0, 0, 0, 1]] * (attention_walkthrough.MOST_EDITS + 1),
    ],
)
def test_forged_edits_are_refused_and_committed_ones_taken(given: Any) -> None:
    assert check_edits(given, SIZES) is None
    taken = check_edits([["x", 0, 1, 2, 0.5], ["q", 1, 0, 0, -2]], SIZES)
    assert taken == {WalkCell("x", 0, 1, 2): 0.5, WalkCell("q", 1, 0, 0): -2}
    assert len(parse_edits("~".join(["x.0.0=1"] * 100_000), SIZES)[0]) == 1


def test_the_browser_walks_the_same_way(node: str, tmp_path: Path) -> None:
    cases = []
    for layer in LAYERS:
        for edits in EDITS:
            one = walk_attention(
                layer, WORDS, {c: v for c, v in edits.items() if c.column < layer.d_model // layer.n_head}
            )
            kept = [[*c, v] for c, v in edits.items() if c.column < layer.d_model // layer.n_head]
            drawn = {name: matrix.tolist() for name, matrix in one.drawn._asdict().items()}
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
    passes(node, "walk_parity.mjs", WALKS=tmp_path)


# --- the soft dictionary

NUMBER = st.floats(-9, 9).map(lambda one: round(one, 2))


@st.composite
def dictionaries(draw: Any) -> Dictionary:
    d_key = draw(st.sampled_from((2, 3)))
    vector = st.tuples(*[NUMBER] * d_key)
    entries = st.tuples(*[vector] * len(ENTRY_NAMES))
    temperature = draw(st.floats(COLDEST, HOTTEST).map(lambda one: round(one, 3)))
    return Dictionary(draw(vector), draw(entries), draw(entries), temperature)


@given(dictionaries())
def test_weights_are_shares_and_the_answer_lies_between_the_values(asked: Dictionary) -> None:
    answer = soft_look_up(asked)
    assert answer.weights.sum() == pytest.approx(1)
    values = np.array(asked.values)
    assert (answer.soft <= values.max(0) + 1e-9).all() and (answer.soft >= values.min(0) - 1e-9).all()
    plain = np.exp((answer.scores - answer.scores.max()) / asked.temperature)
    np.testing.assert_allclose(answer.weights, plain / plain.sum(), atol=1e-12)


def test_equal_scores_share_evenly_however_cold() -> None:
    one = default_dictionary(2)
    tied = soft_look_up(Dictionary((1.0, 1.0), one.keys, one.values, COLDEST))
    assert tied.best == (0, 1)
    np.testing.assert_allclose(tied.weights, [0.5, 0.5, 0, 0], atol=1e-9)
    assert tuple(tied.hard) == one.values[0]


@given(dictionaries())
def test_a_dictionary_travels_in_an_address(asked: Dictionary) -> None:
    again = soft_lookup.parse_dictionary(soft_lookup.pack_dictionary(asked), len(asked.query))
    assert again is not None
    np.testing.assert_allclose(flatten_dictionary(again), flatten_dictionary(asked))
    assert soft_lookup.check_dictionary(flatten_dictionary(asked), len(asked.query)) == again


@pytest.mark.parametrize("text", ["", "1~2", "nan" + "~1" * 18, "0" + "~1" * 18, "1" + "~99" * 18, "1" * 5000])
def test_a_broken_link_is_refused(text: str) -> None:
    assert soft_lookup.parse_dictionary(text, 2) is None


@pytest.mark.parametrize("given", [None, {}, [1] * 18, [1, *[True] * 18], [math.inf] * 19, ["1"] * 19, [-1.0] * 19])
def test_forged_numbers_are_refused(given: Any) -> None:
    assert soft_lookup.check_dictionary(given, 2) is None


def test_the_browser_looks_up_the_same(node: str, tmp_path: Path) -> None:
    rng, cases = np.random.default_rng(0), []
    for d_key in (2, 3):
        for temperature in (COLDEST, 0.3, 1, math.sqrt(d_key), HOTTEST):
            numbers = [round(temperature, 3), *rng.normal(0, 2, d_key * 9).round(2).clip(-9, 9).tolist()]
            asked = soft_lookup.check_dictionary(numbers, d_key)
            assert asked is not None
            answer = soft_look_up(asked)
            names = ("scores", "weights", "soft", "hard", "mean")
            cases.append(
                {
                    "numbers": flatten_dictionary(asked),
                    "d_key": d_key,
                    **{name: getattr(answer, name).tolist() for name in names},
                }
            )
    (tmp_path / "lookups.json").write_text(json.dumps(cases))
    passes(node, "lookup_parity.mjs", LOOKUPS=tmp_path)
