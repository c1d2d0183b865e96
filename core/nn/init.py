"""Weight initializations that several models share."""

import torch
from torch import nn

INIT_STD = 0.02


@torch.no_grad()
def init_normal(model: nn.Module, generator: torch.Generator, into_stream: float = INIT_STD) -> None:
    """Initialize as GPT-2 and BERT do: weights normal with standard deviation 0.02, gains 1, biases 0.

    into_stream: standard deviation of the layers whose outputs are added to the residual stream.

    Source: Devlin et al. 2018, the authors' code; Radford et al. 2019, section 2.3.

    Elsewhere: the standard deviation is `initializer_range` in Hugging Face's configs.
    """
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            parameter.zero_()
        elif "norm" in name:
            parameter.fill_(1.0)
        else:
            std = into_stream if name.endswith(("w_o.weight", "w_out.weight")) else INIT_STD
            parameter.normal_(0.0, std, generator=generator)


@torch.no_grad()
def init_fan_in(model: nn.Module, seed: int) -> None:
    """Reinitialize all weight matrices with variance 1 / n_in (LeCun initialization).

    This keeps a layer's output about as large as its input. GPT-2's initialization has a smaller variance and relies on
    residual connections: without them, a single layer makes almost everything vanish. Embeddings are not changed.

    Source: LeCun et al. 1998, Efficient BackProp, section 4.6.

    Elsewhere: `lecun_normal` in JAX and Keras (there a truncated normal).
    """
    generator = torch.Generator().manual_seed(seed)
    for name, weights in model.named_parameters():
        if weights.ndim == 2 and "_emb." not in name:
            weights.normal_(0, weights.shape[1] ** -0.5, generator=generator)
