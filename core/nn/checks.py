"""Checks of tensors that callers pass in, following the rules of `core.data.checks`."""

import numpy as np
import torch
from torch import Tensor

from core.data.checks import check_float, describe_value


def check_floats(name: str, x: object, wanted: str, n_dim: int | None = None, width: int | None = None) -> None:
    """Check that x is a float tensor of n_dim dimensions (None: at least one), the last of size width (None: any).

    `wanted` is the shape in letters, for the message: "(B, T, D)". Raises TypeError if x is not a float tensor,
    ValueError if its shape is wrong.
    """
    if not isinstance(x, Tensor) or not x.is_floating_point():
        raise TypeError(f"{name} must be a torch tensor of floats {wanted}, not {describe_value(x)}")
    if (x.ndim != n_dim if n_dim is not None else x.ndim == 0) or (width is not None and x.shape[-1] != width):
        size = "" if width is None else f" with a last dimension of {width}"
        raise ValueError(f"{name} must be {wanted}{size}, not {describe_value(x)}")


def as_ids(name: str, given: object, wanted: str, n_dim: int | None = None) -> Tensor:
    """Convert integers (a tensor, an array or lists) to a tensor of n_dim dimensions (None: any).

    Raises TypeError for any other kind of object, ValueError if it holds anything but integers or has the wrong shape.
    """
    if isinstance(given, Tensor):
        x = given
    elif isinstance(given, np.ndarray | list | tuple | range) or type(given) is int:
        try:
            array = np.asarray(given)
        except ValueError:
            raise ValueError(f"{name} must be {wanted}, but its rows have different lengths") from None
        if array.size and array.dtype.kind not in "iu":
            raise ValueError(f"{name} must be whole numbers {wanted}, not {describe_value(given)} of {array.dtype}")
        x = torch.from_numpy(array.astype(np.int64))
    else:
        raise TypeError(f"{name} must be whole numbers {wanted}, not {describe_value(given)}")
    if x.is_floating_point() or x.is_complex() or x.dtype is torch.bool:
        raise ValueError(f"{name} must be whole numbers {wanted}, not {describe_value(given)}")
    if n_dim is not None and x.ndim != n_dim:
        raise ValueError(f"{name} must be {wanted}, not {describe_value(given)}")
    return x


def check_id_range(name: str, x: Tensor, n: int) -> None:
    """Raise ValueError unless ids are within 0 to n - 1. Skipped on a GPU, where the check would make the CPU wait."""
    if x.device.type != "cpu" or not x.numel():
        return
    low, high = (int(one) for one in x.aminmax())
    if low < 0 or high >= n:
        raise ValueError(f"{name} must lie within 0..{n - 1}, got {low}..{high}")


def check_mask(given: object, shape: torch.Size) -> None:
    """Check an attention mask: boolean, else TypeError, and broadcastable to the scores, else ValueError."""
    if not isinstance(given, Tensor) or given.dtype is not torch.bool:
        raise TypeError(
            f"mask must be a boolean torch tensor, True for what may be attended, not {describe_value(given)}"
        )
    _broadcasts("mask", given, shape)


def check_padding_mask(given: object, shape: torch.Size | None = None) -> None:
    """Check a padding mask (B, S) or None: boolean, else TypeError, and of the given shape, else ValueError."""
    if given is None:
        return
    if not isinstance(given, Tensor) or given.dtype is not torch.bool or given.ndim != 2:
        raise TypeError(
            f"mask must be a boolean torch tensor (B, S), True where there is a token, not {describe_value(given)}"
        )
    if shape is not None and given.shape != shape:
        raise ValueError(f"mask must be of the shape of the ids {tuple(shape)}, not {describe_value(given)}")


def check_attention_inputs(q: object, k: object, v: object, bias: object, scale: object) -> None:
    """Check that the shapes and types of queries, keys and values match. Raises TypeError or ValueError if not."""
    for name, x, letters in (("q", q, "(B, H, T, K)"), ("k", k, "(B, H, S, K)"), ("v", v, "(B, H, S, K_v)")):
        check_floats(name, x, letters)
    assert isinstance(q, Tensor) and isinstance(k, Tensor) and isinstance(v, Tensor)
    shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise ValueError(f"q, k and v must be (B, H, positions, width), got {shapes}")
    if q.shape[-1] != k.shape[-1] or k.shape[-2] != v.shape[-2]:
        raise ValueError(f"q and k must have one width, k and v one number of positions; got {shapes}")
    if not q.dtype == k.dtype == v.dtype:
        raise TypeError(f"q, k and v must have one type of numbers, got {q.dtype}, {k.dtype} and {v.dtype}")
    try:
        batch = torch.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    except RuntimeError:
        raise ValueError(f"q, k and v must have one B and one H, got {shapes}") from None
    if bias is not None:
        check_floats("bias", bias, "(B, H, T, S)")
        assert isinstance(bias, Tensor)
        _broadcasts("bias", bias, torch.Size((*batch, q.shape[-2], k.shape[-2])))
    if scale is not None:
        check_float("scale", scale)


def _broadcasts(name: str, x: Tensor, shape: torch.Size) -> None:
    ends = zip(reversed(x.shape), reversed(shape), strict=False)
    if x.ndim > len(shape) or any(one not in (1, other) for one, other in ends):
        raise ValueError(f"{name} of shape {tuple(x.shape)} does not broadcast to the scores {tuple(shape)}")
