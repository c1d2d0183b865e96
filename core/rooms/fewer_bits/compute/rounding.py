"""A model whose matrices are rounded; positions, norms and biases stay as they are."""

from collections.abc import Collection, Mapping
from copy import deepcopy

import torch
from torch import Tensor, nn

from core.exhibit import NothingToShow
from core.rooms.fewer_bits.compute.quantise import quantise

# The parts of a GPT that are matrices, by the layer's name in it.
PARTS: Mapping[str, str] = {
    "tok_emb": "embedding",
    "w_q": "queries",
    "w_k": "keys",
    "w_v": "values",
    "w_o": "attention, out",
    "w_g": "attention, gate",
    "w_in": "feed-forward, in",
    "w_gate": "feed-forward, gate",
    "w_out": "feed-forward, out",
    "unembed": "unembedding",
}
WHOLE, HALF = 32, 16  # bits of float32, and of float16
MOST = 200_000_000  # weights: a second copy of them in float32 takes 0.8 GB


def part_of(name: str) -> str:
    """Which of `PARTS` a parameter belongs to; "" where it is none of them."""
    *_, layer, kind = ["", *name.split(".")]
    return layer if kind == "weight" and layer in PARTS else ""


def matrices(model: nn.Module) -> dict[str, nn.Parameter]:
    """The weights that are rounded, by name; where the unembedding is the embedding (tied), it stands there once."""
    return {name: weight for name, weight in model.named_parameters() if part_of(name)}


def in_bits(weight: Tensor, bits: int, scales: str) -> Tensor:
    """The weights as they come back from so many bits; 32: as they are, 16: as float16 keeps them."""
    weight = weight.detach().float()
    if bits == WHOLE:
        return weight
    return weight.half().float() if bits == HALF else quantise(weight, bits, scales).restored


def n_byte(n_weight: int, bits: int, n_scale: int) -> int:
    """Bytes of so many weights, packed without gaps, and of their scales in bfloat16."""
    return -(-n_weight * bits // 8) + 2 * n_scale


def rounded_weights(
    model: nn.Module, bits: int, scales: str, parts: Collection[str] = tuple(PARTS)
) -> dict[str, Tensor]:
    """The matrices of these parts as they come back, by name, in float32.

    Args:
        bits: of each weight: 32 and 16 are floating point, 8 to 2 whole numbers.
        scales: see `quantise`.

    Raises NothingToShow if the model is too large to be copied.
    """
    check_size(model)
    chosen = {name: weight for name, weight in matrices(model).items() if part_of(name) in parts}
    return {name: in_bits(weight, bits, scales) for name, weight in chosen.items()}


def rounded(model: nn.Module, bits: int, scales: str) -> nn.Module:
    """A copy of the model with all of its matrices rounded. Arguments and errors as of `rounded_weights`."""
    found = rounded_weights(model, bits, scales)
    copy = deepcopy(model)
    for name, weight in matrices(copy).items():
        weight.data = found[name]
    return copy.eval().requires_grad_(False)


def check_size(model: nn.Module) -> None:
    """Raises NothingToShow, in plain words, if the model is too large to be copied."""
    n = sum(weight.numel() for weight in model.parameters())
    if n > MOST:
        raise NothingToShow(
            f"This model has {n / 1e6:,.0f} million parameters. Rounding makes a copy of them, so at most "
            f"{MOST / 1e6:,.0f} million are possible here. Choose a smaller one."
        )


def bytes_of(model: nn.Module, bits: int, scales: str) -> int:
    """Bytes of all weights: packed levels and their scales in two bytes each; what is not rounded takes four."""
    n_rest = sum(weight.numel() for name, weight in model.named_parameters() if not part_of(name))
    found = 4 * n_rest
    for weight in matrices(model).values():
        if bits >= HALF:
            found += weight.numel() * bits // 8
        else:
            n_row, d_in = weight.shape
            n_scale = {"matrix": 1, "row": n_row, "group": n_row * -(-d_in // 32)}[scales]
            found += n_byte(weight.numel(), bits, n_scale)
    return found


def by_layer(model: nn.Module, part: str) -> list[Tensor]:
    """The matrix of a part in each layer; of experts, all of the layer below one another; outside of blocks, one."""
    found: dict[str, list[Tensor]] = {}
    for name, weight in matrices(model).items():
        if part_of(name) == part:
            layer = name.split(".")[1] if name.startswith("blocks.") else ""
            found.setdefault(layer, []).append(weight.detach().float())
    return [torch.cat(some) for some in found.values()]
