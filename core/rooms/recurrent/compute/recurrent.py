"""A text through a recurrent model: every state and gate, and one unit's step by hand."""

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.inspect.attention_record import as_batch, to_numpy
from core.models.rnn import RNNConfig
from core.nn.recurrent import RecurrentCell
from core.nn.tap import Trace

LABELS = module_labels(__name__)

Array = NDArray[np.floating]
LETTER_MEANINGS: Mapping[str, str] = {
    "i": LABELS["letter.i"],
    "f": LABELS["letter.f"],
    "g": LABELS["letter.g"],
    "o": LABELS["letter.o"],
    "c": LABELS["letter.c"],
    "r": LABELS["letter.r"],
    "z": LABELS["letter.z"],
    "n": LABELS["letter.n"],
    "h": LABELS["letter.h"],
}


class UnrolledText(Result):
    """A text's states and gates, token by token."""

    cell: str  # "rnn", "lstm" or "gru"
    inputs: Array  # (L, T, D) each layer's input: the embeddings, then the states of the layer below
    # letter -> (L, T, D) gates and states after each token, in the order in which a step computes them
    parts: Mapping[str, Array]
    logits: Array  # (T, V) scores of the next token
    probabilities: Array  # (T, V) their softmax

    @property
    def shape(self) -> tuple[int, int, int]:
        """(layers, tokens, units)."""
        n_layer, n_token, n_unit = self.parts["h"].shape
        return n_layer, n_token, n_unit

    def before(self, name: str, layer: int, token: int) -> Array:
        """Return (D,) a state (h or c) before the token was read; zeros before the first."""
        states = self.parts[name][layer]
        return states[token - 1] if token else np.zeros_like(states[0])

    def by_movement(self, layer: int) -> list[int]:
        """Return the units, those with the largest sum of absolute changes of their state over the text first."""
        states = np.concatenate([np.zeros_like(self.parts["h"][layer, :1]), self.parts["h"][layer]])
        return [int(unit) for unit in np.argsort(-np.abs(np.diff(states, axis=0)).sum(0), kind="stable")]

    def by_slowness(self, layer: int) -> list[int]:
        """Return the units sorted by slowness: their spread over the text divided by their mean step, largest first.

        A unit that flips at every token has a step as large as its spread; one that changes once has a small mean step.
        """
        states = self.parts["h"][layer].astype(np.float64)  # (T, D)
        steps = np.abs(np.diff(states, axis=0))  # (T - 1, D); empty for a single token
        slowness = states.std(0) / (steps.mean(0) + 1e-6) if len(steps) else np.zeros(states.shape[1])
        return [int(unit) for unit in np.argsort(-slowness, kind="stable")]


def unroll_text(model: nn.Module, ids: Sequence[int] | torch.Tensor) -> UnrolledText:
    """Run the text through a recurrent model once and record all states and gates.

    Raises:
        ValueError: if there are no tokens, or ids outside the vocabulary.
    """
    batch = as_batch(model, ids)
    with torch.no_grad(), Trace(model) as trace:
        logits = model(batch)[0]
    cells = cast(Sequence[RecurrentCell], model.blocks)
    names = [key.removeprefix("blocks.0.") for key in trace if key.startswith("blocks.0.")]
    parts = {
        name: np.stack([to_numpy(torch.cat(trace.steps(f"blocks.{layer}.{name}"))) for layer in range(len(cells))])
        for name in names
    }
    inputs = np.concatenate([to_numpy(trace["embed"]), parts["h"][:-1]])
    config = cast(RNNConfig, model.config)
    return UnrolledText(
        cell=config.cell,
        inputs=inputs,
        parts=parts,
        logits=to_numpy(logits),
        probabilities=to_numpy(logits.float().softmax(-1)),
    )


class GateTerms(Result):
    """The terms of one gate of one unit: four numbers, and the weight rows of two of them."""

    name: str  # the gate's letter
    w: Array  # (D_in,) row of W; u: (D,) row of U
    u: Array
    from_input: float  # w x; bias: b
    bias: float
    from_state: float  # u h; state_bias: b'
    state_bias: float
    total: float  # the input of the gate's function
    value: float  # the gate


