"""A second implementation of recurrent networks in NumPy, see `numpy_forward`. All tensors have the steps first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from core.inspect.numpy_reference.numpy_parts import FloatArray, NumpyRun, numpy_sigmoid, numpy_softmax

_TAPS = {"rnn": ("h",), "lstm": ("i", "f", "g", "o", "c", "h"), "gru": ("r", "z", "n", "h")}


def rnn_forward(run: NumpyRun, config: Mapping[str, Any], ids: Sequence[int]) -> None:
    """Run a language model of recurrent layers, each reading the states of the layer below."""
    x = run.tap("embed", run.need("tok_emb.weight")[list(ids)])
    for layer in range(config.get("n_layer", 1)):
        x, _ = _unroll_cell(run, f"blocks.{layer}", config.get("cell", "gru"), x)
    table = run.need("tok_emb.weight") if config.get("tied") else run.need("unembed.weight")
    run.tap("logits", run.tap("final", x) @ table.T)


def seq2seq_forward(run: NumpyRun, config: Mapping[str, Any], source: Sequence[int], target_in: Sequence[int]) -> None:
    """Run an encoder, and a decoder that attends to it again at each output token (Bahdanau et al. 2014)."""
    kind = config.get("cell", "gru")
    x = run.tap("encoder.embed", run.need("encoder.tok_emb.weight")[list(source)])
    states, last = _unroll_cell(run, "encoder.forward_cell", kind, x)
    ends = [last]
    if config.get("bidirectional", True):
        backward, last = _unroll_cell(run, "encoder.backward_cell", kind, x[::-1])
        states = np.concatenate([states, backward[::-1]], axis=-1)
        ends.append(last)
    states = run.tap("encoder.states", states)
    parts = [np.concatenate(part) for part in zip(*ends, strict=True)]
    state = tuple(np.tanh(run.linear(f"encoder.bridges.{i}", part)) for i, part in enumerate(parts))
    rows: list[FloatArray] = []
    tapped: dict[str, list[FloatArray]] = {}
    for word in run.need("decoder.tok_emb.weight")[list(target_in)]:
        if config.get("attention", "additive") == "additive":
            word = np.concatenate([word, _ask(run, "decoder.attn", state[0], states, tapped)])
        state = _step(run, "decoder.cell", kind, word, state, tapped)
        rows.append(state[0])
    for name, steps in tapped.items():
        run.tap(name, np.stack(steps))
    run.tap("logits", run.linear("decoder.unembed", np.stack(rows)))


def _ask(
    run: NumpyRun, path: str, query: FloatArray, keys: FloatArray, tapped: dict[str, list[FloatArray]]
) -> FloatArray:
    """Compute additive attention: the scores v' tanh(W q + U k), a softmax over the keys, and the keys' mixture."""
    bent = np.tanh(run.linear(f"{path}.w_q", query) + run.linear(f"{path}.w_k", keys))  # (S, H)
    scores = run.linear(f"{path}.v", bent)[:, 0]
    weights = numpy_softmax(scores)
    for name, value in (("scores", scores), ("weights", weights), ("out", weights @ keys)):
        tapped.setdefault(f"{path}.{name}", []).append(value)
    return weights @ keys


def _unroll_cell(
    run: NumpyRun, path: str, kind: str, x: Iterable[FloatArray]
) -> tuple[FloatArray, tuple[FloatArray, ...]]:
    """Return the states h after each step, and the whole last state; tap the gates, with the steps as first axis."""
    n_unit = run.need(f"{path}.weight_hh").shape[1]
    state: tuple[FloatArray, ...] = (np.zeros(n_unit),) * (2 if kind == "lstm" else 1)
    tapped: dict[str, list[FloatArray]] = {}
    for vector in x:
        state = _step(run, path, kind, vector, state, tapped)
    for name, steps in tapped.items():
        run.tap(name, np.stack(steps))
    return np.stack(tapped[f"{path}.h"]), state


def _step(
    run: NumpyRun,
    path: str,
    kind: str,
    x: FloatArray,
    state: tuple[FloatArray, ...],
    tapped: dict[str, list[FloatArray]],
) -> tuple[FloatArray, ...]:
    """Take one step of a cell: Elman 1990, Hochreiter and Schmidhuber 1997, Cho et al. 2014 as in torch."""
    h = state[0]
    n = len(h)
    from_input = run.need(f"{path}.weight_ih") @ x + run.need(f"{path}.bias_ih")
    from_state = run.need(f"{path}.weight_hh") @ h + run.need(f"{path}.bias_hh")
    part = [slice(i * n, (i + 1) * n) for i in range(4)]
    new: dict[str, FloatArray] = {}
    if kind == "rnn":
        new["h"] = np.tanh(from_input + from_state)
    elif kind == "lstm":
        both = from_input + from_state
        new |= {gate: numpy_sigmoid(both[part[place]]) for gate, place in (("i", 0), ("f", 1), ("o", 3))}
        new["g"] = np.tanh(both[part[2]])
        new["c"] = new["f"] * state[1] + new["i"] * new["g"]
        new["h"] = new["o"] * np.tanh(new["c"])
    else:
        new["r"], new["z"] = (numpy_sigmoid(from_input[part[place]] + from_state[part[place]]) for place in (0, 1))
        new["n"] = np.tanh(from_input[part[2]] + new["r"] * from_state[part[2]])
        new["h"] = (1 - new["z"]) * new["n"] + new["z"] * h
    for name in _TAPS[kind]:
        tapped.setdefault(f"{path}.{name}", []).append(new[name])
    return (new["h"], new["c"]) if kind == "lstm" else (new["h"],)
