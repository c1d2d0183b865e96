"""Starts of the weights that several models share."""

import torch
from torch import nn

DEVIATION = 0.02


@torch.no_grad()
def draw_normal(model: nn.Module, generator: torch.Generator, into_stream: float = DEVIATION) -> None:
    """GPT-2's and BERT's start: normal with deviation 0.02, gains 1, biases 0.

    into_stream: deviation of the layers whose outputs are added to the residual stream.

    Source: Devlin et al. 2018, the authors' code; Radford et al. 2019, section 2.3.
    """
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            parameter.zero_()
        elif "norm" in name:
            parameter.fill_(1.0)
        else:
            std = into_stream if name.endswith(("w_o.weight", "w_out.weight")) else DEVIATION
            parameter.normal_(0.0, std, generator=generator)


@torch.no_grad()
def draw_fan_in(model: nn.Module, seed: int) -> None:
    """Redraw all matrices with variance 1 / n_in, so that a layer's output is about as large as its input.

    GPT-2's start is made for residual paths: so narrow that, without them, one layer erases nearly everything.
    Embeddings stay as they are.

    Source: LeCun et al. 1998, Efficient BackProp, section 4.6.
    """
    generator = torch.Generator().manual_seed(seed)
    for name, weights in model.named_parameters():
        if weights.ndim == 2 and "_emb." not in name:
            weights.normal_(0, weights.shape[1] ** -0.5, generator=generator)
