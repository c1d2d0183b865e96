"""Reading a safetensors file with suspicion: everything it says about itself is checked before a number is read.

A safetensors file is 8 bytes (the header's length), a JSON header (name -> type, shape, place) and the bare numbers. It
holds no code, and nothing here could run any.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.printable import has_no_surrogates

LABELS = module_labels(__name__)

MAX_HEADER = 4 * 2**20  # the format allows 100 MB; a model of 1,000 layers has under 2 MB
_FLOATS = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
_BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "F16": 2, "BF16": 2, "I16": 2, "U16": 2, "F32": 4, "I32": 4, "U32": 4,
          "F64": 8, "I64": 8, "U64": 8}  # fmt: skip

# A pickle of protocol 2 to 5, or the zip around one that torch writes. A true header's length may begin alike.
_PICKLED = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"PK\3\4")

# What people have in place of a model's file, by how it begins.
_LFS = b"version https://git-lfs.github.com/spec/"
LFS_PULL = LABELS["lfs_pull"]  # a command puts the folder that was typed into it
_PAGE = (b"<!doctype", b"<html", b"<head", b"<?xml")
_HUB_SAYS = (
    b"access to model", b"cannot access", b"entry not found", b"repository not found", b"invalid username",
    b"invalid cred", b"unauthorized", b"forbidden", b"401", b"403", b"404", b'{"error":', b'{"detail":', b'{"message":',
)  # fmt: skip
GGUF = LABELS["gguf"]

Shape = tuple[int, ...]


class ImportRefused(ValueError):
    """A model cannot be read; the message says why.

    Args:
        message: the reason, without a full stop.
        is_sentence: whether it is a sentence of its own; otherwise it continues one, as after a colon.
    """

    def __init__(self, message: str, *, is_sentence: bool = False) -> None:
        super().__init__(message)
        self.is_sentence = is_sentence


@dataclass(frozen=True)
class StoredTensor:
    """One tensor of a file: its entry in the header, and where its bytes begin."""

    path: Path
    name: str
    dtype: str
    shape: Shape
    start: int

    @property
    def n_number(self) -> int:
        return math.prod(self.shape)

    @property
    def n_byte(self) -> int:
        """Bytes in the file."""
        return self.n_number * _BYTES[self.dtype]

    def read(self, *, mapped: bool = False) -> Tensor:
        """Read the numbers as float32; if mapped, a matrix keeps its type and its bytes stay in the file until used.

        Raises ImportRefused if its numbers are no finite floats, or the file ends early.
        """
        if self.dtype not in _FLOATS:
            raise ImportRefused(
                LABELS("type", name=shorten_name(self.name), dtype=self.dtype, known=", ".join(_FLOATS))
            )
        dtype, mapped = _FLOATS[self.dtype], mapped and len(self.shape) > 1
        if mapped and self.n_byte and self.start % dtype.itemsize == 0:
            # Copy on write: what is written to the tensor never reaches the file.
            flat = torch.from_numpy(np.memmap(self.path, np.uint8, "c", self.start, (self.n_byte,))).view(dtype)
        else:
            flat = torch.empty(self.n_number, dtype=dtype)
            with self.path.open("rb") as file:
                file.seek(self.start)
                if file.readinto(flat.view(torch.uint8).numpy().data) != flat.nbytes:
                    raise ImportRefused(LABELS("ends", file=self.path.name, name=shorten_name(self.name)))
        if not all(bool(part.isfinite().all()) for part in flat.split(2**20)):  # in parts: `isfinite` takes memory too
            raise ImportRefused(LABELS("not_finite", name=shorten_name(self.name)))
        return (flat if mapped else flat.float()).reshape(self.shape)


def read_header(path: Path) -> dict[str, StoredTensor]:
    """Return the tensors of a file by name; their numbers are not read.

    Raises:
        ImportRefused: if the file is missing, cut short, or its header contradicts itself or the file.
    """
    check_not_lfs_pointer_or_html(path)
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(8)
        length = int.from_bytes(first, "little")
        if size < 8 or length > min(size - 8, MAX_HEADER):
            if first.startswith(_PICKLED):
                raise ImportRefused(LABELS("pickled", name=path.name))
            raise ImportRefused(LABELS("not_safetensors", name=path.name, length=length, size=size))
        raw = file.read(length)
    header = parse_json(raw, path.name)
    header.pop("__metadata__", None)
    tensors = {name: _stored(path, name, value, 8 + length) for name, value in header.items()}
    _check_places(path.name, tensors, 8 + length, size)
    return tensors


def check_names(
    found: Mapping[str, StoredTensor], required: Mapping[str, Shape], optional: Mapping[str, Shape]
) -> None:
    """Check that the file holds exactly the model's tensors, in their shapes. Raises ImportRefused."""
    if missing := [name for name in required if name not in found]:
        raise ImportRefused(_why_lacking(missing))
    if extra := [name for name in found if name not in required and name not in optional]:
        raise ImportRefused(LABELS("no_place", names=shorten_name_list(extra)))
    for name, one in found.items():
        expected = required[name] if name in required else optional[name]
        if one.shape != expected:
            raise ImportRefused(
                LABELS("other_shape", name=shorten_name(name), shape=shorten_name(str(one.shape)), expected=expected)
            )


