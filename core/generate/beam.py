"""Beam search, which extends the B best texts so far in parallel and returns the best finished ones at the end.

Each step considers all B x V ways to extend a beam by one token. It takes the best 2B candidates in the order of their
log-probability, which is enough to find B that continue even if B of them end. (If two tokens may end a text, it takes
the best 3B.) Candidates that end are set aside as finished if they are among the first B, and the first B that do not
end continue. The rules are those of Hugging Face's `generate(num_beams=B)`, so the same model gives the same texts and
scores.

Candidates of equal log-probability are ranked by their parent (the better one first), then by their id (the lower one
first). Finished texts of equal score keep the order in which they were finished.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from core.data.checks import check_float, describe_value, token_ids_to_int_list
from core.data.localization.labels import module_labels
from core.generate.cache import CachedModel
from core.generate.decode import EndTokens, normalize_end_tokens

LABELS = module_labels(__name__)

StoppingRule = bool | Literal["never"]
_NextLogProbs = Callable[[Tensor], Tensor | ArrayLike]
# (the sequences so far, the sequence of the previous call that each one continues, None at first) -> (N, V)
_Ask = Callable[[list[tuple[int, ...]], list[int] | None], object]


class Hypothesis(NamedTuple):
    """A finished text."""

    ids: tuple[int, ...]  # the prompt and the generated tokens, including the end token if it was reached
    score: float  # log_prob / n ** length_penalty, where n counts the generated tokens, including the end token
    log_prob: float  # sum of the log-probabilities of the generated tokens, nats


@dataclass(frozen=True)
class BeamStep:
    """One step of the search, with its C best candidates (2B or more, or all of them), best first."""

    parents: Int[NDArray[np.int64], " C"]  # indices of the beams of the previous step that they continue
    tokens: Int[NDArray[np.int64], " C"]
    log_probs: Float[NDArray[np.float64], " C"]  # of the new token alone, nats
    # of the whole text after the prompt, nats; candidates are ranked by it
    totals: Float[NDArray[np.float64], " C"]
    scores: Float[NDArray[np.float64], " C"]  # totals / n ** length_penalty; finished texts are ranked by it
    kept: Bool[NDArray[np.bool_], " C"]  # continues in the next step; the k-th kept candidate is parent k there
    # is set aside as finished: it is among the first B and ends, or the maximum length is reached
    finished: Bool[NDArray[np.bool_], " C"]
    pool: tuple[Hypothesis, ...]  # the finished texts after this step, best first, at most B
    n_candidate: int  # number of all candidates: parents x V
    # the best score that a continuing text can reach according to the stopping rule; -inf if none continues
    reach: float
    # why the search ends after this step; "" if it continues
    stop: Literal["", "full", "hopeless", "length", "impossible"]


@dataclass(frozen=True)
class BeamResult:
    """The result of a search: at most B hypotheses, best score first, and the tree of all steps."""

    hypotheses: tuple[Hypothesis, ...]
    tree: tuple[BeamStep, ...]


def beam_search(
    next_log_probs: _NextLogProbs,
    prefix: Sequence[int] | Int[Tensor, " T"],
    n_beam: int,
    max_new_tokens: int,
    *,
    eos_id: EndTokens = None,
    length_penalty: float = 1.0,
    early_stopping: StoppingRule = False,
) -> BeamResult:
    """Return the n_beam best texts that a beam search finds.

    Args:
        next_log_probs: ids (N, T) -> log-probabilities of the next token (N, V), nats; a tensor or an array. -inf
            means that the token is impossible.
        prefix: (T,) the prompt; may be empty if next_log_probs allows it.
        n_beam: B, the number of texts extended in parallel; 1 is greedy search, except for end tokens.
        max_new_tokens: after this many new tokens a text is cut off and counts as finished.
        eos_id: the token that ends a text, or several; None: no token does.
        length_penalty: the exponent of the length in the score. The sum of log-probabilities falls with each token, and
            dividing it by a power of the length compensates for that. So a value above 0 favors LONG texts; 0 gives
            the plain sum.
        early_stopping: True stops as soon as B texts are finished. False stops when B are finished and the best
            continuing text, scored with its present length, is not better than the worst of them, although it might
            become better when longer. "never" scores it with the longest possible length, if length_penalty > 0, and
            stops only when no continuing text can become better.

    Raises ValueError if an argument is out of range, if next_log_probs returns anything but one row of numbers below
    infinity for each text, or if no token is possible after the prompt.

    Source: huggingface/transformers 5.23, generation/utils.py, `_beam_search`. Its own note says that the canonical
        beam search is length_penalty=0 with early_stopping="never".
    """

    if not callable(next_log_probs):
        raise TypeError(f"next_log_probs must be a function of ids (N, T), not {describe_value(next_log_probs)}")

    def ask(sequences: list[tuple[int, ...]], parents: list[int] | None) -> object:
        return next_log_probs(torch.tensor(sequences, dtype=torch.long).reshape(len(sequences), -1))

    return _search(ask, prefix, n_beam, max_new_tokens, eos_id, length_penalty, early_stopping)


def cached_beam_search(
    model: nn.Module | CachedModel, ids: Sequence[int] | Int[Tensor, " T"], n_beam: int, max_new_tokens: int, **how: Any
) -> BeamResult:
    """Run `beam_search` on a causal model with a KV cache (see `core.generate.cache`).

    The prompt has at least one token. `how`: eos_id, length_penalty and early_stopping of `beam_search`; it raises the
    same errors.

    Source: as `beam_search`.
    """
    if len(ids) == 0:
        raise ValueError(LABELS["prompt_empty"])
    cached = model if isinstance(model, CachedModel) else CachedModel(model)

    def ask(sequences: list[tuple[int, ...]], parents: list[int] | None) -> object:
        return cached.next_logits(sequences, parents).double().log_softmax(-1)

    return _search(ask, ids, n_beam, max_new_tokens, **how)


def length_normalized_score(log_prob: float, n_new: int, length_penalty: float) -> float:
    """Return a text's score, log_prob / n_new ** length_penalty. Other programs use this name for other formulas.

    Source: Wu et al. 2016 (1609.08144), section 7, has a different formula; this one is Hugging Face's.
    """
    return log_prob / n_new**length_penalty


def _search(
    ask: _Ask,
    prefix: Sequence[int] | Tensor,
    n_beam: int,
    max_new_tokens: int,
    eos_id: EndTokens = None,
    length_penalty: float = 1.0,
    early_stopping: StoppingRule = False,
) -> BeamResult:
    _check(n_beam, max_new_tokens, length_penalty, early_stopping)
    ends_by = normalize_end_tokens(eos_id)
    length_penalty = check_float("length_penalty", length_penalty)
    prompt = tuple(token_ids_to_int_list("prefix", prefix))
    running, totals = [prompt], np.zeros(1)
    parents: list[int] | None = None
    pool: list[Hypothesis] = []
    tree: list[BeamStep] = []
    for n_new in range(1, max_new_tokens + 1):
        log_probs = _rows(ask(running, parents), len(running), ends_by)  # (N, V)
        order = _best(totals[:, None] + log_probs, max(2, 1 + len(ends_by)) * n_beam)
        row, token = np.divmod(order, log_probs.shape[1])  # (C,)
        called = totals[row] + log_probs[row, token]
        scores = called / n_new**length_penalty

        rank = np.arange(len(order))
        ends = np.full(len(order), n_new == max_new_tokens) | np.isin(token, ends_by)
        finished = ends & (rank < n_beam)
        kept = np.zeros(len(order), dtype=bool)
        kept[np.flatnonzero(~ends)[:n_beam]] = True
        texts = [(*running[r], int(t)) for r, t in zip(row, token, strict=True)]
        pool += [Hypothesis(texts[c], float(scores[c]), float(called[c])) for c in np.flatnonzero(finished)]
        pool = sorted(pool, key=lambda text: -text.score)[:n_beam]  # stable: equal scores stay in order

        running = [texts[c] for c in np.flatnonzero(kept)]
        totals, parents = called[kept], row[kept].tolist()
        is_longest = early_stopping == "never" and length_penalty > 0
        length = max_new_tokens if is_longest else n_new
        reach = float(totals[0] / length**length_penalty) if running else -math.inf
        stop = _why_stop(pool, n_beam, reach, early_stopping, n_new == max_new_tokens, not running)
        best, alone = tuple(pool), log_probs[row, token]
        tree.append(BeamStep(row, token, alone, called, scores, kept, finished, best, log_probs.size, reach, stop))
        if stop:
            break
    if not pool:
        raise ValueError(LABELS["no_text"])
    return BeamResult(tuple(pool), tuple(tree))


def _why_stop(
    pool: list[Hypothesis], n_beam: int, reach: float, early_stopping: StoppingRule, is_last: bool, is_stuck: bool
) -> Literal["", "full", "hopeless", "length", "impossible"]:
    if is_last:
        return "length"
    if is_stuck:
        return "impossible"
    if len(pool) < n_beam:
        return ""
    if early_stopping is True:
        return "full"
    return "" if reach > pool[-1].score else "hopeless"


def _best(totals: Float[NDArray[np.float64], "N V"], most: int) -> Int[NDArray[np.int64], " C"]:
    """Return the flat indices of the `most` largest possible totals, largest first; of equal ones the lower first."""
    flat = totals.ravel()
    lowest = np.partition(flat, -most)[-most] if len(flat) > most else -np.inf
    places = np.flatnonzero((flat >= lowest) & (flat > -np.inf))  # ties may make it a few more
    return places[np.argsort(-flat[places], kind="stable")][:most]


def _rows(answer: object, n_row: int, ends_by: tuple[int, ...]) -> Float[NDArray[np.float64], "N V"]:
    """Check the log-probabilities that `next_log_probs` returned, and convert them to an array."""
    rows = answer.detach().cpu().numpy() if isinstance(answer, Tensor) else np.asarray(answer)
    if rows.ndim != 2 or len(rows) != n_row or rows.shape[1] == 0:
        raise ValueError(f"next_log_probs gave {tuple(rows.shape)} for {n_row} texts; (texts, vocabulary) is needed")
    if np.isnan(rows).any() or (rows == np.inf).any():
        raise ValueError(LABELS["broken_weights"])
    normalize_end_tokens(ends_by, rows.shape[1])
    return rows.astype(np.float64)


def _check(n_beam: int, max_new_tokens: int, length_penalty: float, early_stopping: StoppingRule) -> None:
    for name, value in (("n_beam", n_beam), ("max_new_tokens", max_new_tokens)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"{name}={value!r:.20} must be a whole number from 1 on")
    try:
        is_finite = math.isfinite(float(max_new_tokens) ** check_float("length_penalty", length_penalty))
    except OverflowError:
        is_finite = False
    if not is_finite or not math.isfinite(length_penalty):
        raise ValueError(f"length_penalty={length_penalty} must be a finite number, and not a huge one")
    if not (isinstance(early_stopping, bool) or (isinstance(early_stopping, str) and early_stopping == "never")):
        raise ValueError(f'early_stopping={early_stopping!r:.20} must be True, False or "never"')
