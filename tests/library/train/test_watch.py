"""Watching tensors: the meaning of a query, the stored tensors, and no effect on the training."""

from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from torch.nn import functional as F

from core.nn.tap import Trace
from core.train.recipes import RECIPES
from core.train.run import TrainRun
from core.train.watch.behavior_snapshots import snapshot_probe_ids
from core.train.watch.tensor_summary import (
    LEVELS,
    LONGEST_SIDE,
    MOST_CELLS,
    MOST_MAPS,
    WatchFrame,
    _map_strides,
    split_cell_budget,
    summarize_tensor,
)
from core.train.watch.watched_tensor_patterns import (
    MOST_TENSORS,
    WatchableTensors,
    WatchQueryRefused,
    find_tensors_by_query,
    match_available_tensors,
    parse_tensor_query,
)
from core.train.watch.watcher import Watcher, watchable_tensors
from tests.counts import in_turn

TEXT = "The quick brown fox jumps over the lazy dog.\nAnna has a red ball.\n" * 200
EVERYTHING = "*.attn.weights, blocks.1.mlp.*, grad:*.resid_out, grad:blocks.0.*, update:*.w_q, update:tok_emb"
MODELS = {
    "gpt": {"n_layer": 2, "n_head": 2, "d_model": 16, "context_length": 24},
    "bert": {"kind": "bert", "n_layer": 2, "n_head": 2, "d_model": 16, "context_length": 24, "n_segment": 0},
    "gru": {"kind": "rnn", "cell": "gru", "n_layer": 2, "d_model": 16, "context_length": 24},
    "t5": {"kind": "t5", "n_layer": 2, "n_head": 2, "d_model": 16},
    "seq2seq": {"kind": "seq2seq", "d_model": 16},
    "lstm": {"kind": "rnn", "cell": "lstm", "n_layer": 1, "d_model": 16, "context_length": 24},
}


def small(kind: str = "gpt", seed: int = 1) -> TrainRun:
    recipe = replace(RECIPES["python-topics"], model=MODELS[kind], n_step=30, batch_size=4)
    return TrainRun(recipe, seed, text=TEXT)


TENSORS = WatchableTensors(
    {"embed": (8, 4), "blocks.0.attn.weights": (2, 8, 8), "blocks.1.attn.weights": (2, 8, 8), "logits": (8, 9)},
    {"tok_emb": (9, 4), "blocks.0.attn.w_q": (4, 4), "blocks.0.attn.w_q.bias": (4,), "blocks.1.attn.w_q": (4, 4)},
)
NAMES = [*TENSORS.activations, *TENSORS.parameters]
patterns = st.one_of(
    st.sampled_from(NAMES).flatmap(
        lambda name: st.tuples(st.integers(0, len(name)), st.integers(0, 6), st.sampled_from(["*", "?", "[01]"])).map(
            lambda cut: name[: cut[0]] + cut[2] + name[cut[0] + cut[1] :]
        )
    ),
    st.text("abw_q.*?[]01!-", min_size=1, max_size=30),
)


@given(patterns, st.sampled_from(["", "grad:", "update:"]))
def test_what_is_found_is_what_fnmatch_finds(pattern: str, of: str) -> None:
    known = [*TENSORS.parameters] if of == "update:" else NAMES
    expected = [name for name in known if fnmatchcase(name, pattern) or fnmatchcase(f"{name}.weight", pattern)]
    assert [one.name for one in match_available_tensors(of + pattern, TENSORS)] == expected
    if expected:
        assert [str(one) for one in find_tensors_by_query(of + pattern, TENSORS)] == [of + name for name in expected]
    else:
        with pytest.raises(WatchQueryRefused):
            find_tensors_by_query(of + pattern, TENSORS)