class UnitArithmetic(Result):
    """One unit's step at one token, computed by hand in float64."""

    x: Array  # (D_in,) the input; h: (D,) the state before
    h: Array
    shares: tuple[GateTerms, ...]  # one per gate, in the order of the weights; a plain cell has one, its h
    h_before: float  # h_before, c_before: the unit's own state before (c: LSTM, else 0)
    c_before: float
    h_after: float  # h_after, c_after: the same after the step
    c_after: float
    error: float  # largest difference of any of these from the model's values (float32)

    def share(self, name: str) -> GateTerms:
        return next(share for share in self.shares if share.name == name)

    def table(self, gate: str) -> Table:
        """Return one row per product in both sums of a gate."""
        share = self.share(gate)
        return {
            LABELS["table.sum"]: ["W x"] * len(self.x) + ["U h"] * len(self.h),
            LABELS["table.entry"]: [*range(len(self.x)), *range(len(self.h))],
            LABELS["table.weight"]: [*share.w.tolist(), *share.u.tolist()],
            LABELS["table.times"]: [*self.x.tolist(), *self.h.tolist()],
            LABELS["table.product"]: [*(share.w * self.x).tolist(), *(share.u * self.h).tolist()],
        }


def compute_by_hand(model: nn.Module, seen: UnrolledText, layer: int, token: int, unit: int) -> UnitArithmetic:
    """Recompute one unit's step from the weights, number by number, and compare it with the model's.

    Args:
        model: the model that produced `seen`.

    Raises:
        IndexError: if there is no such layer, token or unit.
    """
    if not (0 <= layer < seen.shape[0] and 0 <= token < seen.shape[1] and 0 <= unit < seen.shape[2]):
        raise IndexError(f"layer {layer}, token {token}, unit {unit} is not within {seen.shape}")
    cells = cast(Sequence[RecurrentCell], model.blocks)
    cell: RecurrentCell = cells[layer]
    x, h = (a.astype(np.float64) for a in (seen.inputs[layer, token], seen.before("h", layer, token)))
    c = float(seen.before("c", layer, token)[unit]) if "c" in seen.parts else 0.0
    names = cell.gates or ("h",)
    shares: list[GateTerms] = []
    for block, name in enumerate(names):
        row = block * cell.d_hidden + unit
        w, u = to_numpy(cell.weight_ih[row]).astype(np.float64), to_numpy(cell.weight_hh[row]).astype(np.float64)
        b, b2 = float(cell.bias_ih[row]), float(cell.bias_hh[row])
        from_input, from_state = float(w @ x), float(u @ h)
        reset = shares[0].value if name == "n" else 1.0  # in a GRU, r weights the state's part of the candidate
        total = from_input + b + reset * (from_state + b2)
        value = np.tanh(total) if name in ("h", "g", "n") else 1 / (1 + np.exp(-total))
        shares.append(
            GateTerms(
                name=name,
                w=w,
                u=u,
                from_input=from_input,
                bias=b,
                from_state=from_state,
                state_bias=b2,
                total=total,
                value=float(value),
            )
        )
    value_of = {share.name: share.value for share in shares}
    c_after = value_of["f"] * c + value_of["i"] * value_of["g"] if "c" in seen.parts else 0.0
    if "c" in seen.parts:
        h_after = value_of["o"] * np.tanh(c_after)
    elif "z" in seen.parts:
        h_after = (1 - value_of["z"]) * value_of["n"] + value_of["z"] * h[unit]
    else:
        h_after = value_of["h"]
    computed = value_of | {"h": h_after} | ({"c": c_after} if "c" in seen.parts else {})
    error = max(abs(value - float(seen.parts[name][layer, token, unit])) for name, value in computed.items())
    return UnitArithmetic(
        x=x,
        h=h,
        shares=tuple(shares),
        h_before=float(h[unit]),
        c_before=c,
        h_after=float(h_after),
        c_after=float(c_after),
        error=float(error),
    )
