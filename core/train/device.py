"""The device and the number format of a run, chosen to suit the machine."""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor, nn

from core.data.files import data_dir, write_atomic
from core.nn.attention import attend
from core.nn.masks import causal

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}

# Below this width a matrix product is too small for bfloat16 units to make up for the conversions.
_SMALLEST_BFLOAT16_WIDTH = 64
_CLEARLY_FASTER = 0.9  # of float32's time, so that a near tie always goes to float32, however busy the machine is


@dataclass(frozen=True)
class Placement:
    """The device and the number format of a run.

    Args:
        device: "cuda", "mps" or "cpu".
        dtype: of the activations, "bfloat16" or "float32". Weights, gradient sums and losses stay in float32.
    """

    device: str
    dtype: str

    def __post_init__(self) -> None:
        if self.dtype not in DTYPES:
            raise ValueError(f"dtype={self.dtype!r} is not one of {', '.join(DTYPES)}")


def choose_placement(device: str | None, d_model: int) -> Placement:
    """Choose the device, unless it is given ("cpu", "cuda", "mps"), and the number format that is the fastest on it.

    Raises ValueError if the device is not on this machine.
    """
    present = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if device is None:
        device = next(name for name, here in present.items() if here)
    if not isinstance(device, str) or not present.get(device, False):
        here = ", ".join(name for name, is_here in present.items() if is_here)
        raise ValueError(f"device={device} is not on this machine; there is {here}")
    if device == "cuda":
        return Placement(device, "bfloat16")
    native = device == "cpu" and torch.cpu._is_avx512_bf16_supported() and d_model >= _SMALLEST_BFLOAT16_WIDTH
    return Placement(device, "bfloat16" if native and _kept_choice(min(d_model, 512)) else "float32")


@cache
def _kept_choice(d_model: int) -> bool:
    """Return this machine's result of the trial, stored so that the same seed gives the same curve in every process."""
    kept = data_dir() / f"bfloat16-{torch.__version__}-{d_model}.txt"
    with contextlib.suppress(OSError):
        return kept.read_text() == "faster"
    is_faster = _bfloat16_is_faster(d_model)
    with contextlib.suppress(OSError):
        write_atomic(kept, b"faster" if is_faster else b"slower")
    return is_faster


def _bfloat16_is_faster(d_model: int) -> bool:
    """Return whether a block of this width learns faster in bfloat16 on this CPU, by a trial of a quarter second.

    A processor's having units for bfloat16 doesn't mean that they are fast. The trial takes the best of a few
    alternating passes, in CPU time of this thread, so that other work on the machine matters little.
    """
    with single_torch_thread():
        took = [[_pass_seconds(d_model, dtype) for dtype in ("float32", "bfloat16")] for _ in range(4)]
    single, half = (min(seconds) for seconds in zip(*took[1:], strict=True))  # the first ones allocate
    return half < _CLEARLY_FASTER * single


def _pass_seconds(d_model: int, dtype: str) -> float:
    """Return the CPU time of a forward and backward pass through a plain block; the values don't matter."""
    n_head = max(1, d_model // 32)
    x = torch.full((max(1, 2048 // d_model), 64, n_head * 32), 0.01)  # (B, T, D)
    weights = [torch.full(shape, 0.01, requires_grad=True) for shape in ((x.shape[2], 4 * x.shape[2]),) * 2]
    before = time.thread_time()
    x, wide, narrow = (one.to(DTYPES[dtype]) for one in (x, *weights))
    heads = (x @ wide).unflatten(2, (4 * n_head, 32)).transpose(1, 2)  # (B, 4 H, T, 32)
    q, k, v, _ = heads.chunk(4, 1)
    mixed, _ = attend(q, k, v, causal(64))
    x = x + mixed.transpose(1, 2).flatten(2)
    x = x + torch.relu(x @ wide).square() @ narrow.mT
    x.float().mean().backward()
    return time.thread_time() - before


def make_forward_in_dtype(model: nn.Module, dtype: str) -> Callable[..., Tensor]:
    """Return the model as a function of ids that computes in `dtype`; parameters and gradients stay in float32.

    Each call converts the parameters once; the gradients flow back through the conversion.
    """
    if dtype == "float32":
        return model

    def forward(*given: Tensor) -> Tensor:
        cast = {name: parameter.to(DTYPES[dtype]) for name, parameter in model.named_parameters()}
        return torch.func.functional_call(model, cast, given)  # noqa: TID251 (only the trainer has this model)

    return forward


@contextlib.contextmanager
def single_torch_thread() -> Iterator[None]:
    """Compute with one torch thread, which is faster for small models, and keeps the order of sums the same."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class LossCUDAGraph:
    """A CUDA graph of `loss_of(starts)` and the gradient of the model's parameters, for batches of one shape.

    Args:
        loss_of: returns the loss of a batch, given where its windows begin; nothing else may differ between two steps.
        model: on a CUDA device.
        starts: any batch, for the shape.

    Raises RuntimeError: if a part can't be recorded, for example because it copies from the CPU.

    Source: PyTorch's "CUDA semantics", section CUDA graphs: whole-network capture.
    """

    def __init__(self, loss_of: Callable[[Tensor], Tensor], model: nn.Module, starts: Tensor):
        self.starts, self.parameters = starts.clone(), list(model.parameters())
        aside = torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(3):  # first-time allocations must not be recorded
                model.zero_grad()
                loss_of(self.starts).backward()
        torch.cuda.current_stream().wait_stream(aside)
        model.zero_grad()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.loss = loss_of(self.starts)
            self.loss.backward()
        self.gradients = [w.grad for w in self.parameters]

    def run(self, starts: Tensor) -> Tensor:
        """Return the loss of a batch; the parameters hold its gradient until the next call."""
        self.starts.copy_(starts)
        for w, gradient in zip(self.parameters, self.gradients, strict=True):
            w.grad = gradient
        self.graph.replay()
        return self.loss.detach().clone()