@pytest.mark.parametrize("name", NAMES)
def test_no_name_that_exists_is_refused(name: str) -> None:
    assert [one.name for one in find_tensors_by_query(f" {name} ,,", TENSORS)] == [name]
    assert find_tensors_by_query(f"{name}, grad: {name}", TENSORS)[1].of == "grad"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("blocks.0.attn.weigths", "Near it: blocks.0.attn.weights"),
        ("gradient:tok_emb", "no “gradient:”"),
        ("update:blocks.0.attn.weights", "only parameters are updated"),
        ("a" * 201, "201 characters"),
        (",".join(["tok_emb"] * 9), "9 patterns"),
        ("<script>", "isn't a name"),
        ("../../etc", "isn't a name"),
        ("x\u202ey", "isn't a name"),
        ("grad:", "isn't a name"),
        ("*" * 150 + "z", "Nothing here is called"),
    ],
)
def test_what_cannot_be_watched_is_refused_in_plain_words(query: str, words: str) -> None:
    with pytest.raises(WatchQueryRefused, match=words.replace("[", "")):
        find_tensors_by_query(query, TENSORS)
    assert match_available_tensors(query, TENSORS) == () or "patterns" in words


def test_too_many_tensors_are_refused_and_a_run_takes_the_first() -> None:
    many = WatchableTensors({f"blocks.{n}.out": (2, 2) for n in range(60)}, {})
    with pytest.raises(WatchQueryRefused, match="60 tensors; 48"):
        find_tensors_by_query("*", many)
    assert len(match_available_tensors("*", many)) == MOST_TENSORS
    assert parse_tensor_query("") == () and find_tensors_by_query("", many) == ()


@pytest.mark.parametrize("kind", in_turn(MODELS, 2))
def test_watching_changes_nothing(kind: str) -> None:
    """Weights, losses and gradients are the same bit for bit, whatever is watched, and whenever it begins."""
    plain, watched = small(kind), small(kind)
    plain.advance(12)
    watcher = Watcher(watched)
    for until in (1, 2, 5, 6, 12):
        if until == 5:
            watcher.ask("*.h, *.mlp.act, grad:*, update:*" if kind != "bert" else EVERYTHING)
        while watched.step < until:
            watcher.advance(until, 60)
        WatchFrame.from_bytes(watcher.take().to_bytes())
    assert plain.history == watched.history
    for (name, one), other in zip(plain.model.named_parameters(), watched.model.parameters(), strict=True):
        assert torch.equal(one, other), name
    moments = zip(plain.optimizer.state.values(), watched.optimizer.state.values(), strict=True)
    assert all(torch.equal(one, other) for one, other in moments)


@pytest.mark.parametrize("kind", MODELS)
def test_names_and_shapes_are_known_before_there_is_a_model(kind: str) -> None:
    run = small(kind)
    before = watchable_tensors(run.recipe, run.vocab_size)
    there = Watcher(run).tensors
    assert list(before.activations) == list(there.activations) and before.parameters == there.parameters
    lengths = {one.shape[1] for one in Watcher(run)._read[0]}  # of a pair, what each side reads
    assert sum(lengths) == len(snapshot_probe_ids(run))
    for name, shape in there.activations.items():
        assert len(before.activations[name]) == len(shape), name
        assert lengths & {*shape}, name  # of a recurrent net, too, which makes it token by token


def test_an_update_is_the_difference_and_a_gradient_is_autograds() -> None:
    run, twin = small(), small()
    watcher = Watcher(run)
    watcher.ask("update:blocks.0.attn.w_q, grad:blocks.0.attn.w_q, grad:blocks.1.resid_out, blocks.1.mlp.act")
    assert [one.name for one in watcher.take().tensors] == ["grad:blocks.1.resid_out", "blocks.1.mlp.act"]
    while run.step < 5:
        watcher.advance(5, 60)
    twin.advance(4)
    before = twin.model.blocks[0].attn.w_q.weight.detach().clone()
    loss = twin.objective.loss(twin.forward, twin.train_ids, twin._starts[4], 4)
    (slope,) = torch.autograd.grad(loss, [twin.model.blocks[0].attn.w_q.weight])
    twin.advance(1)
    moved = twin.model.blocks[0].attn.w_q.weight.detach() - before
    ids = snapshot_probe_ids(twin)
    with Trace(twin.model) as trace:
        logits = twin.model(ids[None])
    (flow,) = torch.autograd.grad(F.cross_entropy(logits[0, :-1], ids[1:]), [trace["blocks.1.resid_out"]])
    expected = [moved, slope, flow[0], trace["blocks.1.mlp.act"][0].detach()]
    found = watcher.take().tensors
    for one, values in zip(found, expected, strict=True):
        assert one.shape == tuple(values.shape)
        assert one.norm == pytest.approx(float(values.norm()), rel=1e-4)
        part = values.numpy()[:: one.stride[1], :: one.stride[2]]
        np.testing.assert_allclose(one.values[0], part, atol=one.limit / LEVELS * 1.05)
    assert found[0].ratio == pytest.approx(float(moved.norm() / before.norm()), rel=1e-4)


