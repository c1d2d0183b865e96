"""Other starts of the weights than a model's own."""

import torch
from torch import nn


@torch.no_grad()
def start_wide(model: nn.Module, seed: int) -> None:
    """Draw all matrices anew with variance 1 / n_in, so that a layer's output is about as large as its input.

    GPT-2's start is made for residual paths: so narrow that, without them, one layer erases nearly everything.
    Embeddings stay as they are.

    Source: LeCun et al. 1998, Efficient BackProp, section 4.6.
    """
    generator = torch.Generator().manual_seed(seed)
    for name, weights in model.named_parameters():
        if weights.ndim == 2 and "_emb." not in name:
            weights.normal_(0, weights.shape[1] ** -0.5, generator=generator)
