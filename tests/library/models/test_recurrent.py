"""The results of the room of recurrent nets: steps by hand, the unit that knows each word, and forgetting."""

import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from core.models import registry
from core.models.gpt import GPTConfig
from core.models.rnn import RNNConfig
from core.nn.recurrent import RECURRENT_CELLS, unroll
from core.rooms.recurrent import both_ends, forgetting, unrolled
from core.rooms.recurrent.compute import recurrent

KINDS = pytest.mark.parametrize("cell", list(RECURRENT_CELLS))
IDS = [3, 1, 4, 1, 5, 9, 2, 6]
FEW = settings(max_examples=12, derandomize=True)


def model(cell: str = "gru", n_layer: int = 2, seed: int = 0) -> Any:
    config = RNNConfig(vocab_size=10, context_length=32, cell=cell, n_layer=n_layer, d_model=6)
    return registry.build(config, seed).eval().requires_grad_(False)


@KINDS
def test_all_states_and_gates_of_every_layer_are_there(cell: str) -> None:
    net = model(cell)
    seen = recurrent.unroll_text(net, IDS)
    assert seen.cell == cell and seen.shape == (2, len(IDS), 6)
    assert set(seen.parts) == {*RECURRENT_CELLS[cell].gates, "h"} | ({"c"} if cell == "lstm" else set())
    x = net.tok_emb(torch.tensor([IDS]))
    for layer, block in enumerate(net.blocks):
        np.testing.assert_array_equal(seen.inputs[layer], x[0].numpy())
        x, _ = unroll(block, x)
        np.testing.assert_array_equal(seen.parts["h"][layer], x[0].numpy())
    np.testing.assert_array_equal(seen.logits, net(torch.tensor([IDS]))[0].numpy())
    np.testing.assert_allclose(seen.probabilities.sum(-1), 1, atol=1e-6)


@KINDS
@FEW
@given(layer=st.integers(0, 1), token=st.integers(0, 7), unit=st.integers(0, 5), seed=st.integers(0, 99))
def test_a_step_by_hand_is_the_models_own(cell: str, layer: int, token: int, unit: int, seed: int) -> None:
    net = model(cell, seed=seed)
    seen = recurrent.unroll_text(net, IDS)
    step = recurrent.compute_by_hand(net, seen, layer, token, unit)
    assert step.error < 1e-6
    assert step.h_after == pytest.approx(seen.parts["h"][layer, token, unit], abs=1e-6)
    assert step.h_before == (seen.parts["h"][layer, token - 1, unit] if token else 0)
    for share in step.shares:
        assert share.from_input == pytest.approx(float((share.w * step.x).sum()))
        scale = step.share("r").value if share.name == "n" else 1
        inner = share.from_input + share.bias + scale * (share.from_state + share.state_bias)
        assert share.total == pytest.approx(inner)
    if cell == "lstm":
        assert step.c_after == pytest.approx(seen.parts["c"][layer, token, unit], abs=1e-6)


def test_a_wrong_number_would_be_noticed() -> None:
    net = model("gru")
    seen = recurrent.unroll_text(net, IDS)
    with torch.no_grad():
        net.blocks[1].bias_ih += 0.1
    assert recurrent.compute_by_hand(net, seen, 1, 3, 2).error > 1e-3
    with pytest.raises(IndexError, match="unit 6"):
        recurrent.compute_by_hand(net, seen, 0, 0, 6)


@KINDS
def test_the_printed_numbers_add_up(cell: str) -> None:
    net = model(cell)
    step = recurrent.compute_by_hand(net, recurrent.unroll_text(net, IDS), 1, 4, 2)
    rows = unrolled.gate_markdown(step, cell).replace("−", "-").splitlines()
    assert len(rows) == max(1, len(RECURRENT_CELLS[cell].gates))
    for row, share in zip(rows, step.shares, strict=True):
        numbers = [float(found) for found in re.findall(r"[+-]?\d+\.\d+", row)]
        scale = round(step.share("r").value, 4) if share.name == "n" else 1
        assert numbers[0] + numbers[1] + scale * (numbers[2] + numbers[3]) == pytest.approx(numbers[4], abs=3e-4)
        assert numbers[5] == round(share.value, 4)
        assert ("r ·" in row) is (share.name == "n")
    assert f"{step.h_after:+.4f}" in unrolled.mixture_markdown(step, cell).replace("−", "-")
    table = step.table(step.shares[0].name)
    products = np.array(table["product"])
    is_input = np.array(table["sum"]) == "W x"
    assert products[is_input].sum() == pytest.approx(step.shares[0].from_input)
    assert products[~is_input].sum() == pytest.approx(step.shares[0].from_state)
    assert f"{step.shares[0].from_input:+.4f}" in unrolled.product_markdown(step.shares[0], step).replace("−", "-")
    latex = unrolled.step_latex(step, cell)
    assert latex.count("_t &=") == len(rows) + {"rnn": 0, "gru": 1, "lstm": 2}[cell]
    assert latex.count("{") == latex.count("}") and f"{step.h_after:.4f}" in latex


