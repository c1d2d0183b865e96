"""Speculative sampling: a cheap draft proposes tokens, and the model reads all of them in one pass.

    rounds = speculate(CachedModel(model), draft, ids, 40, n_draft=4, settings=Settings(), seed=0)
    text = [token for one in rounds for token in one.tokens]

`core.generate.speculative` accepts a guess only if it is the very token that would be sampled, which preserves the
text. The acceptance here is random, which preserves the distribution and accepts more guesses (`rule`).

Source: Leviathan, Kalman and Matias 2022 (2211.17192), algorithm 1.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor

from core.generate.cache import CachedModel
from core.generate.decode import UniformDraws
from core.generate.filter_settings import FilterSettings
from core.rooms.draft_and_verify.compute.rule import DraftRound, select_token, verify_draft


class Drafter(Protocol):
    """A draft model: the logits of the next token after a text, in the model's own vocabulary."""

    def next_logits(self, text: Sequence[int]) -> Float[Tensor, " V"]: ...


def sampling_probabilities(logits: Float[Tensor, "n V"], settings: FilterSettings) -> Float[NDArray[np.float64], "n V"]:
    """Return the sampling distribution: filters, then softmax, in double precision; one-hot at temperature 0."""
    x = logits.double()
    if settings.greedy:
        return np.asarray(torch.nn.functional.one_hot(x.argmax(-1), x.shape[-1]).double().numpy())
    for function in settings.filters():
        x = function(x)
    return np.asarray(x.softmax(-1).numpy())


def speculative_rounds(
    model: CachedModel,
    draft: Drafter,
    ids: Sequence[int],
    max_new_tokens: int,
    *,
    n_draft: int,
    settings: FilterSettings,
    seed: int,
    rule: str = "paper",
) -> Iterator[DraftRound]:
    """Continue a text round by round, each with one pass of the model. With n_draft=0 the model runs alone.

    Model and draft get the same filters before they are compared. All random numbers come from one generator of the
    seed.

    Args:
        model: a causal model that can look back (`CachedModel.can_look_back`); the rounds are the same with and without
            a cache.
        ids: at least one token. Prompt and new tokens must fit into the model's context.
        n_draft: the maximum number of guesses in a round. No round guesses beyond the last requested token.

    Raises:
        ValueError: if the text would not fit.
    """
    text, end = list(ids), len(ids) + max_new_tokens
    if model.context_length is not None and end > model.context_length:
        raise ValueError(f"{len(text)} + {max_new_tokens} tokens are more than the {model.context_length} it can read")
    draws = UniformDraws([seed])

    def draw() -> float:
        return float(draws.next())

    while len(text) < end:
        drafted: list[int] = []
        rows: list[NDArray[np.float64]] = []
        for _ in range(min(n_draft, end - len(text) - 1)):
            rows.append(sampling_probabilities(draft.next_logits([*text, *drafted])[None], settings)[0])
            drafted.append(select_token(rows[-1], draw()))
        p = sampling_probabilities(model.last_logits(text + drafted, len(drafted) + 1), settings)  # (n + 1, V)
        one = verify_draft(drafted, p, np.array(rows).reshape(len(rows), p.shape[1]), draw, rule)
        text += one.tokens
        yield one
