"""Where a run computes and in which number format, chosen by the machine."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor, nn

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}

# Below this width a matrix product is too small for bfloat16 units to make up for the conversions.
_SMALLEST_BFLOAT16_WIDTH = 64


@dataclass(frozen=True)
class Placement:
    """Where a run computes.

    Args:
        device: "cuda", "mps" or "cpu".
        dtype: of the activations, "bfloat16" or "float32". Weights, gradient sums and losses stay in float32.
    """

    device: str
    dtype: str

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype={self.dtype!r} is none of {', '.join(DTYPES)}")


def place(device: str | None, d_model: int) -> Placement:
    """Choose the device, unless it is given ("cpu", "cuda", "mps"), and the number format that is fastest there.

    Raises ValueError if the device is not on this machine.
    """
    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device is None:
        device = next(name for name, here in present.items() if here)
    if not isinstance(device, str) or not present.get(device, False):
        here = ", ".join(name for name, is_here in present.items() if is_here)
        raise ValueError(f"device={device!r} is not on this machine; there is {here}")
    if device == "cuda":
        return Placement(device, "bfloat16")
    native = device == "cpu" and torch.cpu._is_avx512_bf16_supported() and d_model >= _SMALLEST_BFLOAT16_WIDTH
    return Placement(device, "bfloat16" if native else "float32")


def forward_in(model: nn.Module, dtype: str) -> Callable[[Tensor], Tensor]:
    """The model as a function of ids that computes in `dtype`; its parameters, and their gradients, stay in float32.

    Each call converts the parameters once; the gradients flow back through the conversion.
    """
    if dtype == "float32":
        return model

    def forward(ids: Tensor) -> Tensor:
        cast = {name: parameter.to(DTYPES[dtype]) for name, parameter in model.named_parameters()}
        return torch.func.functional_call(model, cast, (ids,))

    return forward


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Compute with one torch thread: faster for small models, and sums are always taken in the same order."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