def test_units_are_ordered_by_their_movement() -> None:
    seen = recurrent.unroll_text(model(), IDS)
    order = seen.by_movement(0)
    states = np.vstack([np.zeros(6), seen.parts["h"][0]])
    moved = np.abs(np.diff(states, axis=0)).sum(0)
    assert sorted(order) == list(range(6))
    assert (np.diff(moved[order]) <= 0).all()


def test_a_unit_that_turns_once_is_slower_than_one_that_turns_often_and_one_that_rests_is_neither() -> None:
    states = np.array([[1, 1, 1, 1, -1, -1, -1, -1], [1, -1] * 4, [0.5] * 8, [1, 1, -1, -1] * 2], dtype=np.float32).T
    seen = recurrent.UnrolledText(
        cell="rnn", inputs=states[None], parts={"h": states[None]}, logits=states, probabilities=states
    )
    assert seen.by_slowness(0) == [0, 3, 1, 2]
    one = recurrent.UnrolledText(
        cell="rnn", inputs=states[None, :1], parts={"h": states[None, :1]}, logits=states[:1], probabilities=states[:1]
    )
    assert one.by_slowness(0) == [0, 1, 2, 3]


@pytest.mark.parametrize("ids", [[], [10], [-1]])
def test_texts_that_cannot_be_read_are_refused(ids: list[int]) -> None:
    with pytest.raises(ValueError, match="token"):
        recurrent.unroll_text(model(), ids)
    with pytest.raises(ValueError, match="token"):
        both_ends.measure_dependence(model(), ids, 0)


@KINDS
def test_a_word_changes_forward_states_from_there_on_and_backward_ones_up_to_there(cell: str) -> None:
    found = both_ends.measure_dependence(model(cell), IDS, 0)
    t, s = np.indices(found.ahead.shape)
    assert (found.ahead[t < s] == 0).all() and (found.ahead[t >= s] > 0).all()
    assert (found.back[t > s] == 0).all() and (found.back[t <= s] > 0).all()
    assert not found.unchanged.any()
    assert (found.back[-1, :-1] == 0).all()  # [a_n, b_n]: b_n has read one word


def test_the_changes_are_those_of_two_separate_readings() -> None:
    net = model()
    found = both_ends.measure_dependence(net, IDS, 7)
    changed = [*IDS[:3], 7, *IDS[4:]]
    for name, which in (("ahead", 0), ("back", 1)):
        one, other = (both_ends.read_both_ways(net, torch.tensor([ids]))[which][0] for ids in (IDS, changed))
        np.testing.assert_allclose(getattr(found, name)[:, 3], (one - other).abs().amax(-1), atol=1e-6)


def test_a_word_replaced_by_itself_changes_nothing() -> None:
    found = both_ends.measure_dependence(model(), IDS, 1)
    assert found.unchanged.tolist() == [i == 1 for i in IDS]
    assert (found.ahead[:, found.unchanged] == 0).all() and (found.back[:, found.unchanged] == 0).all()


@pytest.mark.parametrize("kind", [*RECURRENT_CELLS, "attention"])
def test_sizes_by_distance_are_those_of_the_whole_jacobian(kind: str) -> None:
    net: Any
    if kind == "attention":
        config = GPTConfig(vocab_size=10, context_length=16, n_layer=1, n_head=2, d_model=6, positions="none")
        net = registry.build(config, 3)
    else:
        net = model(kind, n_layer=1)
    net = net.double().eval().requires_grad_(False)
    ids = torch.tensor([IDS, IDS[::-1]])

    def last(x: torch.Tensor) -> torch.Tensor:
        if kind == "attention":
            for block in net.blocks:
                x = block(x, mask=net.mask(x.shape[1]))
            return net.norm(x)[:, -1]
        return unroll(net.blocks[0], x)[0][:, -1]

    squares = []
    for row in ids:
        jacobian = torch.autograd.functional.jacobian(last, net.tok_emb(row[None]))[0, :, 0]  # (D, T, D)
        squares.append(jacobian.square().sum((0, 2)) / 6)
    expected = torch.stack(squares).mean(0).sqrt().flip(0)
    np.testing.assert_allclose(forgetting.influence_by_distance(net, ids), expected.numpy(), rtol=1e-5, atol=1e-9)


def test_the_factor_for_each_step() -> None:
    assert forgetting.decay_per_step(0.5 ** np.arange(10.0)) == pytest.approx(0.5)
    assert forgetting.decay_per_step(np.array([9.0, 2.0, 2.0, 0.0])) == 0
    assert math.isnan(forgetting.decay_per_step(np.array([1.0, 1.0])))
    assert math.isnan(forgetting.decay_per_step(np.array([1.0, 0.0, 0.0])))
