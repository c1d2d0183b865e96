"""Stored summaries of the watched tensors at one step: a map small enough for a browser, a histogram, a few numbers.

Norm, mean and the rest are of the whole tensor. If that is too large, its map has only every k-th row and column; each
number in the map is one of the tensor's. All maps of a step share `MOST_CELLS`, so that no run fills a disk.
"""

import json
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import UInt8, UInt16
from numpy.typing import NDArray

MOST_CELLS = 36_864  # of all maps of a step, a byte each
MOST_MAPS = 12  # of one tensor, such as its heads
LONGEST_SIDE = 96  # of a map
N_BIN = 41
LEVELS = 254  # of a byte; another value marks numbers that aren't finite
EMPTY = 255


@dataclass(frozen=True, eq=False)
class TensorSummary:
    """One tensor at one step."""

    name: str  # in full, such as "update:blocks.0.attn.w_q"
    shape: tuple[int, ...]  # of the whole tensor
    norm: float | None  # Euclidean; this and the other numbers are None if they aren't finite
    mean: float | None  # mean, deviation, low, high: of its elements
    deviation: float | None
    low: float | None
    high: float | None
    # share of the indices along its last axis at which it is 0 everywhere: inactive units
    silent: float | None
    ratio: float | None  # norm over the norm of its weights before the step; only of an update
    stride: tuple[int, int, int]  # in maps, rows and columns, between those that are stored
    limit: float  # the value of the highest level of the map
    is_signed: bool  # whether the levels run from -limit to limit, or from 0
    map: UInt8[np.ndarray, "M R C"]  # (M, R, C) levels, see `values`
    # how many of 65,535 elements are in each of 41 equal bins from low to high
    histogram: UInt16[np.ndarray, " n_bin"]

    @property
    def values(self) -> NDArray[np.float64]:
        """Return the numbers of the map (M, R, C), rounded to its levels; nan where they were not finite."""
        middle = LEVELS / 2 if self.is_signed else 0
        values = (self.map.astype(float) - middle) / (LEVELS - middle) * self.limit
        return np.where(self.map == EMPTY, np.nan, values)


def summarize_tensor(
    name: str, values: NDArray[np.floating], n_cell: int, before: float | None = None
) -> TensorSummary:
    """Summarize a tensor for storage.

    Args:
        values: the whole tensor, without a batch dimension.
        n_cell: the largest number of cells in its map.
        before: for an update, the norm of the weights before it.
    """
    shape = tuple(int(n) for n in values.shape)
    numbers = np.asarray(values, np.float32)
    finite = np.isfinite(numbers)
    is_finite = bool(finite.all())
    some = numbers if is_finite else numbers[finite]
    low, high = (float(some.min()), float(some.max())) if some.size else (0.0, 0.0)
    norm = float(np.linalg.norm(some.ravel().astype(np.float64)))
    told = _told(some) if is_finite else {"norm": None, "mean": None, "deviation": None}
    folded = numbers.reshape(_three(shape))
    stride = _map_strides(folded.shape, n_cell)
    part = folded[:: stride[0], :: stride[1], :: stride[2]][:MOST_MAPS]
    levels, limit, is_signed = _levels(part)
    return TensorSummary(
        name=name,
        shape=shape,
        **(told | ({"norm": norm} if is_finite else {})),
        low=low if is_finite else None,
        high=high if is_finite else None,
        silent=float((numbers.reshape(-1, shape[-1]) == 0).all(0).mean()) if len(shape) > 1 else None,
        ratio=norm / before if before and is_finite else None,
        stride=stride,
        limit=limit,
        is_signed=is_signed,
        map=levels,
        histogram=_histogram(some, low, high),
    )


def _told(values: NDArray[np.float32]) -> dict[str, float | None]:
    return {
        "mean": float(values.mean(dtype=np.float64)),
        "deviation": float(values.std(dtype=np.float64)),
    }


