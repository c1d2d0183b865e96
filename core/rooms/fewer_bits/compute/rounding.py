"""A model whose matrices are rounded; position embeddings, norms and biases are not."""

from collections.abc import Collection, Mapping

import torch
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import NothingToShow
from core.models.registry import with_weights
from core.rooms.fewer_bits.compute.quantize import quantize

LABELS = module_labels(__name__)

# The parts of a GPT that are matrices, by layer name.
PART_NAMES: Mapping[str, str] = {
    "tok_emb": LABELS["part.tok_emb"],
    "w_q": LABELS["part.w_q"],
    "w_k": LABELS["part.w_k"],
    "w_v": LABELS["part.w_v"],
    "w_o": LABELS["part.w_o"],
    "w_g": LABELS["part.w_g"],
    "w_in": LABELS["part.w_in"],
    "w_gate": LABELS["part.w_gate"],
    "w_out": LABELS["part.w_out"],
    "unembed": LABELS["part.unembed"],
}
FLOAT32_BITS, FLOAT16_BITS = 32, 16
MAX_PARAMETERS = 200_000_000  # a second copy of them in float32 takes 0.8 GB


def part_of(name: str) -> str:
    """Return which of `PART_NAMES` a parameter belongs to, or "" if it isn't rounded."""
    *_, layer, kind = ["", *name.split(".")]
    return layer if kind == "weight" and layer in PART_NAMES else ""


def weight_matrices(model: nn.Module) -> dict[str, nn.Parameter]:
    """Return the weights that are rounded, by name; a tied unembedding is the embedding and appears once."""
    return {name: weight for name, weight in model.named_parameters() if part_of(name)}


def round_to_bits(weight: Tensor, bits: int, scales: str) -> Tensor:
    """Round weights to this many bits and restore them; 32: unchanged, 16: as float16."""
    weight = weight.detach().float()
    if bits == FLOAT32_BITS:
        return weight
    return weight.half().float() if bits == FLOAT16_BITS else quantize(weight, bits, scales).restored


def _packed_bytes(n_weight: int, bits: int, n_scale: int) -> int:
    """Return the bytes of n_weight weights, packed without gaps, and of their scales in bfloat16."""
    return -(-n_weight * bits // 8) + 2 * n_scale


def round_weights(
    model: nn.Module, bits: int, scales: str, parts: Collection[str] = tuple(PART_NAMES)
) -> dict[str, Tensor]:
    """Round and restore the matrices of these parts, by name, in float32.

    Args:
        bits: per weight; 32 and 16 are floating point, 8 to 2 whole numbers.
        scales: see `quantize`.

    Raises NothingToShow if the model is too large to be copied.
    """
    check_copy_size(model)
    chosen = {name: weight for name, weight in weight_matrices(model).items() if part_of(name) in parts}
    return {name: round_to_bits(weight, bits, scales) for name, weight in chosen.items()}


def round_model(model: nn.Module, bits: int, scales: str) -> nn.Module:
    """Return a copy of the model with all of its matrices rounded. Arguments and errors as in `round_weights`."""
    return with_weights(model, round_weights(model, bits, scales))


def check_copy_size(model: nn.Module) -> None:
    """Raise NothingToShow if the model is too large to be copied."""
    n = sum(weight.numel() for weight in model.parameters())
    if n > MAX_PARAMETERS:
        raise NothingToShow(LABELS("too_large", n=n / 1e6, most=MAX_PARAMETERS / 1e6))


def model_bytes(model: nn.Module, bits: int, scales: str) -> int:
    """Count the bytes of all weights: packed levels, two bytes per scale, and four per weight that isn't rounded."""
    n_rest = sum(weight.numel() for name, weight in model.named_parameters() if not part_of(name))
    found = 4 * n_rest
    for weight in weight_matrices(model).values():
        if bits >= FLOAT16_BITS:
            found += weight.numel() * bits // 8
        else:
            n_row, d_in = weight.shape
            n_scale = {"matrix": 1, "row": n_row, "group": n_row * -(-d_in // 32)}[scales]
            found += _packed_bytes(weight.numel(), bits, n_scale)
    return found


def matrices_by_layer(model: nn.Module, part: str) -> list[Tensor]:
    """Return a part's matrix in each layer; experts of a layer are stacked; outside of the blocks there is only one."""
    found: dict[str, list[Tensor]] = {}
    for name, weight in weight_matrices(model).items():
        if part_of(name) == part:
            layer = name.split(".")[1] if name.startswith("blocks.") else ""
            found.setdefault(layer, []).append(weight.detach().float())
    return [torch.cat(some) for some in found.values()]
