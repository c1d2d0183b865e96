"""Head scores: how much of a head's attention goes where, on average over the queries of a text.

A score describes where a head looks on this text, and no more: weights are no explanation of what the model computes
from them (Jain and Wallace 2019; Wiegreffe and Pinter 2019), and on a short text even a head that looks everywhere
scores well. So each score comes with the one that uniform attention would get.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import cast

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.inspect.trace import AttentionRecord, attention
from core.models.gpt import GPTConfig
from core.nn.masks import causal

Scores = NDArray[np.float64]

NAMES: Mapping[str, str] = {
    "previous_token": "Previous token",
    "first_token": "First token",
    "current_token": "Itself",
    "induction": "Induction",
    "induction_text": "Induction here",
    "focus": "Focus",
}


@dataclass(frozen=True)
class HeadScores:
    """Scores of all heads of a model on one text, each (L, H) within 0..1, or nan where the text gives no case.

    Args:
        induction: on random tokens that come twice, mean weight of the second time's queries on the token that
            followed the first time. Random, so that no knowledge of words can help.
        induction_text: the same on the text itself, for the queries whose token occurred before (its last
            occurrence; a token right after its like is left out, for what followed is that token itself).
        focus: 1 minus the mean entropy of queries 1.., each divided by the log of the number of keys that it may
            see: 1 is one key only, 0 is all alike. Reading the square root of all keys alike gives one half.
        uniform: score name -> (L,) what a head of each layer would get that looks at all keys alike that it may see.
    """

    previous_token: Scores  # mean weight of queries 1.. on the token right before.
    first_token: Scores  # mean weight of queries 1.. on token 0, where heads rest that have nothing to do.
    current_token: Scores  # mean weight of queries 1.. on themselves.
    induction: Scores
    induction_text: Scores
    focus: Scores
    uniform: Mapping[str, Scores]

    def table(self) -> dict[str, list[float]]:
        """One line for each head, one column for each score."""
        n_layer, n_head = self.previous_token.shape
        layer, head = np.indices((n_layer, n_head)).reshape(2, -1).tolist()
        return {"layer": layer, "head": head} | {
            NAMES[name]: getattr(self, name).ravel().round(4).tolist() for name in SCORES
        }


SCORES = tuple(field.name for field in fields(HeadScores) if field.name != "uniform")


@dataclass(frozen=True)
class RankedHead:
    """A head, its score, and whether that reaches the threshold: the papers draw no line, one half is a convention."""

    layer: int
    head: int
    value: float
    reaches: bool


def score_heads(model: nn.Module, ids: Sequence[int] | Tensor, seed: int = 0) -> HeadScores:
    """Score every head of a model on a text; two forward passes.

    Raises:
        ValueError: if the text does not fit the model.

    Source: previous-token and first-token heads: Clark et al. 2019 (1906.04341), Voita et al. 2019 (1905.09418);
    induction on repeated random tokens: Olsson et al. 2022 (2209.11895).
    """
    record = attention(model, ids)
    return score_weights(record.weights, record.ids.tolist(), *random_induction(model, seed), record.masks)


def random_induction(model: nn.Module, seed: int = 0) -> tuple[Scores, Scores]:
    """The scores (L, H) on random tokens that come twice, whatever the text is, and what uniform attention would get in
    each layer (L,)."""
    repeated = repeated_tokens(model, seed)
    if repeated is None:
        config = cast(GPTConfig, model.config)
        return np.full((config.n_layer, config.n_head), np.nan), np.full(config.n_layer, np.nan)
    record, pairs = attention(model, repeated), induction_pairs(repeated)
    return mean_weight(record.weights, pairs), _uniform(pairs, record.masks)


def score_weights(
    weights: NDArray[np.floating],
    ids: Sequence[int],
    induction: Scores | None = None,
    uniform_induction: Scores | None = None,
    mask: NDArray[np.bool_] | None = None,
) -> HeadScores:
    """The scores that follow from attention weights alone, e.g. from an `AttentionRecord`.

    Args:
        weights: (L, H, T, T).
        mask: (T, T), or (L, T, T) of each layer, True where query t may read key s; None: causal.
    """
    n_layer, n_token = len(weights), weights.shape[-1]
    masks = _of_layers(weights, mask)
    nothing = np.full(n_layer, np.nan)
    pairs = {
        "previous_token": previous_pairs(n_token),
        "first_token": [(t, 0) for t in range(1, n_token)],
        "current_token": [(t, t) for t in range(1, n_token)],
        "induction_text": induction_pairs(ids),
    }
    means = {name: mean_weight(weights, where) for name, where in pairs.items()}
    return HeadScores(
        **means,
        induction=np.full(weights.shape[:2], np.nan) if induction is None else induction,
        focus=1 - normalised_entropy(weights, masks),
        uniform={name: _uniform(where, masks) for name, where in pairs.items()}
        | {"induction": nothing if uniform_induction is None else uniform_induction}
        | {"focus": np.zeros(n_layer) if n_token > 1 else nothing},
    )


def previous_scores(weights: NDArray[np.floating], period: int) -> Scores:
    """Previous-token score over the first time: mean weight of tokens 1 .. period - 1 on the token right before.

    The first time alone, for it is there that later tokens look up what came before what. When the tokens come again,
    the same can be read at two places.

    Args:
        weights: (..., T, T) of a sequence whose first `period` tokens differ and then come again.

    Returns:
        (...) within 0 to 1.

    Raises:
        ValueError: if there are not two times `period` tokens, or the period is 1.
    """
    _check_repeated(weights, period)
    return mean_weight(weights, previous_pairs(period))


def induction_scores(weights: NDArray[np.floating], period: int) -> Scores:
    """Induction score: mean weight, the second time, on the token that followed the first time.

    The last token is counted too: what followed it the first time is the token at which the second time begins.

    Args, returns and errors are those of `previous_scores`.

    Source: Olsson et al. 2022 (2209.11895), "prefix matching".
    """
    _check_repeated(weights, period)
    return mean_weight(weights, induction_pairs([*range(period)] * 2))


def _check_repeated(weights: NDArray[np.floating], period: int) -> None:
    if period < 2 or weights.shape[-2:] != (2 * period, 2 * period):
        raise ValueError(f"weights {weights.shape} are not those of {period} tokens that come twice")


def previous_pairs(n_token: int) -> list[tuple[int, int]]:
    """(query, key) for each token after the first: the key is the token right before."""
    return [(t, t - 1) for t in range(1, n_token)]


def induction_pairs(ids: Sequence[int]) -> list[tuple[int, int]]:
    """(query, key) for each token that occurred before: the key is the token after its last occurrence."""
    last: dict[int, int] = {}
    pairs = []
    for t, token in enumerate(ids):
        if token in last and last[token] + 1 < t:
            pairs.append((t, last[token] + 1))
        last[token] = t
    return pairs


def repeated_tokens(model: nn.Module, seed: int = 0) -> list[int] | None:
    """Distinct random tokens of the model's vocabulary, twice in a row; None where fewer than two fit."""
    config = getattr(model, "config", None)
    vocab_size = getattr(config, "vocab_size", 0)
    n = min(getattr(config, "context_length", 64) // 2, vocab_size, 32)
    if n < 2:
        return None
    tokens = torch.randperm(vocab_size, generator=torch.Generator().manual_seed(seed))[:n].tolist()
    return tokens + tokens


def normalised_entropy(weights: NDArray[np.floating], mask: NDArray[np.bool_] | None = None) -> Scores:
    """Mean over queries 1.. of the entropy of their row, each divided by the log of its number of visible keys.

    Args:
        weights: (L, H, T, T).
        mask: (T, T), or (L, T, T) of each layer, True where query t may read key s; None: causal. A query that sees one
            key alone has no choice, and does not count.

    Returns:
        (L, H) within 0..1, nan where no query has a choice.
    """
    n_token = weights.shape[-1]
    if n_token < 2:
        return np.full(weights.shape[:2], np.nan)
    rows = weights[..., 1:, :].astype(np.float64)
    total = rows.sum(-1, keepdims=True)
    rows = rows / np.where(total > 0, total, 1)  # a sink may take a part of a row, which is read from nowhere
    entropy = -(rows * np.log(np.where(rows > 0, rows, 1))).sum(-1)  # (L, H, T - 1); 0 log 0 is 0
    visible = _of_layers(weights, mask).sum(-1)[:, None, 1:]  # (L, 1, T - 1); causal: 2, 3, …, T
    has_choice = visible > 1
    shares = np.where(has_choice, entropy, 0) / np.log(np.where(has_choice, visible, 2))
    n = np.where(has_choice.any(-1), has_choice.sum(-1), np.nan)  # (L, 1)
    return np.clip(shares.sum(-1) / n, 0, 1)


def rank_heads(scores: HeadScores, by: str, threshold: float = 0.5) -> list[RankedHead]:
    """All heads, the highest score first; those without one come last. Raises ValueError if there is no such score."""
    if by not in SCORES:
        raise ValueError(f"there is no score {by!r}; there are {', '.join(SCORES)}")
    values: Scores = getattr(scores, by)
    every = ((layer, head, float(values[layer, head])) for layer, head in np.ndindex(values.shape))
    heads = [RankedHead(layer, head, value, value >= threshold) for layer, head, value in every]
    return sorted(heads, key=lambda head: (np.isnan(head.value), -np.nan_to_num(head.value)))


def mean_weight(weights: NDArray[np.floating], pairs: Sequence[tuple[int, int]]) -> Scores:
    """The mean of weights (..., T, S) over some pairs of query and key; nan where there are none."""
    if not pairs:
        return np.full(weights.shape[:-2], np.nan)
    queries, keys = np.array(pairs).T
    return weights[..., queries, keys].astype(np.float64).mean(-1)


def _uniform(pairs: Sequence[tuple[int, int]], masks: NDArray[np.bool_]) -> Scores:
    """Each query gives the same to every key that it may see in a layer: (L,)."""
    return mean_weight(masks / masks.sum(-1, keepdims=True), pairs)


def _of_layers(weights: NDArray[np.floating], mask: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """(L, T, T) who may read whom."""
    mask = causal(weights.shape[-1]).numpy() if mask is None else mask
    return np.broadcast_to(mask, (len(weights), *mask.shape[-2:]))


def telling_head(record: AttentionRecord) -> tuple[int, int]:
    """The head that reads, for the last token, most from the word that the model then expects: (layer, head).

    Where that word is not in the text, or the model expects none, the head that reads most strongly from an earlier
    one.
    """
    if not record.probabilities.shape[-1]:
        return strongest_far_head(record.weights)
    expected = record.ids == record.probabilities[-1].argmax()
    if not expected.any():
        return strongest_far_head(record.weights)
    weight = record.weights[:, :, -1, expected].sum(-1)  # (L, H)
    layer, head = np.unravel_index(int(weight.argmax()), weight.shape)
    return int(layer), int(head)


def strongest_far_head(weights: Float[NDArray[np.floating], "L H T S"]) -> tuple[int, int]:
    """The head whose last query gives the largest weight to a token at least three positions back: (layer, head)."""
    rows = weights[:, :, -1]  # (L, H, S)
    reach = rows[..., 1:-3] if rows.shape[-1] > 4 else rows
    layer, head = np.unravel_index(int(reach.max(-1).argmax()), reach.shape[:2])
    return int(layer), int(head)
