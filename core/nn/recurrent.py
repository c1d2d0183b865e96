"""Recurrent cells: one step of a net that reads a sequence token by token and keeps what it needs in a state.

The state is a vector per sequence (for the LSTM two of them), made anew at each step from the input and the state
before. The gates are numbers between 0 and 1, one for each unit, that say how much of something passes.

Equations, names and order of the parameters are torch's (`torch.nn.RNNCell`, `LSTMCell`, `GRUCell`), so that weights
can be exchanged. W stands for `weight_ih`, U for `weight_hh`; each has its own bias.
"""

import math
from abc import ABC, abstractmethod
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from core.data.checks import came, whole
from core.nn import checks
from core.nn.attention import masked_softmax
from core.nn.tap import tap

State = Any  # (B, D); of an LSTM a pair of them


class Cell(nn.Module, ABC):
    """The base of all cells: two matrices and two biases for `n_gate` blocks of d_hidden rows.

    Raises:
        ValueError: if the width of the input or of the state is not positive.

    Source: torch.nn.RNNCellBase.
    """

    n_gate = 1
    gates: tuple[str, ...] = ()  # the names under which the gates are tapped

    def __init__(self, d_input: int, d_hidden: int):
        super().__init__()
        if whole("d_input", d_input) < 1 or whole("d_hidden", d_hidden) < 1:
            raise ValueError(f"d_input={d_input} and d_hidden={d_hidden} must both be at least 1")
        self.d_input, self.d_hidden = d_input, d_hidden
        self.weight_ih = nn.Parameter(torch.empty(self.n_gate * d_hidden, d_input))
        self.weight_hh = nn.Parameter(torch.empty(self.n_gate * d_hidden, d_hidden))
        self.bias_ih = nn.Parameter(torch.empty(self.n_gate * d_hidden))
        self.bias_hh = nn.Parameter(torch.empty(self.n_gate * d_hidden))

    @torch.no_grad()
    def init_weights(self, generator: torch.Generator) -> None:
        """torch's start: every number uniform within 1/sqrt(d_hidden) around 0."""
        bound = 1 / math.sqrt(self.d_hidden)
        for parameter in self.parameters():
            parameter.uniform_(-bound, bound, generator=generator)

    def forward(self, x: Float[Tensor, "B D_in"], state: State | None = None) -> State:
        """One step: the new state after reading x. No state means zeros.

        Raises:
            TypeError, ValueError: if x or the state is of another kind or width.
        """
        checks.floats("x", x, "(B, D_in)", 2, self.d_input)
        zeros = self.start(x)
        if state is not None:
            self.check_state(state, zeros)
        return self.step(self.read(x), zeros if state is None else state)

    def check_state(self, state: State, zeros: State) -> None:
        """Raise TypeError or ValueError unless a state has the form of the one before the first token."""
        if isinstance(zeros, tuple) and not (isinstance(state, tuple | list) and len(state) == len(zeros)):
            raise TypeError(f"state must be a pair (h, c) of tensors (B, D), not {came(state)}")
        for one, zero in zip(state, zeros, strict=True) if isinstance(zeros, tuple) else [(state, zeros)]:
            checks.floats("state", one, "(B, D)", 2, self.d_hidden)
            if len(one) != len(zero):
                raise ValueError(f"state is of {len(one)} sequences, x of {len(zero)}")

    def read(self, x: Float[Tensor, "... D_in"]) -> Float[Tensor, "... G"]:
        """W x + b: the input's share of all gates. It needs no state, so all steps can be read at once."""
        return F.linear(x, self.weight_ih, self.bias_ih)

    @abstractmethod
    def step(self, read: Float[Tensor, "B G"], state: State) -> State:
        """The new state from what was read and the state before."""

    def start(self, like: Float[Tensor, "B ..."]) -> State:
        """The state before the first token: zeros (B, D)."""
        return like.new_zeros(like.shape[0], self.d_hidden)

    def remember(self, state: State) -> Float[Tensor, "B G"]:
        """U h + b: the state's share of all gates."""
        return F.linear(state, self.weight_hh, self.bias_hh)


class RNNCell(Cell):
    """h' = tanh(W x + b + U h + b').

    Source: Elman 1990; torch.nn.RNNCell.
    """

    def step(self, read: Float[Tensor, "B D"], state: Float[Tensor, "B D"]) -> Float[Tensor, "B D"]:
        return tap(self, "h", torch.tanh(read + self.remember(state)))  # (B, D)


