"""Data augmentation: each picture is rotated, sheared, stretched and moved a little, differently every time."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

TURN, STRETCH, SLANT, MOVE = 0.25, 0.15, 0.2, 0.17  # radians; deviation from factor 1; shear; share of half the width


def augment(
    images: Float[Tensor, "B C Y X"], generator: torch.Generator, strength: float = 1.0
) -> Float[Tensor, "B C Y X"]:
    """Vary the pictures as if another person had written the digits; outside of a picture there is paper, 0.

    Each picture is rotated by up to 14 degrees, stretched by up to 15 %, sheared by up to 0.2 pixels a line, and moved
    by up to 17 % of half the width (0.7 of 8 pixels). All are drawn uniformly for each picture; `strength` scales them.

    Source: elastic and affine distortions: Simard, Steinkraus and Platt 2003, section 2; here the affine part alone.
    """
    n = len(images)

    def within(limit: float, *shape: int) -> Tensor:
        return (torch.rand(n, *shape, generator=generator) * 2 - 1) * limit * strength

    turn, stretch, slant = within(TURN), 1 + within(STRETCH), within(SLANT)
    cos, sin = torch.cos(turn) * stretch, torch.sin(turn) * stretch
    rows = torch.stack([cos, slant - sin, sin, cos], -1).unflatten(-1, (2, 2))  # (B, 2, 2)
    grid = nn.functional.affine_grid(torch.cat([rows, within(MOVE, 2, 1)], -1), list(images.shape), align_corners=False)
    return nn.functional.grid_sample(images, grid, align_corners=False)
