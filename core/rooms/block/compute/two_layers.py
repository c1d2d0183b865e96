"""Two linear layers in a row compared with the one matrix that is their product."""

from typing import NamedTuple

import torch
from torch.nn.functional import relu


class ProductDifference(NamedTuple):
    """The largest difference between two layers and their product matrix, as a share of its largest output."""

    linear: float  # linear, relu: without and with ReLU between the two layers
    relu: float


def product_difference(width: int, hidden: int) -> ProductDifference:
    """Compare two random layers, from `width` numbers to `hidden` and back, with their product on 32 random inputs."""
    generator = torch.Generator().manual_seed(0)
    x, w_in, w_out = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((32, width), (width, hidden), (hidden, width))
    )
    single = x @ (w_in @ w_out)
    both = (x @ w_in @ w_out, relu(x @ w_in) @ w_out)
    return ProductDifference(*(float((one - single).abs().max() / single.abs().max()) for one in both))
