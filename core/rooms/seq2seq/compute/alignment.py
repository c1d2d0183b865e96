"""An encoder-decoder writes one answer, with all intermediate values recorded as plain arrays."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.exhibit import Result
from core.models.recurrent_seq2seq import RecurrentSeq2Seq
from core.nn.recurrent import AdditiveAttention, recurrent_hidden_state
from core.nn.tap import Edit, Trace

Array = NDArray[np.float32]
MAX_TOKENS = 64


class Alignment(Result):
    """One source and its answer. Row t belongs to output token t, column s to source token s.

    Without attention `scores`, `weights` and `contexts` have no columns.
    """

    source: NDArray[np.int64]  # (S,) ids
    # (T,) the decoder's input before each output token: the start token, then true or own tokens
    fed: NDArray[np.int64]
    written: NDArray[np.int64]  # (T,) the most probable token at each step
    probabilities: Array  # (T, V) for the output tokens
    queries: Array  # (T, D) the decoder's states used as queries: those before each step
    states: Array  # (S, D_enc) the encoder's states
    scores: Array  # (T, S) the energies v' tanh(W query + U state)
    weights: Array  # (T, S) their softmax, or the weights set by an edit
    contexts: Array  # (T, D_enc) the weighted means of the states


@torch.no_grad()
def align(
    model: RecurrentSeq2Seq,
    source: Sequence[int],
    *,
    start_id: int,
    end_id: int,
    max_new_tokens: int = MAX_TOKENS,
    forced: Sequence[int] | None = None,
    rows: Mapping[int, Sequence[float]] | None = None,
) -> Alignment:
    """Write an answer with the model greedily, one token at a time.

    Args:
        max_new_tokens: stop after this many tokens.
        forced: (T,) the true answer: its tokens are read instead of the model's own (teacher forcing), and it sets
            the number of steps.

    Raises:
        ValueError: if the source is empty or too long, has unknown tokens, or a row does not fit it.
    """
    if not 1 <= len(source) <= MAX_TOKENS:
        raise ValueError(f"a source has 1 to {MAX_TOKENS} tokens, this one {len(source)}")
    if not all(0 <= i < model.config.source_vocab for i in source):
        raise ValueError(f"the model knows the source tokens 0..{model.config.source_vocab - 1}")
    for t, row in (rows or {}).items():
        if len(row) != len(source) or not abs(sum(row) - 1) <= 1e-3 or min(row) < 0:
            raise ValueError(f"the weights of step {t} must be {len(source)} shares of 1, none below 0")
    states, state = model.encode(torch.tensor([list(source)]))
    read, has_attention = model.read(states), model.decoder.attn is not None
    kept: dict[str, list[Tensor]] = {n: [] for n in ("queries", "probabilities", "scores", "weights", "contexts")}
    fed, written = [start_id], list[int]()
    while True:
        t = len(written)
        kept["queries"].append(recurrent_hidden_state(state)[0])
        with Trace(model, {"decoder.attn.weights": _put(rows[t])} if rows and t in rows else {}) as trace:
            logits, state = model.step(torch.tensor(fed[-1:]), state, states, None, read)
        kept["probabilities"].append(logits[0].softmax(-1))
        if has_attention:
            for name, tap in (("scores", "scores"), ("weights", "weights"), ("contexts", "out")):
                kept[name].append(trace[f"decoder.attn.{tap}"][0])
        written.append(int(logits[0].argmax()))
        if len(written) == (max_new_tokens if forced is None else len(forced)):
            break
        if forced is None and written[-1] == end_id:
            break
        fed.append(written[-1] if forced is None else forced[t])
    empty = np.zeros((len(written), 0), np.float32)
    found = {name: torch.stack(steps).numpy() if steps else empty for name, steps in kept.items()}
    return Alignment(
        source=np.array(source), fed=np.array(fed), written=np.array(written), states=states[0].numpy(), **found
    )


class AlignmentEnergies(NamedTuple):
    """The terms of all energies: score (t, s) is the sum over h of v_h tanh(asked_th + read_sh).

    asked: (T, H) W query of each output token; read: (S, H) U state of each source token; v: (H,); terms: (T, S, H)
    the summands.
    """

    asked: Array
    read: Array
    v: Array
    terms: Array


@torch.no_grad()
def alignment_energies(model: RecurrentSeq2Seq, seen: Alignment) -> AlignmentEnergies:
    """Return the energies term by term, from the recorded queries and states and the model's own W, U and v.

    Raises:
        ValueError: if the model has no additive attention.
    """
    attn = model.decoder.attn
    if not isinstance(attn, AdditiveAttention):
        raise ValueError("this model has no additive attention")
    asked, read = attn.w_q(torch.from_numpy(seen.queries)), attn.read_keys(torch.from_numpy(seen.states))
    v = attn.v.weight[0]
    terms = v * torch.tanh(asked[:, None] + read)  # (T, S, H)
    return AlignmentEnergies(*(x.numpy() for x in (asked, read, v, terms)))


def weight_by_offset(weights: Array) -> dict[int, float]:
    """Return the mean weight by distance from the letter to be written, over all n letters of a reversed string.

    Output letter t of n is source letter n - 1 - t; step -1 is the source token before that one, +1 the one after.

    Args:
        weights: (T, S) with T at least S; rows after the first S are ignored.
    """
    n = weights.shape[1]
    backwards = weights[:n, ::-1]  # the letter to be written is on the diagonal
    return {step: float(np.trace(backwards, -step)) / n for step in range(-3, 4)}


def reversal_diagonal(n_source: int, n_written: int) -> NDArray[np.bool_]:
    """Return (T, S) True at the letter to be written, for a string written backwards."""
    return np.eye(n_written, n_source, dtype=bool)[:, ::-1]


def _put(row: Sequence[float]) -> Edit:
    return lambda weights: torch.tensor([list(row)], dtype=weights.dtype)
