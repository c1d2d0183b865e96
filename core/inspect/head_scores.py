"""Head scores: the mean attention of a head to certain keys, averaged over the queries of a text.

A score only describes where a head attends on this text. Attention weights don't explain what the model computes from
them (Jain and Wallace 2019; Wiegreffe and Pinter 2019), and on a short text even a head with uniform attention scores
well. So each score comes with the score of uniform attention as a baseline.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.inspect.attention_record import AttentionRecord, attention
from core.models.gpt import GPTConfig
from core.models.registry import family_of
from core.nn.masks import causal

LABELS = module_labels(__name__)

_Scores = NDArray[np.float64]

SCORE_NAMES: Mapping[str, str] = {
    "previous_token": LABELS["score.previous_token"],
    "first_token": LABELS["score.first_token"],
    "current_token": LABELS["score.current_token"],
    "induction": LABELS["score.induction"],
    "induction_text": LABELS["score.induction_text"],
    "focus": LABELS["score.focus"],
}


@dataclass(frozen=True)
class HeadScores:
    """The scores of all heads of a model on a text, each (L, H) within 0..1, or NaN if the text has no case for it.

    Args:
        induction: on a random sequence that is repeated once, the mean weight of the repeat's queries on the token that
            followed their token the first time. The tokens are random so that no knowledge of words can help.
        induction_text: the same on the text itself, for queries whose token occurred before (its last occurrence; a
            token directly after an equal one is left out, because it followed itself).
        focus: 1 minus the mean entropy of queries 1.., each divided by the log of its number of visible keys: 1 means a
            single key, 0 means uniform. Uniform attention to the square root of all keys gives one half.
        uniform: score name -> (L,) the score of a head with uniform attention to all visible keys, for each layer.
    """

    previous_token: _Scores  # mean weight of queries 1.. on the token right before.
    first_token: _Scores  # mean weight of queries 1.. on token 0, where heads with nothing to do put their weight.
    current_token: _Scores  # mean weight of queries 1.. on themselves.
    induction: _Scores
    induction_text: _Scores
    focus: _Scores
    uniform: Mapping[str, _Scores]

    def table(self) -> dict[str, list[float]]:
        """Return a table with a row for each head and a column for each score."""
        n_layer, n_head = self.previous_token.shape
        layer, head = np.indices((n_layer, n_head)).reshape(2, -1).tolist()
        return {LABELS["column.layer"]: layer, LABELS["column.head"]: head} | {
            SCORE_NAMES[name]: getattr(self, name).ravel().round(4).tolist() for name in SCORE_FIELDS
        }


SCORE_FIELDS = tuple(field.name for field in fields(HeadScores) if field.name != "uniform")


@dataclass(frozen=True)
class RankedHead:
    """A head, its score, and whether it reaches the threshold. The papers set none; one half is a convention."""

    layer: int
    head: int
    value: float
    reaches: bool


def score_heads(model: nn.Module, ids: Sequence[int] | Tensor, seed: int = 0) -> HeadScores:
    """Score every head of a model on a text, with two forward passes.

    Raises:
        ValueError: if the text does not fit the model.

    Source: previous-token and first-token heads: Clark et al. 2019 (1906.04341), Voita et al. 2019 (1905.09418);
    induction on repeated random tokens: Olsson et al. 2022 (2209.11895).
    """
    record = attention(model, ids)
    return head_scores_from_weights(
        record.weights, record.ids.tolist(), *induction_on_random_tokens(model, seed), record.masks
    )


def induction_on_random_tokens(model: nn.Module, seed: int = 0) -> tuple[_Scores, _Scores]:
    """Return the induction scores (L, H) on a repeated random sequence, and those of uniform attention (L,)."""
    repeated = _repeated_tokens(model, seed)
    if repeated is None:
        config = cast(GPTConfig, model.config)
        return np.full((config.n_layer, config.n_head), np.nan), np.full(config.n_layer, np.nan)
    record, pairs = attention(model, repeated), _induction_pairs(repeated)
    return _mean_weight(record.weights, pairs), _uniform(pairs, record.masks)


def head_scores_from_weights(
    weights: NDArray[np.floating],
    ids: Sequence[int],
    induction: _Scores | None = None,
    uniform_induction: _Scores | None = None,
    mask: NDArray[np.bool_] | None = None,
) -> HeadScores:
    """Compute the scores from attention weights, such as those of an `AttentionRecord`.

    Args:
        weights: (L, H, T, T).
        mask: (T, T), or (L, T, T) of each layer, True where query t may read key s; None: causal.
    """
    n_layer, n_token = len(weights), weights.shape[-1]
    masks = _of_layers(weights, mask)
    nothing = np.full(n_layer, np.nan)
    pairs = {
        "previous_token": _previous_token_pairs(n_token),
        "first_token": [(t, 0) for t in range(1, n_token)],
        "current_token": [(t, t) for t in range(1, n_token)],
        "induction_text": _induction_pairs(ids),
    }
    means = {name: _mean_weight(weights, where) for name, where in pairs.items()}
    return HeadScores(
        **means,
        induction=np.full(weights.shape[:2], np.nan) if induction is None else induction,
        focus=1 - _normalized_entropy(weights, masks),
        uniform={name: _uniform(where, masks) for name, where in pairs.items()}
        | {"induction": nothing if uniform_induction is None else uniform_induction}
        | {"focus": np.zeros(n_layer) if n_token > 1 else nothing},
    )


def previous_token_scores(weights: NDArray[np.floating], period: int) -> _Scores:
    """Return the previous-token score: mean weight of tokens 1 .. period - 1 on the token directly before.

    Only the first occurrence of the sequence counts, because induction heads look up there which token came before
    which. In the repeat, the same information is available at two positions.

    Args:
        weights: (..., T, T) of a sequence whose first `period` tokens are all different and are then repeated.

    Returns:
        (...) within 0 to 1.

    Raises:
        ValueError: if there are not 2 * `period` tokens, or the period is 1.
    """
    _check_repeated(weights, period)
    return _mean_weight(weights, _previous_token_pairs(period))


def induction_scores(weights: NDArray[np.floating], period: int) -> _Scores:
    """Return the induction score: the repeat's mean weight on the token that followed the same token the first time.

    The last token counts, too: the first time, it was followed by the token with which the repeat begins.

    Arguments, result and errors are the same as for `previous_token_scores`.

    Source: Olsson et al. 2022 (2209.11895), "prefix matching".
    """
    _check_repeated(weights, period)
    return _mean_weight(weights, _induction_pairs([*range(period)] * 2))


def _check_repeated(weights: NDArray[np.floating], period: int) -> None:
    if period < 2 or weights.shape[-2:] != (2 * period, 2 * period):
        raise ValueError(f"weights {weights.shape} are not those of {period} tokens that come twice")


def _previous_token_pairs(n_token: int) -> list[tuple[int, int]]:
    """Return (query, key) for each token after the first: the key is the token directly before."""
    return [(t, t - 1) for t in range(1, n_token)]


def _induction_pairs(ids: Sequence[int]) -> list[tuple[int, int]]:
    """Return (query, key) for each token that occurred before: the key is the token after its last occurrence."""
    last: dict[int, int] = {}
    pairs = []
    for t, token in enumerate(ids):
        if token in last and last[token] + 1 < t:
            pairs.append((t, last[token] + 1))
        last[token] = t
    return pairs


def _repeated_tokens(model: nn.Module, seed: int = 0) -> list[int] | None:
    """Return distinct random tokens of the model's vocabulary, twice in a row; None if fewer than two fit."""
    family, config = family_of(model), cast(Any, model).config
    vocab_size = family.vocab_size(config) or 0
    n = min((family.context_length(config) or 64) // 2, vocab_size, 32)
    if n < 2:
        return None
    tokens = torch.randperm(vocab_size, generator=torch.Generator().manual_seed(seed))[:n].tolist()
    return tokens + tokens


def _normalized_entropy(weights: NDArray[np.floating], mask: NDArray[np.bool_] | None = None) -> _Scores:
    """Return the mean normalized entropy of queries 1..: each row's entropy over the log of its number of visible keys.

    Args:
        weights: (L, H, T, T).
        mask: (T, T), or (L, T, T) of each layer, True where query t may read key s; None: causal. A query that sees
            only one key has no choice and does not count.

    Returns:
        (L, H) within 0..1, NaN if no query has a choice.
    """
    n_token = weights.shape[-1]
    if n_token < 2:
        return np.full(weights.shape[:2], np.nan)
    rows = weights[..., 1:, :].astype(np.float64)
    total = rows.sum(-1, keepdims=True)
    rows = rows / np.where(total > 0, total, 1)  # a sink may take part of a row's weight
    entropy = -(rows * np.log(np.where(rows > 0, rows, 1))).sum(-1)  # (L, H, T - 1); 0 log 0 is 0
    visible = _of_layers(weights, mask).sum(-1)[:, None, 1:]  # (L, 1, T - 1); causal: 2, 3, …, T
    has_choice = visible > 1
    shares = np.where(has_choice, entropy, 0) / np.log(np.where(has_choice, visible, 2))
    n = np.where(has_choice.any(-1), has_choice.sum(-1), np.nan)  # (L, 1)
    return np.clip(shares.sum(-1) / n, 0, 1)


def rank_heads(scores: HeadScores, by: str, threshold: float = 0.5) -> list[RankedHead]:
    """Rank all heads, highest score first, heads without a score last. Raises ValueError if there is no such score."""
    if by not in SCORE_FIELDS:
        raise ValueError(f"there is no score {by!r}; there are {', '.join(SCORE_FIELDS)}")
    values: _Scores = getattr(scores, by)
    every = ((layer, head, float(values[layer, head])) for layer, head in np.ndindex(values.shape))
    heads = [RankedHead(layer, head, value, value >= threshold) for layer, head, value in every]
    return sorted(heads, key=lambda head: (np.isnan(head.value), -np.nan_to_num(head.value)))


def _mean_weight(weights: NDArray[np.floating], pairs: Sequence[tuple[int, int]]) -> _Scores:
    """Return the mean of weights (..., T, S) over some pairs of query and key; NaN without pairs."""
    if not pairs:
        return np.full(weights.shape[:-2], np.nan)
    queries, keys = np.array(pairs).T
    return weights[..., queries, keys].astype(np.float64).mean(-1)


def _uniform(pairs: Sequence[tuple[int, int]], masks: NDArray[np.bool_]) -> _Scores:
    """Return the mean weight of uniform attention on some pairs, for each layer: (L,)."""
    return _mean_weight(masks / masks.sum(-1, keepdims=True), pairs)


def _of_layers(weights: NDArray[np.floating], mask: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return the mask of each layer (L, T, T): True where query t may read key s."""
    mask = causal(weights.shape[-1]).numpy() if mask is None else mask
    return np.broadcast_to(mask, (len(weights), *mask.shape[-2:]))


def head_attending_to_prediction(record: AttentionRecord) -> tuple[int, int]:
    """Return the (layer, head) whose last query attends most to the word that the model predicts next.

    If that word is not in the text, or the model predicts none, it is the head that attends most to an earlier token.
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
    """Return the (layer, head) whose last query has the largest weight on a token at least three positions back."""
    rows = weights[:, :, -1]  # (L, H, S)
    reach = rows[..., 1:-3] if rows.shape[-1] > 4 else rows
    layer, head = np.unravel_index(int(reach.max(-1).argmax()), reach.shape[:2])
    return int(layer), int(head)