class LSTMCell(Cell):
    """A second state c that is only scaled and added to, so that what it holds can stay.

        i, f, o = sigmoid(W x + b + U h + b')      g = tanh(the same)
        c' = f * c + i * g                         h' = o * tanh(c')

    Called with state (h, c), it gives the new (h, c).

    Source: Hochreiter and Schmidhuber 1997, with the forget gate of Gers et al. 2000; order i, f, g, o as in torch.
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


class GRUCell(Cell):
    """One state, of which the gate z says how much stays; r says how much of it the candidate n may see.

        r, z = sigmoid(W x + b + U h + b')         n = tanh(W x + b + r * (U h + b'))
        h' = (1 - z) * n + z * h

    Cho et al. 2014 apply r to h before U, which gives other numbers; some texts have z the other way round.

    Source: torch.nn.GRUCell, order r, z, n; after Cho et al. 2014 (1406.1078), section 2.3.
    """

    n_gate = 3
    gates = ("r", "z", "n")

    def step(self, read: Float[Tensor, "B G"], state: Float[Tensor, "B D"]) -> Float[Tensor, "B D"]:
        (read_r, read_z, read_n), (r, z, n) = read.chunk(3, -1), self.remember(state).chunk(3, -1)  # (B, D) each
        r, z = tap(self, "r", (read_r + r).sigmoid()), tap(self, "z", (read_z + z).sigmoid())
        n = tap(self, "n", (read_n + r * n).tanh())
        return tap(self, "h", (1 - z) * n + z * state)  # (B, D)


CELLS: dict[str, type[Cell]] = {"rnn": RNNCell, "lstm": LSTMCell, "gru": GRUCell}


def unroll(
    cell: Cell,
    x: Float[Tensor, "B T D_in"],
    state: State | None = None,
    mask: Bool[Tensor, "B T"] | None = None,
    reverse: bool = False,
) -> tuple[Float[Tensor, "B T D"], State]:
    """Read a sequence step by step.

    Args:
        cell: makes each new state.
        x: the inputs.
        state: before the first step; None means zeros.
        mask: True where there is a token. At padding the state stays as it was, so that padding changes nothing.
        reverse: read from the last token to the first; output t then knows the tokens from t on.

    Returns:
        The state h after each step, in the order of the tokens, and the whole state after the last step taken
        (reverse: after token 0).

    Source: Elman 1990; both directions: Schuster and Paliwal 1997.
    """
    state = cell.start(x) if state is None else state
    outputs: list[Tensor] = [x] * x.shape[1]
    reads = cell.read(x).unbind(1)  # T of (B, G); the gradient of a slice would fill all T with zeros, T times
    for t in reversed(range(x.shape[1])) if reverse else range(x.shape[1]):
        new = cell.step(reads[t], state)
        state = new if mask is None else _where(mask[:, t, None], new, state)
        outputs[t] = hidden(state)
    return torch.stack(outputs, 1) if outputs else x.new_zeros(x.shape[0], 0, cell.d_hidden), state


def hidden(state: State) -> Float[Tensor, "B D"]:
    """The part h of a state, which is what the net passes on; an LSTM keeps c to itself."""
    return state[0] if isinstance(state, tuple) else state


class AdditiveAttention(nn.Module):
    """Attention scored by a small net, v' tanh(W q + U k); then softmax, then the weighted mean of the keys.

    Here the keys are also the values: what is read is a mixture of them.

    Source: Bahdanau et al. 2014 (1409.0473), section 3.1 and appendix A.1.2.
    """

    def __init__(self, d_query: int, d_key: int, d_hidden: int):
        super().__init__()
        for name, width in (("d_query", d_query), ("d_key", d_key), ("d_hidden", d_hidden)):
            whole(name, width, 1)
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
        """The context vector that the query reads from the keys.

        Args:
            mask: True means "may attend"; a row that may attend nothing gives zeros.
            read: `read_keys(keys)`, where many queries ask the same keys; None computes it.

        Returns:
            context: (B, D_k), the mixture of keys; weights: (B, S), rows sum to 1.

        Raises:
            TypeError, ValueError: if query or keys are of another kind or width, or the mask does not fit.
        """
        checks.floats("query", query, "(B, D_q)", 2, self.w_q.in_features)
        checks.floats("keys", keys, "(B, S, D_k)", 3, self.w_k.in_features)
        scores = tap(self, "scores", self.scores(query, keys, read))  # (B, S)
        weights = tap(self, "weights", masked_softmax(scores, mask))  # (B, S)
        return tap(self, "out", (weights[:, None] @ keys).squeeze(1)), weights

    def scores(
        self, query: Float[Tensor, "B D_q"], keys: Float[Tensor, "B S D_k"], read: Float[Tensor, "B S H"] | None = None
    ) -> Float[Tensor, "B S"]:
        """The energies e, before mask and softmax."""
        read = self.read_keys(keys) if read is None else read  # (B, S, H)
        return self.v(torch.tanh(self.w_q(query)[:, None] + read)).squeeze(-1)  # (B, S)

    def read_keys(self, keys: Float[Tensor, "*batch D_k"]) -> Float[Tensor, "*batch H"]:
        """The keys' share of the energies, U k: no query changes it."""
        return self.w_k(keys)


def _where(keep: Bool[Tensor, "B 1"], new: State, old: State) -> State:
    if isinstance(new, tuple):
        return tuple(torch.where(keep, a, b) for a, b in zip(new, old, strict=True))
    return torch.where(keep, new, old)
