"""The numbers of a weights file as NumPy arrays, read without torch: a safetensors file is a JSON header and bytes."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_HEADER = 4 * 2**20  # bytes, as in core.models.imports.weights_file


def read_weights(path: Path) -> dict[str, NDArray[np.float32]]:
    """All tensors of a safetensors file by name, as float32.

    The file was read once before, by `core.models.pretrained`, which checks all that it says of itself.

    Raises:
        ValueError: if a tensor is of a type other than F32, F16 and BF16, or the header is too long.
        OSError: if the file cannot be read.
    """
    raw = path.read_bytes()
    length = int.from_bytes(raw[:8], "little")
    if length > min(MAX_HEADER, len(raw) - 8):
        raise ValueError(f"{path.name} has no header of a safetensors file")
    header: dict[str, Any] = json.loads(raw[8 : 8 + length])
    header.pop("__metadata__", None)
    return {name: _numbers(name, entry, raw, 8 + length) for name, entry in header.items()}


def _numbers(name: str, entry: dict[str, Any], raw: bytes, start: int) -> NDArray[np.float32]:
    count, at = math.prod(entry["shape"]), start + entry["data_offsets"][0]
    if entry["dtype"] == "BF16":  # the upper half of a float32
        halves = np.frombuffer(raw, "<u2", count, at).astype(np.uint32) << 16
        return halves.view(np.float32).reshape(entry["shape"])
    if entry["dtype"] not in ("F32", "F16"):
        raise ValueError(f"{name} is of type {entry['dtype']}; weights are F32, F16 or BF16")
    kind = "<f4" if entry["dtype"] == "F32" else "<f2"
    return np.frombuffer(raw, kind, count, at).reshape(entry["shape"]).astype(np.float32)
