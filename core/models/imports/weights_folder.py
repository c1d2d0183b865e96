"""All weights of a folder, in one safetensors file or in several, found and measured before any is read."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from core.models.imports import weights_file
from core.models.imports.weights_file import Entry, ImportRefused, read_header, read_json, read_tensor, shown, some

WEIGHTS = "model.safetensors"
INDEX = f"{WEIGHTS}.index.json"
MAX_SHARDS = 100
MAX_TENSORS = 50_000  # of all files together; a model of 1,000 layers has under 20,000
MAX_INDEX = 4 * 2**20  # bytes; that of a model of 1,000 layers has under 2 MB


@dataclass(frozen=True)
class Stored:
    """One tensor: its file, its name there, and what the file says of it."""

    path: Path
    name: str
    entry: Entry

    @property
    def n_byte(self) -> int:
        """Bytes in the file."""
        return weights_file.n_byte(self.entry)

    @property
    def n_number(self) -> int:
        """How many numbers it has."""
        return math.prod(self.entry.shape)

    def read(self, *, mapped: bool = False) -> Tensor:
        """The numbers: as float32; or mapped, matrices in the type that they have, see `read_tensor`.

        Raises ImportRefused if they are no finite floats.
        """
        return read_tensor(self.path, self.name, self.entry, mapped=mapped and len(self.entry.shape) > 1)


def inside(folder: Path, name: str) -> Path:
    """A file of the folder, which no link may lead out of.

    The one exception is Hugging Face's own cache, whose snapshots are links to its blobs.

    Raises:
        ImportRefused: if the name has a path in it, or a link leads elsewhere.
    """
    if not re.fullmatch(r"[\w-][\w.-]{0,150}", name, re.ASCII):
        raise ImportRefused(f"{shown(repr(name))} isn't the name of a file in this folder")
    path = folder / name
    try:
        home, real = folder.resolve(), path.resolve()
    except (OSError, RuntimeError) as error:  # links that go round in a circle
        raise ImportRefused(f"{name} is a link that leads nowhere") from error
    if real.parent == home:
        return path
    if home.parent.name == "snapshots" and real.parent == home.parent.parent / "blobs":
        return path
    raise ImportRefused(f"{name} is a link to a place outside the folder")


def find(folder: Path) -> dict[str, Stored]:
    """What the folder's weight files hold, without reading any of it.

    Raises:
        ImportRefused: if there are none, they are damaged, or contradict the index.
    """
    if inside(folder, WEIGHTS).is_file():
        return _headers([inside(folder, WEIGHTS)])
    if inside(folder, INDEX).is_file():
        return _sharded(folder)
    raise ImportRefused(_why_none(folder))


def _sharded(folder: Path) -> dict[str, Stored]:
    places = read_json(inside(folder, INDEX), MAX_INDEX).get("weight_map")
    if not isinstance(places, dict) or not places or not all(isinstance(file, str) for file in places.values()):
        raise ImportRefused(f"{INDEX} does not say which tensor is in which file")
    files = sorted(set(places.values()))
    if len(files) > MAX_SHARDS:
        raise ImportRefused(f"the weights are in {len(files):,} files; at most {MAX_SHARDS} are read")
    if wrong := [file for file in files if not file.endswith(".safetensors")]:
        raise ImportRefused(f"{INDEX} names {some(wrong)}; weights are read from safetensors files only")
    found = _headers([inside(folder, file) for file in files])
    if wrong := [name for name in found if places.get(name) != found[name].path.name]:
        raise ImportRefused(f"{INDEX} says otherwise where {some(wrong)} lies")
    if missing := [name for name in places if name not in found]:
        raise ImportRefused(f"the files lack {some(missing)}, which {INDEX} names")
    return found


def _headers(paths: list[Path]) -> dict[str, Stored]:
    found: dict[str, Stored] = {}
    for path in paths:
        entries = read_header(path)
        if twice := [name for name in entries if name in found]:
            raise ImportRefused(f"{some(twice)} is both in {found[twice[0]].path.name} and in {path.name}")
        found |= {name: Stored(path, name, entry) for name, entry in entries.items()}
        if len(found) > MAX_TENSORS:  # each takes memory, however small it says it is
            raise ImportRefused(f"the weights are more than {MAX_TENSORS:,} tensors")
    return found


def _why_none(folder: Path) -> str:
    if any(next(folder.glob(f"*{end}"), None) for end in (".bin", ".pt", ".pth", ".pkl", ".ckpt")):
        return (
            f"there is no {WEIGHTS}; files of pickled weights (.bin, .pt, .pth) can run programs when opened "
            "and are never read here"
        )
    return f"there is no file {WEIGHTS}"