def test_what_is_kept_of_a_large_tensor_is_small_and_true() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 300, 500)).astype(np.float32)
    values[:, :, 7] = 0
    one = summarize_tensor("x", values, MOST_CELLS)
    assert one.map.size <= MOST_CELLS and len(one.map) == MOST_MAPS and max(one.map.shape[1:]) <= LONGEST_SIDE
    _, row, column = one.stride
    shown = values[:MOST_MAPS, ::row, ::column]
    np.testing.assert_allclose(one.values, shown, atol=one.limit / LEVELS)  # each is a number of the tensor
    assert one.norm == pytest.approx(np.linalg.norm(values.astype(float)), rel=1e-5)
    assert one.silent == pytest.approx(1 / 500)
    counts, _ = np.histogram(values, 41, (values.min(), values.max()))
    np.testing.assert_allclose(one.histogram / 65_535, counts / values.size, atol=1e-4)


def test_all_maps_of_a_step_share_one_room() -> None:
    assert split_cell_budget([10, 1000, 40], 300) == [10, 250, 40]
    assert sum(split_cell_budget([5000] * 48, MOST_CELLS)) <= MOST_CELLS and split_cell_budget([], 5) == []


@pytest.mark.parametrize("shape", [(), (1,), (5000,), (3, 4), (1, 20_000), (20_000, 1), (100, 7, 7), (2, 3, 4, 5)])
def test_every_shape_fits(shape: tuple[int, ...]) -> None:
    one = summarize_tensor("x", np.full(shape, -2.0, np.float32), 768)
    back = WatchFrame.from_bytes(WatchFrame(3, "x", (one,)).to_bytes()).tensors[0]
    assert back.shape == shape and back.map.size <= 768 and np.allclose(back.values, -2.0)
    assert _map_strides(back.map.shape, back.map.size)[1:] == (1, 1)


def test_what_is_no_number_is_kept_as_nothing() -> None:
    values = np.array([[1.0, np.nan], [-np.inf, -3.0]], np.float32)
    one = WatchFrame.from_bytes(WatchFrame(0, "x", (summarize_tensor("x", values, 100),)).to_bytes()).tensors[0]
    assert one.norm is None and one.ratio is None
    np.testing.assert_allclose(one.values[0], [[1, np.nan], [np.nan, -3]], atol=0.02)


@pytest.mark.parametrize("cut", [0, 3, 10, -1])
def test_broken_bytes_are_reported(cut: int) -> None:
    data = WatchFrame(3, "x", (summarize_tensor("x", np.ones((3, 3), np.float32), 100),)).to_bytes()
    with pytest.raises(ValueError, match="aren't stored tensors"):
        WatchFrame.from_bytes(data[:cut])


def test_the_probes_loss_is_of_what_is_hidden_or_comes_next() -> None:
    """Fault: a model that reads both sides sees the tokens that it is asked for."""
    for kind in ("gpt", "bert"):
        run = small(kind)
        ids = snapshot_probe_ids(run)
        asked = torch.arange(4, len(ids), 4) if kind == "bert" else torch.arange(1, len(ids))
        read = ids.clone()
        if kind == "bert":
            read[asked] = run.tokenizer.mask_id
        logits = run.model(read[None])[0]
        expected = F.cross_entropy(logits[asked if kind == "bert" else asked - 1], ids[asked])
        assert Watcher(run).probe_loss().item() == pytest.approx(expected.item(), rel=1e-5), kind
