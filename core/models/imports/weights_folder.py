"""All weights of a folder, in one safetensors file or in several, found and measured before any is read."""

import json
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from torch import Tensor

from core.data.files import read_start
from core.models.imports import weights_file
from core.models.imports.weights_file import (
    GGUF,
    UNPICKLE,
    Entry,
    ImportRefused,
    read_header,
    read_json,
    read_tensor,
    shown,
    some,
)

WEIGHTS = "model.safetensors"
INDEX = f"{WEIGHTS}.index.json"
SHARD = re.compile(r"model-(\d{5})-of-(\d{5})\.safetensors")
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
        raise ImportRefused(f"{name} is a link that leads nowhere: download the model again") from error
    if real.parent == home:
        return path
    if home.parent.name == "snapshots" and real.parent == home.parent.parent / "blobs":
        return path
    raise ImportRefused(f"{name} is a link to a place outside the folder: copy the file itself into the folder")


def find(folder: Path) -> dict[str, Stored]:
    """What the folder's weight files hold, without reading any of it.

    Raises:
        ImportRefused: if there are none, they are damaged, or contradict the index.
    """
    if inside(folder, WEIGHTS).is_file() or (folder / WEIGHTS).is_symlink():  # a link that leads nowhere is told
        return _headers([inside(folder, WEIGHTS)])
    if inside(folder, INDEX).is_file():
        return _sharded(folder)
    names = [one.name for one in folder.iterdir()]
    if shards := shards_in(names):
        return _headers([inside(folder, name) for name in shards])
    raise ImportRefused(why_no_weights(folder))


def has_weights(names: Collection[str]) -> bool:
    """Whether a folder with files of these names has weights that may be read."""
    return WEIGHTS in names or INDEX in names or any(SHARD.fullmatch(name) for name in names)


def shards_in(names: Collection[str]) -> list[str]:
    """The files of weights that are in several files, in their order, by the numbers in their names; [] if none are.

    Raises:
        ImportRefused: if one is missing, or they are of two models.
    """
    found = sorted(name for name in names if SHARD.fullmatch(name))
    totals = sorted({name[-17:-12] for name in found})
    if len(totals) > 1:
        raise ImportRefused(
            f"the weights are of two models, {found[0]} and {found[-1]}: leave the files of one in the folder"
        )
    n = int(totals[0]) if totals else 0
    if n > MAX_SHARDS:
        raise ImportRefused(f"the weights are in {n:,} files; at most {MAX_SHARDS} are read")
    wanted = [f"model-{k:05}-of-{n:05}.safetensors" for k in range(1, n + 1)]
    if missing := [name for name in wanted if name not in found]:
        raise ImportRefused(f"the weights are incomplete: download {some(missing)}, too")
    if extra := [name for name in found if name not in wanted]:
        raise ImportRefused(f"{some(extra)} is none of {n} files of weights: remove it from the folder")
    return wanted


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


_OTHERS = {
    (".bin", ".pt", ".pth", ".pkl", ".ckpt"): f"pickled weights, which {UNPICKLE}",
    (".h5",): "weights of TensorFlow, which aren't read here",
    (".msgpack",): "weights of Flax, which aren't read here",
    (".onnx",): "a graph in ONNX, which isn't read here",
    (".npz",): "weights of NumPy or MLX, which aren't read here",
}
TRANSFORMERS = "download the version for transformers, with config.json; on the hub its name often ends in -hf"
_NOT_WEIGHTS = ("training_args.bin", "optimizer.bin", "scheduler.bin", "rng_state.pth", "optimizer.pt", "scheduler.pt")


def why_no_weights(folder: Path) -> str:
    """Why a folder has no weights that are read, and what to do next."""
    names = sorted(one.name for one in folder.iterdir() if one.name not in _NOT_WEIGHTS)
    lower = [name.lower() for name in names]
    if any(name.endswith(".gguf") for name in lower):
        return GGUF
    if any(name.startswith("consolidated") for name in lower):
        return f"there is no file {WEIGHTS}, only weights in their makers' own layout: {TRANSFORMERS}"
    for name in names:
        if name.endswith(".safetensors") and name != WEIGHTS:
            return f"there is no file {WEIGHTS}, but there is {shown(name)}: rename it to {WEIGHTS}"
    for ends, what in _OTHERS.items():
        if any(name.endswith(ends) for name in lower):
            return (
                f"there is no file {WEIGHTS}, only {what}. Where you trust the files, convert them in Python with "
                f"transformers: `{_class_of(folder)}.from_pretrained(folder).save_pretrained(folder)`; or look on the "
                f"hub for the same model with {WEIGHTS}"
            )
    return f"there is no file {WEIGHTS}, only the config: download the weights, too, from where it came"


def _class_of(folder: Path) -> str:
    """The class of transformers that a config names, as only that one reads all of the weights."""
    try:
        name = json.loads(read_start(folder / "config.json", 100_000))["architectures"][0]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return "AutoModelForCausalLM"
    return name if isinstance(name, str) and name.isidentifier() and len(name) < 60 else "AutoModelForCausalLM"
