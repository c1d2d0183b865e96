"""Generate pictures with an ImageGPT, which continues many pictures at once, pixel by pixel.

Also measure how many bits the same model needs to encode given pictures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from core.generate import filters
from core.generate.block_functions import BlockFunctions, block_to_functions, plain_linear_function, plain_norm_function
from core.models.images.image_gpt import ImageGPT
from core.nn.block import Block


@dataclass(frozen=True)
class GeneratedPictures:
    """Generated pictures, with the logits of each generated pixel."""

    ids: Int[Tensor, "N T"]  # (N, T) all pixels, both given and sampled
    # (N, T - S, C) the model's output for each sampled pixel, before temperature and top-k
    logits: Float[Tensor, "N M C"]


def sampling_probabilities(
    logits: Float[Tensor, "*batch C"], temperature: float, top_k: int
) -> Float[Tensor, "*batch C"]:
    """Return the probabilities to sample from: temperature first, then top-k, then renormalization.

    Args:
        temperature: 0 takes the most likely color every time.
        top_k: number of colors to keep; 0 keeps all.

    Raises:
        ValueError: if the temperature is negative or top_k is not a whole number.
    """
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.shape[-1]).to(logits.dtype)
    logits = filters.temperature(logits, temperature)
    return (filters.top_k(logits, top_k) if top_k else logits).softmax(-1)


@torch.inference_mode()
def generate_pictures(
    model: ImageGPT, given: Int[Tensor, "N S"], generator: torch.Generator, *, temperature: float = 1.0, top_k: int = 0
) -> GeneratedPictures:
    """Continue N pictures until each has all of its pixels.

    Keys and values of earlier pixels are cached, so a step computes only the newest pixel; the start token precedes
    the first one. For each pixel of each picture, the generator draws one number in [0, 1). The sampled color is the
    first one at which the cumulative probability exceeds that number.

    Args:
        model: its palette's colors have the ids from 0.
        given: the first S pixels of each picture, in the order in which the model writes; S may be 0.
        generator: source of randomness; the global generator is not used.
        temperature, top_k: see `sampling_probabilities`.

    Raises:
        ValueError: if more pixels are given than a picture has.
    """
    n_pixel, (n_row, n_given) = model.config.context_length, given.shape
    if n_given > n_pixel:
        raise ValueError(f"{n_given} pixels are more than the {n_pixel} of a picture")
    blocks = cast(Sequence[Block], model.blocks)
    cache = [
        _Table(block_to_functions(block), model.config.n_head, n_row, n_pixel, model.config.d_model) for block in blocks
    ]
    norm, unembed = plain_norm_function(model.norm), plain_linear_function(model.unembed)
    draws = torch.rand(n_pixel - n_given, n_row, 1, generator=generator)
    start = torch.full((n_row, 1), model.config.start_id)
    ids = torch.cat([start, given, torch.zeros(n_row, n_pixel - n_given, dtype=torch.long)], 1)  # (N, 1 + T)
    found = []
    first = 0
    for at in range(n_given, n_pixel):  # pixel `at` is predicted from the tokens up to position `at`
        x = model.tok_emb(ids[:, first : at + 1]) + model.pos_emb.weight[first : at + 1]  # (N, new, D)
        for table in cache:
            x = table.read(x, first)
        logits = unembed(norm(x[:, -1]))  # (N, C)
        reached = sampling_probabilities(logits, temperature, top_k).cumsum(-1)
        # Rounding may leave the sum just below 1; then the last color with any probability is taken.
        ids[:, at + 1] = (reached > draws[at - n_given] * reached[:, -1:]).int().argmax(-1)
        found.append(logits)
        first = at + 1
    n_color = model.config.vocab_size - 1
    return GeneratedPictures(ids[:, 1:], torch.stack(found, 1) if found else torch.zeros(n_row, 0, n_color))


def shift_pixels_right(model: ImageGPT, ids: Int[Tensor, "N T"]) -> Int[Tensor, "N T"]:
    """Return the model's input for predicting each pixel: the start token and all pixels but the last."""
    return torch.cat([torch.full_like(ids[:, :1], model.config.start_id), ids[:, :-1]], 1)


@torch.inference_mode()
def bits_per_pixel(model: ImageGPT, ids: Int[Tensor, "N T"]) -> Float[Tensor, "N T"]:
    """Return -log2 of the probability that the model gives each pixel, given the pixels before it.

    By the chain rule, their sum over a picture is -log2 of the probability of the whole picture.
    """
    logits = model(shift_pixels_right(model, ids))
    return F.cross_entropy(logits.flatten(0, 1), ids.flatten(), reduction="none").view(ids.shape) / math.log(2)


class _Table:
    """The KV cache of one block, and the block's arithmetic for the new tokens."""

    def __init__(self, block: BlockFunctions, n_head: int, n_row: int, n_place: int, d_model: int):
        self.block, self.n_head = block, n_head
        self.keys, self.values = torch.zeros(2, n_row, n_head, n_place, d_model // n_head).unbind()

    def read(self, x: Float[Tensor, "N T D"], first: int) -> Float[Tensor, "N T D"]:
        """Apply the block to new tokens from position `first` on, as `core.nn.block.Block` does with pre-norm."""
        n_row, n_new, width = x.shape
        end, flat = first + n_new, x.reshape(-1, width)
        qkv = self.block.project(self.block.norm_1(flat)).view(n_row, n_new, 3, self.n_head, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # (N, H, T, K) each
        self.keys[:, :, first:end], self.values[:, :, first:end] = k, v
        scores = q @ self.keys[:, :, :end].mT / math.sqrt(q.shape[-1])  # (N, H, T, S)
        if n_new > 1:
            ahead = torch.ones(n_new, end, dtype=torch.bool).triu(first + 1)
            scores = scores.masked_fill(ahead, -math.inf)
        mixed = (scores.softmax(-1) @ self.values[:, :, :end]).transpose(1, 2)
        flat = flat + self.block.w_o(mixed.reshape(flat.shape))
        assert self.block.mlp is not None
        return (flat + self.block.mlp(self.block.norm_2(flat))).view(x.shape)
