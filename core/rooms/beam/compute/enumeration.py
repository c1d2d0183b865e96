"""Every text that a tiny model can write, with its exact probability.

With V tokens, one of which ends a text, and at most N new tokens, there are 1 + (V - 1) + ... + (V - 1)^(N - 1)
unfinished texts: 2,801 for V = 8 and N = 5. Querying the model for the next token after each of them gives one table
per length. These tables determine the probability of every text of up to N tokens, and they are small enough to be
edited by hand and searched again.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor


class NextTokenTables(NamedTuple):
    """The next-token log-probabilities after every unfinished text."""

    # levels[k] is ((V - 1)^k, V): log-probabilities after each text of k tokens, nats. The texts are in the order of
    # their tokens, without the end token.
    levels: tuple[Float[NDArray[np.float64], "_ V"], ...]
    start: tuple[int, ...]  # the ids before all texts
    eos_id: int  # the token that ends a text

    @property
    def n_token(self) -> int:
        return self.levels[0].shape[1]

    @property
    def max_new_tokens(self) -> int:
        return len(self.levels)

    def next_log_probs(self, ids: Int[Tensor, "N T"]) -> Float[Tensor, "N V"]:
        """Return the log-probabilities after ids that include `start`, as `core.generate.beam.beam_search` needs."""
        new = np.asarray(ids)[:, len(self.start) :]
        return torch.from_numpy(self.levels[new.shape[1]][self._row(new)])

    def after(self, new: Sequence[int]) -> Float[NDArray[np.float64], " V"]:
        """Return the probabilities of the next token after these new tokens."""
        return np.exp(self.next_log_probs(torch.tensor([[*self.start, *new]]))[0].numpy())

    def _row(self, new: Int[NDArray[np.int64], "N K"]) -> Int[NDArray[np.int64], " N"]:
        digits = new - (new > self.eos_id)  # the end token left out
        powers = (self.n_token - 1) ** np.arange(new.shape[1])[::-1]
        return digits @ powers.astype(np.int64)


class EnumeratedTexts(NamedTuple):
    """All M texts, those that end and those cut off at the longest length. Their probabilities sum to 1."""

    ids: Int[NDArray[np.int64], "M N"]  # (M, N) new tokens, -1 after the end
    lengths: Int[NDArray[np.int64], " M"]  # (M,) including the end token
    log_probs: Float[NDArray[np.float64], " M"]  # (M,) nats

    def new_ids(self, place: int) -> tuple[int, ...]:
        return tuple(self.ids[place, : self.lengths[place]].tolist())


def next_token_tables(
    next_log_probs: Callable[[Tensor], object], start: Sequence[int], n_token: int, max_new_tokens: int, eos_id: int
) -> NextTokenTables:
    """Query a model for the next token after every unfinished text.

    Args:
        next_log_probs: ids (R, T) -> log-probabilities (R, V), nats.
    """
    levels = []
    for k in range(max_new_tokens):
        new = _unfinished(n_token, k, eos_id)  # (R, k)
        before = np.tile(np.array(start, dtype=np.int64), (len(new), 1))
        rows = next_log_probs(torch.from_numpy(np.concatenate([before, new], 1)))
        levels.append(np.asarray(rows, dtype=np.float64))
    return NextTokenTables(tuple(levels), tuple(start), eos_id)


def enumerate_texts(known: NextTokenTables) -> EnumeratedTexts:
    """Return all texts with their exact log-probabilities, computed length by length with the chain rule."""
    n_token, longest, eos = known.n_token, known.max_new_tokens, known.eos_id
    ids, lengths, log_probs = [], [], []
    before = np.zeros(1)  # log-probability of each unfinished text of k tokens
    others = np.arange(n_token) != eos
    for k, level in enumerate(known.levels):
        new = _unfinished(n_token, k, eos)  # (R, k)
        totals = before[:, None] + level  # (R, V)
        is_last = k == longest - 1
        ending = np.arange(n_token) if is_last else np.array([eos])
        rows = np.full((len(new), len(ending), longest), -1, dtype=np.int64)
        rows[:, :, :k] = new[:, None]
        rows[:, :, k] = ending
        ids.append(rows.reshape(-1, longest))
        lengths.append(np.full(len(new) * len(ending), k + 1))
        log_probs.append(totals[:, ending].ravel())
        before = totals[:, others].ravel()
    return EnumeratedTexts(np.concatenate(ids), np.concatenate(lengths), np.concatenate(log_probs))


def rank_texts(
    texts: EnumeratedTexts, length_penalty: float
) -> tuple[Float[NDArray[np.float64], " M"], Int[NDArray[np.int64], " M"]]:
    """Return the score of each text, log_prob / length ** length_penalty, and its rank, where 0 is the best."""
    scores = texts.log_probs / texts.lengths.astype(np.float64) ** length_penalty
    order = np.argsort(-scores, kind="stable")
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    return scores, ranks


def find_text(texts: EnumeratedTexts, new: Sequence[int]) -> int:
    """Return the index of a text in the list of all texts. Raises ValueError if it isn't in the list."""
    wanted = np.full(texts.ids.shape[1], -1)
    wanted[: len(new)] = new
    found = np.flatnonzero((texts.ids == wanted).all(1))
    if len(found) != 1:
        raise ValueError(f"{tuple(new)} is not one of the {len(texts.ids):,} texts")
    return int(found[0])


def set_probability(known: NextTokenTables, after: Sequence[int], token: int, probability: float) -> NextTokenTables:
    """Return the tables with one entry changed: `token` has this probability after the text `after`.

    The other tokens share the rest in their old proportions. If the token had all the probability, the others had none
    and share the rest evenly.
    """
    row = known.after(after)
    others = np.arange(known.n_token) != token
    rest = row[others].sum()
    shares = row[others] / rest if rest > 0 else np.full(known.n_token - 1, 1 / (known.n_token - 1))
    row[others], row[token] = shares * (1 - probability), probability
    place = int(known._row(np.array([after], dtype=np.int64).reshape(1, -1))[0])
    level = known.levels[len(after)].copy()
    with np.errstate(divide="ignore"):
        level[place] = np.log(row)
    levels = [level if k == len(after) else one for k, one in enumerate(known.levels)]
    return known._replace(levels=tuple(levels))


def greedy_text(known: NextTokenTables) -> tuple[int, ...]:
    """Return the new tokens of greedy search: the most probable token at each step (the lowest id among equals)."""
    new: list[int] = []
    while len(new) < known.max_new_tokens and (not new or new[-1] != known.eos_id):
        new.append(int(known.after(new).argmax()))
    return tuple(new)


def sample_text_indices(texts: EnumeratedTexts, n: int, seed: int) -> Int[NDArray[np.int64], " n"]:
    """Sample the indices of n texts by their probabilities, equivalent to sampling token by token."""
    share = np.exp(texts.log_probs)
    return np.random.default_rng(seed).choice(len(share), n, p=share / share.sum())


def _unfinished(n_token: int, k: int, eos_id: int) -> Int[NDArray[np.int64], "R K"]:
    """Return all texts of k tokens without the end token, in the order of their tokens."""
    live = np.array([i for i in range(n_token) if i != eos_id])
    digits = np.indices((n_token - 1,) * k).reshape(k, -1).T if k else np.zeros((1, 0), dtype=np.int64)
    return live[digits] if k else digits
