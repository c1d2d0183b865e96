"""`causal` and `attend`: who may read whom, and what each reads."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from core.nn import attention, masks
from core.notebook.exercises.exercise import Exercise, Outcome, size


def _causal_trial(function: Callable[..., Any], generator: Generator) -> Outcome:
    return {"the mask": function(size(generator, 1, 9))}


def _attend_trial(function: Callable[..., Any], generator: Generator) -> Outcome:
    n_batch, n_head, n_token, width, wide = (size(generator, 1, 5) for _ in range(5))
    shapes = [(n_batch, n_head, n_token, one) for one in (width, width, wide)]
    q, k, v = (2 * torch.randn(shape, generator=generator) for shape in shapes)
    given = function(q, k, v, masks.causal(n_token))
    if not isinstance(given, tuple) or len(given) != 2:
        return {"output": None}
    return {"weights": given[1], "output": given[0]}


def _attend_as(
    make: Callable[[Tensor, Tensor], Tensor], scale: Callable[[int], float] = lambda k: k**-0.5
) -> Callable[..., Any]:
    """Attention with another softmax, `make(scores, mask)`, or another scale of the scores."""

    def attend(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        weights = make(q @ k.mT * scale(q.shape[-1]), mask)
        return weights @ v, weights

    return attend


def _masked(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


CAUSAL = Exercise(
    _causal_trial,
    masks.causal,
    (
        ("it's upside down: row t is the query, and True means that it may read.", lambda n: masks.causal(n).mT),
        ("True means “may attend”; yours says where it may not.", lambda n: ~masks.causal(n)),
        ("a token may read itself, too: the diagonal is True.", lambda n: masks.causal(n).tril(-1)),
    ),
)

ATTEND = Exercise(
    _attend_trial,
    lambda q, k, v, mask: attention.attend(q, k, v, mask),
    (
        ("the scores aren't divided by √d; the softmax is too sharp.", _attend_as(_masked, lambda k: 1.0)),
        ("divide by √d, not by d.", _attend_as(_masked, lambda k: 1 / k)),
        ("multiply by 1/√d, not by √d.", _attend_as(_masked, math.sqrt)),
        ("the mask isn't used: tokens read those after them.", _attend_as(lambda s, _: s.softmax(-1))),
        (
            "the mask is the wrong way round: True means “may attend”.",
            _attend_as(lambda s, mask: s.masked_fill(mask, -math.inf).softmax(-1)),
        ),
        (
            "the mask comes after the softmax, so rows don't sum to 1; mask the scores.",
            _attend_as(lambda s, mask: s.softmax(-1) * mask),
        ),
        (
            "a masked score of 0 still gets a weight: e⁰ = 1; use −∞.",
            _attend_as(lambda s, mask: (s * mask).softmax(-1)),
        ),
        (
            "the softmax runs along the queries; each row, over its keys, has to sum to 1.",
            _attend_as(lambda s, mask: s.masked_fill(~mask, -math.inf).softmax(-2)),
        ),
    ),
)
