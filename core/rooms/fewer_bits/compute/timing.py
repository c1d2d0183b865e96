"""A matrix product with weights of fewer bits: the bytes that are kept, and the time it takes on this machine."""

import time
from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from core.rooms.fewer_bits.compute.packing import pack, unpack
from core.rooms.fewer_bits.compute.quantise import Quantised, quantise

BITS = (32, 16, 8, 4, 2)
MOST_REPEATS, MOST_SECONDS = 15, 0.25  # of each kind


class Timed(NamedTuple):
    """One kind of weights.

    Attributes:
        n_byte: of the matrix as it is kept, its scales included.
        seconds: measured: of the shortest of some repeats.
        error: the largest difference of a result, as a share of the largest result.
    """

    n_byte: int
    seconds: float
    error: float


def product(x: Float[Tensor, "T d_in"], packed: Tensor, kept: Quantised, bits: int) -> Float[Tensor, "T d_out"]:
    """x W' with packed weights of a scale for each row: unpack the levels, multiply, then scale each output.

    Nothing is fused: a program that is made for it unpacks in the processor's registers while it multiplies.
    """
    levels = unpack(packed, bits, (kept.levels.shape[0], kept.levels.shape[1]))
    return F.linear(x, levels.float()) * kept.scale[:, 0]


def measure(d_model: int, n_token: int, seed: int) -> dict[int, Timed]:
    """A matrix (d_model, d_model) of random numbers, read by some tokens, with each of `BITS`."""
    generator = torch.Generator().manual_seed(seed)
    weight = torch.randn(d_model, d_model, generator=generator)
    x = torch.randn(n_token, d_model, generator=generator)
    right, found = F.linear(x, weight), {}
    for bits in BITS:
        if bits >= 16:
            dtype = torch.float32 if bits == 32 else torch.bfloat16
            n_byte, run = bits // 8 * weight.numel(), _dense(x.to(dtype), weight.to(dtype))
        else:
            kept = quantise(weight, bits, "row")
            packed = pack(kept.levels, bits)
            n_byte, run = packed.numel() + 2 * kept.n_scale, _packed(x, packed, kept, bits)
        error = float((run().float() - right).abs().max() / right.abs().max())
        found[bits] = Timed(n_byte, _shortest(run), error)
    return found


def _dense(x: Tensor, weight: Tensor) -> Callable[[], Tensor]:
    return lambda: F.linear(x, weight)


def _packed(x: Tensor, packed: Tensor, kept: Quantised, bits: int) -> Callable[[], Tensor]:
    return lambda: product(x, packed, kept, bits)


def _shortest(run: Callable[[], Tensor]) -> float:
    began, seconds = time.perf_counter(), list[float]()
    while not seconds or (len(seconds) < MOST_REPEATS and time.perf_counter() - began < MOST_SECONDS):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
