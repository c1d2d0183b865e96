"""What counting reaches: n-grams on the same text, the same split and in the same units as a training run."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Int
from torch import Tensor

from core.models.ngram import NGram


def ngram_losses(
    train_ids: Int[Tensor, " N_train"],
    val_ids: Int[Tensor, " N_val"],
    vocab_size: int,
    orders: Sequence[int] = (2, 3, 5),
) -> dict[int, float]:
    """Validation loss of interpolated n-grams, in nats per token: the lines that a transformer has to get under.

    An n-gram of order n sees the n - 1 tokens before the next one.
    """
    losses = {}
    for order in orders:
        model = NGram(order, vocab_size, smoothing="interpolated").fit(train_ids.cpu().numpy())
        losses[order] = float(np.log(model.perplexity(val_ids.cpu().numpy())))
    return losses
