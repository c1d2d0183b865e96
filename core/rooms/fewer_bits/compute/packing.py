"""Levels as bytes: four of 2 bits, or two of 4, lie in each byte; with 3 bits, eight lie in three bytes."""

import numpy as np
import torch
from jaxtyping import Int, UInt8
from torch import Tensor

from core.rooms.fewer_bits.compute.quantise import most_level


def pack(levels: Int[Tensor, "d_out d_in"], bits: int) -> UInt8[Tensor, " n_byte"]:
    """The levels, row by row, each as a whole number from 0 in so many bits; the first one is lowest in its byte.

    The last byte is filled up with zeros.
    """
    most = most_level(bits)
    whole = (levels.flatten().int() + most).to(torch.uint8).numpy()
    each = np.unpackbits(whole[:, None], axis=1, count=bits, bitorder="little")  # (N, bits)
    return torch.from_numpy(np.packbits(each, bitorder="little"))


def unpack(packed: UInt8[Tensor, " n_byte"], bits: int, shape: tuple[int, int]) -> Int[Tensor, "d_out d_in"]:
    """The very levels that were packed."""
    n, most = shape[0] * shape[1], most_level(bits)
    if 8 % bits == 0:
        each = [packed >> shift & (2**bits - 1) for shift in range(0, 8, bits)]
        whole = torch.stack(each, 1).flatten()[:n]
    else:
        single = np.unpackbits(packed.numpy(), count=n * bits, bitorder="little").reshape(n, bits)
        whole = torch.from_numpy(np.packbits(single, axis=1, bitorder="little")[:, 0])
    return (whole.to(torch.int8) - most).view(shape)


def n_byte(n_weight: int, bits: int, n_scale: int) -> int:
    """Bytes of so many weights, and of their scales in bfloat16."""
    return -(-n_weight * bits // 8) + 2 * n_scale