_OUTPUT = ("lm_head", "embed_out", "unembed")
_PARTS = (("output_layer", _OUTPUT), ("embedding", ("wte", "tok_emb", "embed_tokens", "word_emb", "shared.")))


def _why_lacking(missing: list[str]) -> str:
    part = next((part for part, words in _PARTS if any(word in missing[0] for word in words)), "other")
    if all(name.startswith(("lm_head", "embed_out")) for name in missing):
        part = "saved_without"
    return LABELS(f"lacking.{part}", names=shorten_name_list(missing))


def check_not_lfs_pointer_or_html(path: Path) -> None:
    """Check that a file exists and is what its name says.

    Raises:
        ImportRefused: if it is missing, or something else stands in its place: a git-lfs pointer, a web page.
    """
    name = path.name
    if not path.is_file():
        if path.is_symlink():
            raise ImportRefused(LABELS("broken_link", name=name))
        raise ImportRefused(LABELS("no_file", name=name))
    with path.open("rb") as file:
        first = file.read(512).removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    if first.startswith(_LFS) or (first.startswith(b"version https://") and b"oid sha256:" in first):
        raise ImportRefused(LABELS("lfs_pointer", name=name, lfs_pull=LFS_PULL))
    if first.startswith(b"gguf"):
        raise ImportRefused(GGUF, is_sentence=True)
    if b"\0" in first[:16]:  # numbers, which may begin like a text
        return
    is_page = first.startswith(_PAGE) or (first.startswith(b"<") and name.endswith(".json"))
    if is_page or first.startswith(_HUB_SAYS):
        raise ImportRefused(LABELS("web_page" if is_page else "hub_answer", name=name))


def parse_json(raw: bytes, where: str) -> dict[str, object]:
    """Parse a JSON object without repeated keys, NaN or Infinity. Raises ImportRefused."""
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_unique, parse_constant=_no_constant)
        if not has_no_surrogates(raw, value):
            raise ValueError(LABELS["half_character"])
    except UnicodeDecodeError as error:
        raise ImportRefused(LABELS("not_utf8", where=where)) from error
    except (ValueError, RecursionError) as error:
        raise ImportRefused(LABELS("damaged", where=where, error=shorten_name(str(error)))) from error
    if not isinstance(value, dict):
        raise ImportRefused(LABELS("no_object", where=where))
    return value


def read_json(path: Path, max_bytes: int = 2**20) -> dict[str, Any]:
    """Read the JSON object of a small file. Raises ImportRefused if it is missing, too large, or no JSON object."""
    check_not_lfs_pointer_or_html(path)
    size = path.stat().st_size
    if size > max_bytes:
        raise ImportRefused(LABELS("too_large", name=path.name, size=size, most=max_bytes))
    if not size:
        raise ImportRefused(LABELS("empty", name=path.name))
    return parse_json(path.read_bytes(), path.name)


def is_count(value: object) -> bool:
    """Return whether a value from JSON is a whole number from 0 up (True and False are not)."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _stored(path: Path, full_name: str, value: object, data_start: int) -> StoredTensor:
    name = shorten_name(full_name)
    if not isinstance(value, dict) or set(value) != {"dtype", "shape", "data_offsets"}:
        raise ImportRefused(LABELS("not_described", file=path.name, name=name))
    dtype, shape, place = value["dtype"], value["shape"], value["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _BYTES:
        raise ImportRefused(LABELS("unknown_type", name=name, dtype=shorten_name(str(dtype))))
    if not isinstance(shape, list) or len(shape) > 8 or not all(is_count(n) for n in shape):
        raise ImportRefused(LABELS("impossible_shape", name=name))
    if not isinstance(place, list) or len(place) != 2 or not all(is_count(n) for n in place):
        raise ImportRefused(LABELS("impossible_place", name=name))
    if place[1] - place[0] != math.prod(shape) * _BYTES[dtype]:
        raise ImportRefused(LABELS("wrong_size", name=name, n=place[1] - place[0], shape=shorten_name(str(shape))))
    return StoredTensor(path, full_name, dtype, tuple(shape), data_start + place[0])


def _check_places(file: str, tensors: Mapping[str, StoredTensor], start: int, size: int) -> None:
    """Check that the tensors lie end to end: none overlap, nothing is hidden between or after them."""
    end = start
    for one in sorted(tensors.values(), key=lambda one: (one.start, one.n_number)):
        if one.start != end:
            raise ImportRefused(LABELS("gap", file=file, name=shorten_name(one.name)))
        end += one.n_byte
    if end != size:
        raise ImportRefused(LABELS("wrong_end", file=file, end=end, size=size))


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError(LABELS["twice"])
    return values


def _no_constant(name: str) -> float:
    raise ValueError(LABELS("constant", name=name))


def shorten_name_list(names: list[str]) -> str:
    """List the first three names and the number of others."""
    first = ", ".join(shorten_name(name) for name in names[:3])
    return first if len(names) <= 3 else LABELS("more", names=first, n=len(names) - 3)


def shorten_name(text: str, longest: int = 80) -> str:
    """Text from a foreign file, printable and short enough for a sentence."""
    text = "".join(char if char.isprintable() else "?" for char in text)
    return text if len(text) <= longest else text[:longest] + "…"
