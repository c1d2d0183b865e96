"""Our recurrent cells and additive attention equal torch's, or the closed form written out here."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings, strategies as st
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from core.nn.recurrent import RECURRENT_CELLS, AdditiveAttention, RecurrentCell, recurrent_hidden_state, unroll
from core.nn.tap import Trace

KINDS = pytest.mark.parametrize("kind", list(RECURRENT_CELLS))
TORCH_CELLS: dict[str, Any] = {"rnn": nn.RNNCell, "lstm": nn.LSTMCell, "gru": nn.GRUCell}
TORCH_NETS: dict[str, Any] = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
SIZES = {"n_text": st.integers(1, 4), "n_token": st.integers(1, 7), "d_input": st.integers(1, 6)} | {
    "d_hidden": st.integers(1, 6),
    "seed": st.integers(0, 10_000),
}
FEW = settings(max_examples=15, derandomize=True)


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def randomized(module: nn.Module, seed: int = 0) -> Any:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.data = torch.randn(parameter.shape, generator=generator, dtype=torch.float64) * 0.7
    return module


def same(ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs, atol=1e-10, rtol=0.0)


def pair(kind: str, d_input: int, d_hidden: int, seed: int = 0) -> tuple[RecurrentCell, Any]:
    """Our cell and torch's with the same weights, handed over as a state dict."""
    theirs = randomized(TORCH_CELLS[kind](d_input, d_hidden), seed)
    ours = RECURRENT_CELLS[kind](d_input, d_hidden).double()
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


def both_states(kind: str, *shape: int, seed: int) -> Any:
    h = normal(*shape, seed=seed)
    return (h, normal(*shape, seed=seed + 1)) if kind == "lstm" else h


def tensors(state: Any) -> list[Tensor]:
    return list(state) if isinstance(state, tuple) else [state]


def net(kind: str, cells: list[RecurrentCell], d_input: int, d_hidden: int) -> Any:
    """torch's net with the weights of one cell, or of a forward and a backward one."""
    theirs = TORCH_NETS[kind](d_input, d_hidden, batch_first=True, bidirectional=len(cells) == 2).double()
    names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    theirs.load_state_dict(
        {
            f"{name}_l0{ending}": getattr(cell, name).detach()
            for cell, ending in zip(cells, ("", "_reverse"), strict=False)
            for name in names
        }
    )
    return theirs


@KINDS
@FEW
@given(**SIZES)
def test_a_sequence_equals_torch(kind: str, n_text: int, n_token: int, d_input: int, d_hidden: int, seed: int) -> None:
    cell, _ = pair(kind, d_input, d_hidden, seed)
    x, state = normal(n_text, n_token, d_input, seed=seed), both_states(kind, n_text, d_hidden, seed=seed + 1)
    outputs, last = unroll(cell, x, state)
    batched = tuple(part[None] for part in state) if kind == "lstm" else state[None]
    expected, final = net(kind, [cell], d_input, d_hidden)(x, batched)
    same(outputs, expected)
    for mine, its in zip(tensors(last), tensors(final), strict=True):
        same(mine, its[0])


@KINDS
@FEW
@given(**SIZES, data=st.data())
def test_both_directions_over_padding_equal_torch_packed(
    kind: str, n_text: int, n_token: int, d_input: int, d_hidden: int, seed: int, data: Any
) -> None:
    lengths = torch.tensor(data.draw(st.lists(st.integers(1, n_token), min_size=n_text, max_size=n_text)))
    n_token = int(lengths.max())
    cells = [pair(kind, d_input, d_hidden, seed + k)[0] for k in (0, 1)]
    x = normal(n_text, n_token, d_input, seed=seed)
    mask = torch.arange(n_token) < lengths[:, None]
    (ahead, last), (back, first) = (
        unroll(cell, x, mask=mask, reverse=reverse) for cell, reverse in zip(cells, (False, True), strict=True)
    )
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    outputs, final = net(kind, cells, d_input, d_hidden)(packed)
    expected, _ = pad_packed_sequence(outputs, batch_first=True)
    same(torch.cat([ahead, back], -1)[mask], expected[mask])
    for mine, its in zip(zip(tensors(last), tensors(first), strict=True), tensors(final), strict=True):
        same(torch.stack(mine), its)
    # The last state of a text: its forward state at its own last token, its backward state at token 0.
    rows = torch.arange(n_text)
    same(torch.cat([ahead[rows, lengths - 1], back[:, 0]], -1), torch.cat([*tensors(final)[0]], -1))


@KINDS
def test_gradients_equal_torchs(kind: str) -> None:
    cell, _ = pair(kind, 3, 4)
    theirs = net(kind, [cell], 3, 4)
    x, direction = normal(2, 6, 3), normal(2, 6, 4, seed=1)
    mine, its = x.clone().requires_grad_(), x.clone().requires_grad_()
    (unroll(cell, mine)[0] * direction).sum().backward()
    (theirs(its)[0] * direction).sum().backward()
    assert mine.grad is not None and its.grad is not None
    same(mine.grad, its.grad)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        same(getattr(cell, name).grad, getattr(theirs, f"{name}_l0").grad)
    mask = torch.tensor([[True, True, False], [True, True, True]])  # which torch knows only packed: small differences
    inputs = (normal(2, 3, 3).requires_grad_(),)
    assert torch.autograd.gradcheck(lambda x: unroll(cell, x, mask=mask, reverse=True)[0], inputs)


