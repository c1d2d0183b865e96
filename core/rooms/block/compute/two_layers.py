"""Two linear layers in a row, beside the one matrix that is their product."""

from typing import NamedTuple

import torch
from torch.nn.functional import relu


class BesideOne(NamedTuple):
    """How far two layers are from the one matrix that is their product, as shares of its largest output."""

    linear: float  # linear, relu: with nothing, and with ReLU between the two
    relu: float


def beside_one(width: int, hidden: int) -> BesideOne:
    """Two drawn layers, from `width` numbers to `hidden` and back, on 32 drawn inputs."""
    generator = torch.Generator().manual_seed(0)
    x, w_in, w_out = (
        torch.randn(*shape, generator=generator, dtype=torch.float64)
        for shape in ((32, width), (width, hidden), (hidden, width))
    )
    single = x @ (w_in @ w_out)
    both = (x @ w_in @ w_out, relu(x @ w_in) @ w_out)
    return BesideOne(*(float((one - single).abs().max() / single.abs().max()) for one in both))
