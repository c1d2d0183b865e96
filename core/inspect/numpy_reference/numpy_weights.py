"""Weights files as NumPy arrays, read without torch."""

from pathlib import Path

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize


def read_safetensors_as_numpy(path: Path) -> dict[str, Float[NDArray[np.float32], "..."]]:
    """Read all tensors of a safetensors file by name, as float32.

    Raises ValueError if it is not a safetensors file or a tensor's type is not F32, F16 or BF16, OSError if it cannot
    be read.

    Source: the format's description, huggingface/safetensors, README.
    """
    try:
        entries = deserialize(path.read_bytes())
    except SafetensorError as error:
        raise ValueError(f"{path.name} isn't a safetensors file: {error}") from error
    return {name: _numbers(name, entry["dtype"], entry["data"]).reshape(entry["shape"]) for name, entry in entries}


def _numbers(name: str, dtype: str, data: bytes) -> NDArray[np.float32]:
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32)
    if dtype not in ("F32", "F16"):
        raise ValueError(f"{name} is of type {dtype}; weights are F32, F16 or BF16")
    return np.frombuffer(data, "<f4" if dtype == "F32" else "<f2").astype(np.float32)
