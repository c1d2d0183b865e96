"""An encoder-decoder writes one answer, and everything that happened between the two is kept as plain arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.models.seq2seq import Seq2Seq
from core.nn.recurrent import AdditiveAttention, hidden
from core.nn.tap import Edit, Trace

Array = NDArray[np.float32]
MAX_TOKENS = 64


@dataclass(frozen=True)
class Alignment:
    """One source, one answer. Row t belongs to output token t, column s to source token s.

    Without attention `scores`, `weights` and `contexts` have no columns.

    Args:
        source: (S,) ids.
        fed: (T,) what the decoder read before each output token: the start token, then true or own tokens.
        written: (T,) the most probable token at each step.
        probabilities: (T, V) of the output tokens.
        queries: (T, D) the decoder's states that asked: those before each step.
        states: (S, D_enc) the encoder's states.
        scores: (T, S) the energies v' tanh(W query + U state).
        weights: (T, S) their softmax; after an edit, the weights that were set.
        contexts: (T, D_enc) the weighted means of the states.
    """

    source: NDArray[np.int64]
    fed: NDArray[np.int64]
    written: NDArray[np.int64]
    probabilities: Array
    queries: Array
    states: Array
    scores: Array
    weights: Array
    contexts: Array


@torch.no_grad()
def align(
    model: Seq2Seq,
    source: Sequence[int],
    *,
    start_id: int,
    end_id: int,
    max_new_tokens: int = MAX_TOKENS,
    forced: Sequence[int] | None = None,
    rows: Mapping[int, Sequence[float]] | None = None,
) -> Alignment:
    """Let the model write an answer, one token at a time, always the most probable one.

    Args:
        source: ids.
        start_id, end_id: the decoder's first input, and the token that ends the answer.
        max_new_tokens: stop here if the answer has not ended.
        forced: (T,) the true answer: its tokens are read in place of the model's own (teacher forcing), and as many
            steps are made.
        rows: step -> weights over the source, set by hand in place of those that the model computes there.

    Raises:
        ValueError: if the source is empty or too long, knows other tokens, or a row does not fit it.
    """
    ids = _checked(model, source)
    for t, row in (rows or {}).items():
        _check_row(model, row, len(source), t)
    states, state = model.encode(ids)
    read, has_attention = model.read(states), model.decoder.attn is not None
    kept: dict[str, list[Tensor]] = {name: [] for name in ("queries", "probabilities", "scores", "weights", "out")}
    fed, written = [start_id], list[int]()
    while True:
        t = len(written)
        kept["queries"].append(hidden(state)[0])
        edits: dict[str, Edit] = {}
        if rows is not None and t in rows:
            edits["decoder.attn.weights"] = _put(rows[t])
        with Trace(model, edits) as trace:
            logits, state = model.step(torch.tensor(fed[-1:]), state, states, None, read)
        kept["probabilities"].append(logits[0].softmax(-1))
        if has_attention:
            for name in ("scores", "weights", "out"):
                kept[name].append(trace[f"decoder.attn.{name}"][0])
        written.append(int(logits[0].argmax()))
        if len(written) == (max_new_tokens if forced is None else len(forced)):
            break
        if forced is None and written[-1] == end_id:
            break
        fed.append(written[-1] if forced is None else forced[t])
    empty = np.zeros((len(written), 0), np.float32)
    found = {name: torch.stack(rows_of).numpy() if rows_of else empty for name, rows_of in kept.items()}
    return Alignment(
        source=np.array(source),
        fed=np.array(fed),
        written=np.array(written),
        probabilities=found["probabilities"],
        queries=found["queries"],
        states=states[0].numpy(),
        scores=found["scores"],
        weights=found["weights"],
        contexts=found["out"],
    )


def weights_table(before: Alignment, after: Alignment, step: int, source: Sequence[str]) -> dict[str, list[Any]]:
    """The weights of one step before and after an edit, one line for each source token, given by its signs.

    Where the answer has ended before this step, there are none (nan).
    """
    has_step = step < len(after.weights)
    return {
        "source token": list(source),
        "weight before": before.weights[step].tolist(),
        "weight after": after.weights[step].tolist() if has_step else [float("nan")] * len(source),
    }


@dataclass(frozen=True)
class Energies:
    """The arithmetic of all energies: score (t, s) is the sum over h of v_h tanh(asked_th + read_sh).

    Args:
        asked: (T, H) W query of each output token.
        read: (S, H) U state of each source token.
        v: (H,).
        terms: (T, S, H) what is summed.
        scores: (T, S) the sums.
        weights: (T, S) their softmax over the source.
        contexts: (T, D_enc) weights @ states.
    """

    asked: Array
    read: Array
    v: Array
    terms: Array
    scores: Array
    weights: Array
    contexts: Array

    def table(self, t: int, source: Sequence[str]) -> dict[str, list[Any]]:
        """One line for each source token, given by its signs, for output token t."""
        return {
            "source token": list(source),
            f"energy for output {t}": self.scores[t].tolist(),
            f"weight for output {t}": self.weights[t].tolist(),
        }


@torch.no_grad()
def energies(model: Seq2Seq, seen: Alignment) -> Energies:
    """The energies term by term, from the recorded queries and states and the model's own W, U and v.

    Raises:
        ValueError: if the model has no additive attention.
    """
    attn = model.decoder.attn
    if not isinstance(attn, AdditiveAttention):
        raise ValueError("this model has no additive attention")
    states = torch.from_numpy(seen.states)
    asked, read = attn.w_q(torch.from_numpy(seen.queries)), attn.read_keys(states)  # (T, H), (S, H)
    v = attn.v.weight[0]
    terms = v * torch.tanh(asked[:, None] + read)  # (T, S, H)
    scores = terms.sum(-1)
    weights = scores.softmax(-1)
    found = (asked, read, v, terms, scores, weights, weights @ states)
    return Energies(*(x.detach().numpy() for x in found))


def stripe(weights: Array) -> dict[int, float]:
    """Mean weight beside the anti-diagonal of a string written backwards: offset -> weight.

    Output letter t of n is source letter n - 1 - t; offset -1 is the source token before that one, +1 the one after.

    Args:
        weights: (T, S) with T at least S; rows after the S-th are left out.
    """
    n = weights.shape[1]
    found = {}
    for offset in range(-3, 4):
        places = [(t, n - 1 - t + offset) for t in range(n) if 0 <= n - 1 - t + offset < n]
        # Over all n letters: where there is no such place, no weight lies there.
        found[offset] = float(sum(weights[t, s] for t, s in places)) / n if places else 0.0
    return found


def _put(row: Sequence[float]) -> Edit:
    return lambda weights: torch.tensor([list(row)], dtype=weights.dtype)


def _checked(model: Seq2Seq, source: Sequence[int]) -> Tensor:
    if not 1 <= len(source) <= MAX_TOKENS:
        raise ValueError(f"a source has 1 to {MAX_TOKENS} tokens, this one {len(source)}")
    if not all(0 <= i < model.config.source_vocab for i in source):
        raise ValueError(f"the model knows the source tokens 0..{model.config.source_vocab - 1}")
    return torch.tensor([list(source)])


def _check_row(model: Seq2Seq, row: Sequence[float], n_source: int, step: int) -> None:
    if model.decoder.attn is None:
        raise ValueError("this model has no attention, so there are no weights to set")
    if len(row) != n_source:
        raise ValueError(
            f"a row of weights has one for each of the {n_source} source tokens, step {step} has {len(row)}"
        )
    if min(row) < 0 or not abs(sum(row) - 1) <= 1e-3:
        raise ValueError(f"the weights of step {step} sum to {sum(row):.3f}; they must be shares of 1, none below 0")