def _three(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Return a shape as maps, rows and columns; a vector is one row."""
    rows, columns = (1, *shape)[-2:] if shape else (1, 1)
    return math.prod(shape[:-2]), rows, columns


def split_cell_budget(sizes: Sequence[int], n_cell: int) -> list[int]:
    """Divide n_cell cells among the maps of tensors: large ones share the cells that small ones don't need."""
    room, left = [0] * len(sizes), n_cell
    for n_left, k in zip(range(len(sizes), 0, -1), sorted(range(len(sizes)), key=lambda k: sizes[k]), strict=True):
        room[k] = max(1, min(sizes[k], left // n_left))
        left -= room[k]
    return room


def _map_strides(shape: tuple[int, ...], n_cell: int) -> tuple[int, int, int]:
    """Return the strides in maps, rows and columns that leave about n_cell cells."""
    maps, rows, columns = shape
    most = max(1, n_cell // min(maps, MOST_MAPS))
    row, column = -(-rows // LONGEST_SIDE), -(-columns // LONGEST_SIDE)
    while -(-rows // row) * -(-columns // column) > most:
        if -(-rows // row) >= -(-columns // column):
            row += 1
        else:
            column += 1
    return 1, row, column


def _levels(values: NDArray[np.float32]) -> tuple[UInt8[np.ndarray, "M R C"], float, bool]:
    finite = np.isfinite(values)
    known = np.where(finite, values, 0).astype(np.float64)
    limit, is_signed = float(np.abs(known).max(initial=0)), bool((known < 0).any())
    middle = LEVELS / 2 if is_signed else 0
    share = known / limit if limit else known
    return np.where(finite, np.rint(middle + share * (LEVELS - middle)), EMPTY).astype(np.uint8), limit, is_signed


def _histogram(values: NDArray[np.float32], low: float, high: float) -> UInt16[np.ndarray, " n_bin"]:
    if not values.size:
        return np.zeros(N_BIN, np.uint16)
    if high <= low:
        place = np.full(values.size, N_BIN // 2)
    else:  # a tenth of the time of np.histogram
        place = ((values.ravel() - low) * (N_BIN / (high - low))).astype(np.int32).clip(0, N_BIN - 1)
    counts = np.bincount(place, minlength=N_BIN)
    return np.rint(counts / values.size * 65_535).astype(np.uint16)


@dataclass(frozen=True, eq=False)
class WatchFrame:
    """The watched tensors at one step; `query` is the request for them."""

    step: int
    query: str
    tensors: tuple[TensorSummary, ...]

    def to_bytes(self) -> bytes:
        """Write it as bytes: header length (4 bytes, little-endian), header (JSON), maps and histograms (zlib)."""
        header = {"step": self.step, "query": self.query, "tensors": [_about(one) for one in self.tensors]}
        text = json.dumps(header, allow_nan=False).encode()
        blocks = [one.map.tobytes() + one.histogram.astype("<u2").tobytes() for one in self.tensors]
        return len(text).to_bytes(4, "little") + text + zlib.compress(b"".join(blocks))

    @classmethod
    def from_bytes(cls, data: bytes) -> "WatchFrame":
        """Read the result of `to_bytes`. Raises ValueError if the bytes are something else."""
        try:
            n_header = int.from_bytes(data[:4], "little")
            header = json.loads(data[4 : 4 + n_header])
            block, tensors = memoryview(zlib.decompress(data[4 + n_header :])), []
            for about in header["tensors"]:
                one, block = _tensor(about, block)
                tensors.append(one)
            return cls(int(header["step"]), str(header["query"]), tuple(tensors))
        except (ValueError, KeyError, TypeError, AttributeError, zlib.error) as error:
            raise ValueError(f"these {len(data)} bytes aren't stored tensors") from error


_NUMBERS = ("norm", "mean", "deviation", "low", "high", "silent", "ratio", "limit")


def _about(one: TensorSummary) -> dict[str, object]:
    numbers = {name: getattr(one, name) for name in _NUMBERS}
    rest = {name: getattr(one, name) for name in ("name", "shape", "stride", "is_signed")}
    return rest | {name: v if v is None else float(f"{v:.6g}") for name, v in numbers.items()} | {"map": one.map.shape}


def _tensor(about: dict[str, Any], block: memoryview) -> tuple[TensorSummary, memoryview]:
    size: Sequence[int] = about.pop("map")
    n = math.prod(size)
    levels = np.frombuffer(block[:n], np.uint8).reshape(size)
    bins = np.frombuffer(block[n : n + 2 * N_BIN], "<u2").astype(np.uint16)
    about |= {"shape": tuple(about["shape"]), "stride": tuple(about["stride"])}
    return TensorSummary(**about, map=levels, histogram=bins), block[n + 2 * N_BIN :]
