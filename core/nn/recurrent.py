"""Recurrent cells: one step of a network that reads a sequence token by token and keeps a state.

The state is a vector per sequence (two vectors in the LSTM), computed at each step from the input and the previous
state. The gates are numbers between 0 and 1, one for each unit, that control how much of something passes.

The equations, names and order of the parameters are torch's (`torch.nn.RNNCell`, `LSTMCell`, `GRUCell`), so weights can
be exchanged. In the formulas, W is `weight_ih` and U is `weight_hh`; each has its own bias.
"""

import math
from abc import ABC, abstractmethod
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.checks import check_whole, describe_value
from core.nn import checks
from core.nn.attention import masked_softmax
from core.nn.tap import tap

CellState = Any  # (B, D); for an LSTM a pair of them


class RecurrentCell(nn.Module, ABC):
    """The base class of all cells: two matrices and two biases with `n_gate` blocks of d_hidden rows.

    Raises:
        ValueError: if the width of the input or of the state is not positive.

    Source: torch.nn.RNNCellBase.
    """

    n_gate = 1
    gates: tuple[str, ...] = ()  # the names under which the gates are tapped

    def __init__(self, d_input: int, d_hidden: int):
        super().__init__()
        if check_whole("d_input", d_input) < 1 or check_whole("d_hidden", d_hidden) < 1:
            raise ValueError(f"d_input={d_input} and d_hidden={d_hidden} must both be at least 1")
        self.d_input, self.d_hidden = d_input, d_hidden
        self.weight_ih = nn.Parameter(torch.empty(self.n_gate * d_hidden, d_input))
        self.weight_hh = nn.Parameter(torch.empty(self.n_gate * d_hidden, d_hidden))
        self.bias_ih = nn.Parameter(torch.empty(self.n_gate * d_hidden))
        self.bias_hh = nn.Parameter(torch.empty(self.n_gate * d_hidden))

    @torch.no_grad()
    def init_weights(self, generator: torch.Generator) -> None:
        """Initialize as torch does: every parameter uniform within 1/sqrt(d_hidden) around 0."""
        bound = 1 / math.sqrt(self.d_hidden)
        for parameter in self.parameters():
            parameter.uniform_(-bound, bound, generator=generator)

    def forward(self, x: Float[Tensor, "B D_in"], state: CellState | None = None) -> CellState:
        """Take one step and return the new state. No state means zeros.

        Raises:
            TypeError, ValueError: if x or the state has the wrong type or width.
        """
        checks.check_floats("x", x, "(B, D_in)", 2, self.d_input)
        zeros = self.start(x)
        if state is not None:
            self.check_state(state, zeros)
        return self.step(self.read(x), zeros if state is None else state)

    def check_state(self, state: CellState, zeros: CellState) -> None:
        """Raise TypeError or ValueError unless the state has the form of `zeros`, the initial state."""
        if isinstance(zeros, tuple) and not (isinstance(state, tuple | list) and len(state) == len(zeros)):
            raise TypeError(f"state must be a pair (h, c) of tensors (B, D), not {describe_value(state)}")
        for one, zero in zip(state, zeros, strict=True) if isinstance(zeros, tuple) else [(state, zeros)]:
            checks.check_floats("state", one, "(B, D)", 2, self.d_hidden)
            if len(one) != len(zero):
                raise ValueError(f"state is of {len(one)} sequences, x of {len(zero)}")

    def read(self, x: Float[Tensor, "... D_in"]) -> Float[Tensor, "... G"]:
        """Compute W x + b, the input's part of all gates. It needs no state, so all steps can be computed at once."""
        return F.linear(x, self.weight_ih, self.bias_ih)

    @abstractmethod
    def step(self, read: Float[Tensor, "B G"], state: CellState) -> CellState:
        """Compute the new state from `read(x)` and the previous state."""

    def start(self, like: Float[Tensor, "B ..."]) -> CellState:
        """Return the initial state: zeros (B, D), for the batch size and the device of `like`."""
        return like.new_zeros(like.shape[0], self.d_hidden)

    def remember(self, state: CellState) -> Float[Tensor, "B G"]:
        """Compute U h + b, the state's part of all gates."""
        return F.linear(state, self.weight_hh, self.bias_hh)


