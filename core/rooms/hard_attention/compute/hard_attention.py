"""What to do with attention weights: read a mixture of everything, or choose one place.

- soft: the context is the weighted mean of all places. Everything is smooth, so the gradient reaches the scores.
- sampled (hard): one place is drawn from the weights, and read whole. The draw has no derivative; the score function
  gives an estimate of how the *expected* loss changes with the scores.
- arg-max: the place with the largest weight is read whole. A small change of the scores changes nothing: the gradient
  to them is exactly zero.

Source: Xu et al. 2015 (1502.03044), section 4: "hard" and "soft" attention over a set of annotation vectors.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor


def mixture(weights: Float[Tensor, "B S"], keys: Float[Tensor, "B S D"]) -> Float[Tensor, "B D"]:
    """Soft attention: the mean of all places, each with its weight.

    Source: Xu et al. 2015, section 4.2; Bahdanau et al. 2014 (1409.0473), section 3.1.
    """
    return (weights[:, None] @ keys).squeeze(1)


def drawn_places(weights: Float[Tensor, "B S"], generator: torch.Generator) -> Int[Tensor, " B"]:
    """Hard attention: one place for each row, drawn with the weights as probabilities.

    Source: Xu et al. 2015, section 4.1.
    """
    return torch.multinomial(weights.detach(), 1, generator=generator).squeeze(1)


def best_places(scores: Float[Tensor, "B S"]) -> Int[Tensor, " B"]:
    """Arg-max attention: the place with the largest score."""
    return scores.argmax(-1)


def read_at(keys: Float[Tensor, "B S D"], places: Int[Tensor, " B"]) -> Float[Tensor, "B D"]:
    """One place of each row, whole."""
    return keys[torch.arange(len(keys)), places]


def score_function_loss(
    losses: Float[Tensor, " B"], log_weights: Float[Tensor, " B"], baseline: float | Float[Tensor, " B"]
) -> Float[Tensor, ""]:
    """A loss whose gradient is an unbiased estimate of the gradient of the expected loss.

        d/dW E[l] = E[ dl/dW + (l - b) d log p(place)/dW ]

    The first term trains what reads the place, the second one the choice. Any baseline b that does not depend on the
    place drawn leaves the mean as it is, for the mean of d log p is 0; a good one makes the estimate less noisy.

    Args:
        baseline: b, such as the moving average of the losses. Without one: 0.

    Source: Williams 1992 (REINFORCE); Xu et al. 2015, section 4.1, which has log p in place of -l.
    """
    surprise = (losses - baseline).detach()
    return (losses + surprise * log_weights).mean()
