"""Gradients with respect to the scores under soft, sampled and arg-max attention, for one question.

Two losses must be distinguished. Soft attention has the loss of the *mixture*. Hard attention has the *expected* loss:
the mean, over the positions that may be drawn, of the loss after reading that position alone. Their gradients differ.
With so few positions, the expected loss and its gradient are computed exactly, and the estimate is compared with them.
"""

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from core.exhibit import Result
from core.rooms.hard_attention.compute.card_model import (
    D_MODEL,
    CardModel,
    argmax_positions,
    mix_positions,
    select_positions,
)

Array = NDArray[np.float64]
BUMP = 1e-3  # how far a score is moved to test whether anything changes
N_REPEAT = 400  # repetitions of an estimate, to measure its typical error


class ScoreGradients(Result):
    """The gradients with respect to the scores of S cards, for one question."""

    weights: Array  # (S,), softmax of the scores
    losses: Array  # (S,), nats: the loss if that card is read alone
    expected_loss: float  # nats: the mean loss over the positions, weighted by attention
    soft_loss: float  # nats: the loss of the mixture
    soft: Array  # (S,), the gradient of the mixture's loss, by autograd
    expected: Array  # (S,), the gradient of the expected loss, by autograd through the sum over all positions
    argmax: Array  # (S,), the gradient of the loss of the best card, by autograd
    bump: float  # largest change of the arg-max loss, nats, if one score is moved by a thousandth, up or down


def score_gradients(model: CardModel, letters: Tensor, digits: Tensor, question: int, answer: int) -> ScoreGradients:
    """Compute the exact gradients of one question about cards (S,), in double precision on a copy of the model.

    Source: Xu et al. 2015 (1502.03044), sections 4.1 (expected) and 4.2 (mixture).
    """
    model = copy.deepcopy(model).double().requires_grad_(True)  # so that the loss always has a graph
    keys = model.keys(letters[None], digits[None])  # (1, S, D)
    target = torch.tensor([answer])
    scores = model.scores(torch.tensor([question]), keys).detach().requires_grad_(True)  # (1, S)
    n_card = scores.shape[1]
    each = F.cross_entropy(model.answer(keys[0]), target.expand(n_card), reduction="none")  # (S,)

    def soft(at: Tensor) -> Tensor:
        return F.cross_entropy(model.answer(mix_positions(at.softmax(-1), keys)), target)

    def expected(at: Tensor) -> Tensor:
        return (at.softmax(-1)[0] * each).sum()

    def argmax(at: Tensor) -> Tensor:
        return F.cross_entropy(model.answer(select_positions(keys, argmax_positions(at))), target)

    moved = [argmax(scores + shift * row) for shift in (BUMP, -BUMP) for row in torch.eye(n_card, dtype=scores.dtype)]
    weights, losses = scores.detach().softmax(-1)[0].numpy(), each.detach().numpy()
    return ScoreGradients(
        weights=weights,
        losses=losses,
        expected_loss=float(weights @ losses),
        soft_loss=float(soft(scores).detach()),
        soft=_gradient(soft(scores), scores),
        expected=_gradient(expected(scores), scores),
        argmax=_gradient(argmax(scores), scores),
        bump=max(float((loss - argmax(scores)).detach().abs()) for loss in moved),
    )


def single_draw_estimates(weights: Array, losses: Array, baseline: float) -> Array:
    """Return (S, S): row s is the gradient estimate if position s is drawn.

        (l_s - b) * d log w_s / d scores,   with   d log w_s / d score_j = [s = j] - w_j

    The mean of the rows, weighted by w, is w_j (l_j - E[l]), the gradient of the expected loss, for any b.

    Source: Williams 1992 (REINFORCE); Xu et al. 2015, section 4.1.
    """
    return np.asarray((losses - baseline)[:, None] * (np.eye(len(weights)) - weights))


@dataclass(frozen=True)
class GradientEstimate:
    """An estimate of a gradient (S,) from N draws."""

    mean: Array  # (S,), the estimate
    error: Array  # (S,), its standard error, from the same draws


def estimate_gradient(weights: Array, losses: Array, n_draw: int, baseline: float, seed: int) -> GradientEstimate:
    """Return the score-function estimate from n_draw sampled positions. Raises ValueError for fewer than two."""
    if n_draw < 2:
        raise ValueError(f"{n_draw} draw: at least 2 are needed to estimate the standard error")
    rows = single_draw_estimates(weights, losses, baseline)
    counts = np.random.default_rng(seed).multinomial(n_draw, _normalized(weights))  # (S,)
    mean = counts @ rows / n_draw
    variance = counts @ (rows - mean) ** 2 / (n_draw - 1)
    return GradientEstimate(mean, np.sqrt(variance / n_draw))


def single_draw_error(weights: Array, losses: Array, baseline: float) -> float:
    """Return the root mean squared distance of one draw to the exact gradient. Over N draws: /√N."""
    rows = single_draw_estimates(weights, losses, baseline)
    exact = weights @ rows
    return math.sqrt(float(weights @ ((rows - exact) ** 2).sum(-1)))


def measure_errors(weights: Array, losses: Array, baseline: float, n_draws: Sequence[int], seed: int) -> Array:
    """Return the same distance, (len(n_draws),), measured over 400 estimates for each number of draws."""
    rows = single_draw_estimates(weights, losses, baseline)
    exact, rng = weights @ rows, np.random.default_rng(seed)
    found = []
    for n in n_draws:
        means = rng.multinomial(n, _normalized(weights), size=N_REPEAT) @ rows / n  # (400, S)
        found.append(math.sqrt(float(((means - exact) ** 2).sum(-1).mean())))
    return np.array(found)


def reading_cost(n_card: int) -> dict[str, int]:
    """Count multiply-adds per question: "scoring" all cards, which all ways need, and "mixing" them, as soft does."""
    d_key, d_hidden = 2 * D_MODEL, D_MODEL
    return {"scoring": D_MODEL * d_hidden + n_card * (d_key * d_hidden + d_hidden), "mixing": n_card * d_key}


def _normalized(weights: Array) -> Array:
    return weights / weights.sum()  # numpy rejects sums that rounding has pushed above 1


def _gradient(loss: Tensor, scores: Tensor) -> Array:
    (found,) = torch.autograd.grad(loss, scores, allow_unused=True, materialize_grads=True, retain_graph=True)
    return np.asarray(found[0])