def gates_by_hand(kind: str, theirs: Any, x: Tensor, state: Any) -> dict[str, Tensor]:
    """Every gate from torch's weights, block by block."""
    h = recurrent_hidden_state(state)
    d = theirs.hidden_size
    wx = x @ theirs.weight_ih.T + theirs.bias_ih
    uh = h @ theirs.weight_hh.T + theirs.bias_hh
    w, u = list(wx.split(d, -1)), list(uh.split(d, -1))
    if kind == "rnn":
        return {"h": torch.tanh(w[0] + u[0])}
    if kind == "lstm":
        i, f, o = (1 / (1 + torch.exp(-(w[k] + u[k]))) for k in (0, 1, 3))
        g = torch.tanh(w[2] + u[2])
        c = f * state[1] + i * g
        return {"i": i, "f": f, "g": g, "o": o, "c": c, "h": o * torch.tanh(c)}
    r, z = (1 / (1 + torch.exp(-(w[k] + u[k]))) for k in (0, 1))
    n = torch.tanh(w[2] + r * u[2])
    return {"r": r, "z": z, "n": n, "h": (1 - z) * n + z * h}


@KINDS
@FEW
@given(**SIZES)
def test_a_step_equals_torchs_and_every_gate_the_closed_form(
    kind: str, n_text: int, n_token: int, d_input: int, d_hidden: int, seed: int
) -> None:
    ours, theirs = pair(kind, d_input, d_hidden, seed)
    x, state = normal(n_text, d_input, seed=seed), both_states(kind, n_text, d_hidden, seed=seed + 1)
    with Trace(ours) as trace:
        ours(x, state)
    expected = gates_by_hand(kind, theirs, x, state)
    for given_state in (state, None):
        for mine, its in zip(tensors(ours(x, given_state)), tensors(theirs(x, given_state)), strict=True):
            same(mine, its)
    assert set(trace) == set(expected) and list(ours.state_dict()) == list(theirs.state_dict())
    assert set(ours.gates) <= set(expected)
    for name, value in expected.items():
        same(trace[name], value)


def test_the_paper_of_2014_resets_before_the_matrix_and_gets_other_numbers() -> None:
    ours, theirs = pair("gru", 3, 5)
    x, h = normal(4, 3), normal(4, 5, seed=1)
    gates = gates_by_hand("gru", theirs, x, h)
    w_n = (x @ theirs.weight_ih.T + theirs.bias_ih)[:, 10:]
    u, b = theirs.weight_hh[10:], theirs.bias_hh[10:]
    before = torch.tanh(w_n + (gates["r"] * h) @ u.T + b)  # Cho et al. 2014, equation 8
    of_2014 = (1 - gates["z"]) * before + gates["z"] * h
    assert float((ours(x, h) - of_2014).detach().abs().max()) > 0.05
    # With nothing reset the two are one.
    with torch.no_grad():
        for part in (ours, theirs):
            part.bias_ih[:5] = 1e3
    gates = gates_by_hand("gru", theirs, x, h)
    before = torch.tanh(w_n + (gates["r"] * h) @ u.T + b)
    same(ours(x, h), (1 - gates["z"]) * before + gates["z"] * h)


@FEW
@given(**SIZES, hide=st.booleans())
def test_additive_attention_equals_the_closed_form(
    n_text: int, n_token: int, d_input: int, d_hidden: int, seed: int, hide: bool
) -> None:
    attention = randomized(AdditiveAttention(d_input, d_hidden, 5), seed)
    query, keys = normal(n_text, d_input, seed=seed), normal(n_text, n_token, d_hidden, seed=seed + 1)
    mask = torch.rand(n_text, n_token, generator=torch.Generator().manual_seed(seed)) < 0.7 if hide else None
    with Trace(attention) as trace:
        context, weights = attention(query, keys, mask)
    w, u, v = attention.w_q.weight, attention.w_k.weight, attention.v.weight[0]
    for b in range(n_text):
        energies = torch.stack([(v * torch.tanh(w @ query[b] + u @ key)).sum() for key in keys[b]])
        same(trace["scores"][b], energies)
        may = torch.ones(n_token, dtype=torch.bool) if mask is None else mask[b]
        shares = torch.exp(energies) * may
        shares = shares / shares.sum() if may.any() else shares
        same(weights[b], shares)
        same(context[b], sum((shares[s] * keys[b, s] for s in range(n_token)), torch.zeros(d_hidden).double()))
    assert torch.equal(trace["weights"], weights) and torch.equal(trace["out"], context)


def test_gradients_of_additive_attention_are_those_of_small_differences() -> None:
    attention = randomized(AdditiveAttention(2, 3, 4))
    mask = torch.tensor([[True, False, True], [True, True, True]])
    inputs = normal(2, 2).requires_grad_(), normal(2, 3, 3, seed=1).requires_grad_()
    assert torch.autograd.gradcheck(lambda q, k: attention(q, k, mask)[0], inputs)