class RNNCell(RecurrentCell):
    """A simple recurrent cell: h' = tanh(W x + b + U h + b').

    Source: Elman 1990; torch.nn.RNNCell.
    """

    def step(self, read: Float[Tensor, "B D"], state: Float[Tensor, "B D"]) -> Float[Tensor, "B D"]:
        return tap(self, "h", torch.tanh(read + self.remember(state)))  # (B, D)


class LSTMCell(RecurrentCell):
    """Long short-term memory: a second state c is only scaled and added to, so it can hold information for long.

        i, f, o = sigmoid(W x + b + U h + b')      g = tanh(the same)
        c' = f * c + i * g                         h' = o * tanh(c')

    Called with the state (h, c), it returns the new (h, c).

    Source: Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000; order i, f, g, o as in torch.

    Elsewhere: h is called the hidden state or output, c the cell state or memory.
    """

    n_gate = 4
    gates = ("i", "f", "g", "o")

    def step(self, read: Float[Tensor, "B G"], state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        h, c = state
        i, f, g, o = (read + self.remember(h)).chunk(4, -1)  # (B, D) each
        i, f, o = tap(self, "i", i.sigmoid()), tap(self, "f", f.sigmoid()), tap(self, "o", o.sigmoid())
        g = tap(self, "g", g.tanh())
        c = tap(self, "c", f * c + i * g)  # (B, D)
        return tap(self, "h", o * c.tanh()), c

    def start(self, like: Float[Tensor, "B ..."]) -> tuple[Tensor, Tensor]:
        zeros = super().start(like)
        return zeros, zeros


class GRUCell(RecurrentCell):
    """A gated recurrent unit: the update gate z sets how much of the state stays, the reset gate r what n sees of it.

        r, z = sigmoid(W x + b + U h + b')         n = tanh(W x + b + r * (U h + b'))
        h' = (1 - z) * n + z * h

    Source: torch.nn.GRUCell, order r, z, n; after Cho et al. 2014 (1406.1078), section 2.3.

    Elsewhere: Cho et al. 2014 apply r to h before U, which gives different numbers. Some texts swap the roles of z and
    1 - z. Keras computes this form with `reset_after=True`.
    """

    n_gate = 3
    gates = ("r", "z", "n")

    def step(self, read: Float[Tensor, "B G"], state: Float[Tensor, "B D"]) -> Float[Tensor, "B D"]:
        (read_r, read_z, read_n), (r, z, n) = read.chunk(3, -1), self.remember(state).chunk(3, -1)  # (B, D) each
        r, z = tap(self, "r", (read_r + r).sigmoid()), tap(self, "z", (read_z + z).sigmoid())
        n = tap(self, "n", (read_n + r * n).tanh())
        return tap(self, "h", (1 - z) * n + z * state)  # (B, D)


RECURRENT_CELLS: dict[str, type[RecurrentCell]] = {"rnn": RNNCell, "lstm": LSTMCell, "gru": GRUCell}


def unroll(
    cell: RecurrentCell,
    x: Float[Tensor, "B T D_in"],
    state: CellState | None = None,
    mask: Bool[Tensor, "B T"] | None = None,
    reverse: bool = False,
) -> tuple[Float[Tensor, "B T D"], CellState]:
    """Run a cell over a sequence step by step.

    Args:
        cell: computes each new state.
        x: the inputs.
        state: the initial state; None means zeros.
        mask: True where there is a token. At padding the state isn't updated, so padding has no effect.
        reverse: read from the last token to the first; output t then depends on the tokens from t on.

    Returns:
        The state h after each step, in the order of the tokens, and the whole state after the last step taken
        (reverse: after token 0).

    Source: Elman 1990; both directions: Schuster and Paliwal 1997.

    Elsewhere: `torch.nn.RNN`, `LSTM` and `GRU` with a single layer.
    """
    state = cell.start(x) if state is None else state
    outputs: list[Tensor] = [x] * x.shape[1]
    reads = cell.read(x).unbind(1)  # T of (B, G); with slices, each one's gradient would fill all T steps with zeros
    for t in reversed(range(x.shape[1])) if reverse else range(x.shape[1]):
        new = cell.step(reads[t], state)
        state = new if mask is None else _where(mask[:, t, None], new, state)
        outputs[t] = recurrent_hidden_state(state)
    return torch.stack(outputs, 1) if outputs else x.new_zeros(x.shape[0], 0, cell.d_hidden), state


def recurrent_hidden_state(state: CellState) -> Float[Tensor, "B D"]:
    """Return the part h of a state, which is the cell's output; an LSTM's c stays inside the cell."""
    return state[0] if isinstance(state, tuple) else state


class AdditiveAttention(nn.Module):
    """Additive attention: a small network scores each key, v' tanh(W q + U k), followed by a softmax.

    The keys are also the values: the output is their weighted mean.

    Source: Bahdanau et al. 2014 (1409.0473), section 3.1 and appendix A.1.2.

    Elsewhere: `w_q`, `w_k` and `v` are W_a, U_a and v_a in the paper.
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int):
        super().__init__()
        for name, width in (("d_query", d_query), ("d_key", d_key), ("d_hidden", d_hidden)):
            check_whole(name, width, 1)
        self.w_q = nn.Linear(d_query, d_hidden, bias=False)
        self.w_k = nn.Linear(d_key, d_hidden, bias=False)
        self.v = nn.Linear(d_hidden, 1, bias=False)

    def forward(
        self,
        query: Float[Tensor, "B D_q"],
        keys: Float[Tensor, "B S D_k"],
        mask: Bool[Tensor, "B S"] | None = None,
        read: Float[Tensor, "B S H"] | None = None,
    ) -> tuple[Float[Tensor, "B D_k"], Float[Tensor, "B S"]]:
        """Compute the context vector, which the query reads from the keys.

        Args:
            mask: True means "may attend"; a row in which every key is blocked gives zeros.
            read: `read_keys(keys)`, to be reused by many queries of the same keys; None computes it.

        Returns:
            context: (B, D_k), the mixture of keys; weights: (B, S), rows sum to 1.

        Raises:
            TypeError, ValueError: if query or keys have the wrong type or width, or the mask does not fit.
        """
        checks.check_floats("query", query, "(B, D_q)", 2, self.w_q.in_features)
        checks.check_floats("keys", keys, "(B, S, D_k)", 3, self.w_k.in_features)
        scores = tap(self, "scores", self.scores(query, keys, read))  # (B, S)
        weights = tap(self, "weights", masked_softmax(scores, mask))  # (B, S)
        return tap(self, "out", (weights[:, None] @ keys).squeeze(1)), weights

    def scores(
        self, query: Float[Tensor, "B D_q"], keys: Float[Tensor, "B S D_k"], read: Float[Tensor, "B S H"] | None = None
    ) -> Float[Tensor, "B S"]:
        """Compute the scores before mask and softmax, called energies e in the paper."""
        read = self.read_keys(keys) if read is None else read  # (B, S, H)
        return self.v(torch.tanh(self.w_q(query)[:, None] + read)).squeeze(-1)  # (B, S)

    def read_keys(self, keys: Float[Tensor, "*batch D_k"]) -> Float[Tensor, "*batch H"]:
        """Compute the keys' part of the scores, U k, which doesn't depend on the query."""
        return self.w_k(keys)


def _where(keep: Bool[Tensor, "B 1"], new: CellState, old: CellState) -> CellState:
    if isinstance(new, tuple):
        return tuple(torch.where(keep, a, b) for a, b in zip(new, old, strict=True))
    return torch.where(keep, new, old)
