"""The parts of `core.nn.attention.masked_softmax`: blocked scores, a sink next to the keys, and empty rows.

They are exact for every number format and on every device. None of that concerns the idea of a masked softmax.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from core.nn import checks


def block_scores(scores: Float[Tensor, "*batch S"], mask: Bool[Tensor, "..."] | None) -> Float[Tensor, "*batch S"]:
    """Give blocked keys a score so low that the softmax makes it exactly 0.

    Blocked scores get the lowest finite number added, not -inf. This keeps a row in which every key is blocked finite
    in the forward and the backward pass. (Adding a small mask is three times faster than overwriting the scores, and
    the softmax's gradient is 0 at blocked keys either way.)

    Args:
        mask: True means "may attend", broadcastable to the scores; None means that no key is blocked.

    Raises:
        TypeError: if the mask is not boolean.
        ValueError: if it does not broadcast to the scores.
    """
    if mask is None:
        return scores
    checks.check_mask(mask, scores.shape)
    lowest = torch.finfo(scores.dtype).min
    if scores.dtype == torch.float16:  # in its small range, a negative score plus the lowest number would be -inf
        return scores.masked_fill(~mask, lowest)
    return scores + torch.where(mask, scores.new_zeros(()), lowest)


def softmax_with_sink(
    scores: Float[Tensor, "*batch S"], sink: Float[Tensor, "..."] | None
) -> Float[Tensor, "*batch S"]:
    """Apply the softmax over the keys and a sink, whose weight is dropped.

    Args:
        sink: the sink's score in each row, broadcastable to (*batch, 1); None means that there is none.

    Source: a sink of 0: Xiao et al. 2023 (2309.17453), section 3.3; a learned sink: gpt-oss (2508.10925).
    """
    if sink is None:
        return scores.softmax(-1)
    column = sink.to(scores.dtype).expand(*scores.shape[:-1], 1)
    return torch.cat([scores, column], -1).softmax(-1)[..., :-1]


def clear_empty_rows(weights: Float[Tensor, "*batch S"], mask: Bool[Tensor, "..."] | None) -> Float[Tensor, "*batch S"]:
    """Set the weights of a row in which every key is blocked to 0."""
    if mask is None:
        return weights
    may_read = mask.any(-1, keepdim=True)  # rows in which at least one key may be attended to
    # On a GPU, `all()` would make the CPU wait for the result; an unneeded masked_fill is cheaper there.
    return weights if not mask.is_cuda and may_read.all() else weights.masked_fill(~may_read, 0.0)
