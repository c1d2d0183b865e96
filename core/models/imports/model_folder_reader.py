"""A model's folder, Hugging Face's or ours: its config, the index and the headers of its weights, each read once."""

import json
import re
from collections.abc import Collection
from functools import cached_property
from pathlib import Path
from typing import Any

from core.data.files import read_start
from core.data.localization.labels import module_labels
from core.models.imports.weights_file import (
    GGUF,
    ImportRefused,
    StoredTensor,
    read_header,
    read_json,
    shorten_name,
    shorten_name_list,
)

LABELS = module_labels(__name__)

WEIGHTS = "model.safetensors"
INDEX = f"{WEIGHTS}.index.json"
SHARD = re.compile(r"model-(\d{5})-of-(\d{5})\.safetensors")
MAX_SHARDS = 100
MAX_TENSORS = 50_000  # of all files together; a model of 1,000 layers has under 20,000
MAX_INDEX = 4 * 2**20  # bytes; that of a model of 1,000 layers has under 2 MB


class ModelFolder:
    """A folder with config.json, weights and maybe a tokenizer. Each file is opened when it is asked for, and once.

    Everything it says raises ImportRefused if the file is missing or damaged, or OSError if it cannot be opened.
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)

    def file(self, name: str) -> Path:
        """Return a file of the folder. No link may lead out of it.

        The one exception is Hugging Face's own cache, whose snapshots are links to its blobs.

        Raises:
            ImportRefused: if the name has a path in it, or a link leads elsewhere.
        """
        if not re.fullmatch(r"[\w-][\w.-]{0,150}", name, re.ASCII):
            raise ImportRefused(LABELS("not_a_name", name=shorten_name(repr(name))))
        path = self.path / name
        try:
            home, real = self.path.resolve(), path.resolve()
        except (OSError, RuntimeError) as error:  # links that go round in a circle
            raise ImportRefused(LABELS("broken_link", name=name)) from error
        if real.parent == home:
            return path
        if home.parent.name == "snapshots" and real.parent == home.parent.parent / "blobs":
            return path
        raise ImportRefused(LABELS("link_outside", name=name))

    @cached_property
    def config(self) -> dict[str, Any]:
        """The values of config.json."""
        return read_json(self.file("config.json"))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the answers that a classifying head chooses from, in the order of its logits; () without one."""
        names = self.config.get("id2label")
        if not isinstance(names, dict) or sorted(names) != sorted(str(n) for n in range(len(names))):
            return ()
        return tuple(shorten_name(str(names[str(n)])) for n in range(len(names)))

    @property
    def is_multi_label(self) -> bool:
        """True if a text can have several of a head's labels at once."""
        return bool(self.config.get("problem_type") == "multi_label_classification")

    @property
    def left_out(self) -> str:
        """The part of the model that is not read although it computes with it, as a sentence; "": there is none."""
        sees = self.config.get("model_type") == "gemma3"
        return LABELS["gemma_sees"] if sees else ""

    @cached_property
    def tensors(self) -> dict[str, StoredTensor]:
        """Every tensor of the weight files by its name; only their headers are read, and held against the index."""
        if self.file(WEIGHTS).is_file() or (self.path / WEIGHTS).is_symlink():  # a link that leads nowhere is told
            return self._headers([WEIGHTS])
        if self.file(INDEX).is_file():
            return self._indexed()
        if shards := list_shards([one.name for one in self.path.iterdir()]):
            return self._headers(shards)
        raise missing_weights_refusal(self.path)

    def _indexed(self) -> dict[str, StoredTensor]:
        places = read_json(self.file(INDEX), MAX_INDEX).get("weight_map")
        if not isinstance(places, dict) or not places or not all(isinstance(file, str) for file in places.values()):
            raise ImportRefused(LABELS("no_places", index=INDEX))
        files = sorted(set(places.values()))
        if len(files) > MAX_SHARDS:
            raise ImportRefused(LABELS("too_many_files", n=len(files), most=MAX_SHARDS))
        if wrong := [file for file in files if not file.endswith(".safetensors")]:
            raise ImportRefused(LABELS("other_files", index=INDEX, names=shorten_name_list(wrong)))
        found = self._headers(files)
        if wrong := [name for name in found if places.get(name) != found[name].path.name]:
            raise ImportRefused(LABELS("wrong_places", index=INDEX, names=shorten_name_list(wrong)))
        if missing := [name for name in places if name not in found]:
            raise ImportRefused(LABELS("tensors_missing", names=shorten_name_list(missing), index=INDEX))
        return found

    def _headers(self, names: list[str]) -> dict[str, StoredTensor]:
        found: dict[str, StoredTensor] = {}
        for path in [self.file(name) for name in names]:
            here = read_header(path)
            if twice := [name for name in here if name in found]:
                raise ImportRefused(
                    LABELS("twice", names=shorten_name_list(twice), first=found[twice[0]].path.name, second=path.name)
                )
            found |= here
            if len(found) > MAX_TENSORS:  # each takes memory, however small it says it is
                raise ImportRefused(LABELS("too_many_tensors", most=MAX_TENSORS))
        return found


def has_weights_file(names: Collection[str]) -> bool:
    """Return whether files with these names include weights that may be read."""
    return WEIGHTS in names or INDEX in names or any(SHARD.fullmatch(name) for name in names)


def list_shards(names: Collection[str]) -> list[str]:
    """Return the shards of weights that are split into several files, in order of their numbers; [] if there are none.

    Raises:
        ImportRefused: if one is missing, or they are of two models.
    """
    found = sorted(name for name in names if SHARD.fullmatch(name))
    totals = sorted({name[-17:-12] for name in found})
    if len(totals) > 1:
        raise ImportRefused(LABELS("two_models", first=found[0], second=found[-1]))
    n = int(totals[0]) if totals else 0
    if n > MAX_SHARDS:
        raise ImportRefused(LABELS("too_many_files", n=n, most=MAX_SHARDS))
    wanted = [f"model-{k:05}-of-{n:05}.safetensors" for k in range(1, n + 1)]
    if missing := [name for name in wanted if name not in found]:
        raise ImportRefused(LABELS("files_missing", names=shorten_name_list(missing)))
    if extra := [name for name in found if name not in wanted]:
        raise ImportRefused(LABELS("extra_files", names=shorten_name_list(extra), n=n))
    return wanted


_OTHERS = {
    (".bin", ".pt", ".pth", ".pkl", ".ckpt"): LABELS["other.pickled"],
    (".h5",): LABELS["other.tensorflow"],
    (".msgpack",): LABELS["other.flax"],
    (".onnx",): LABELS["other.onnx"],
    (".npz",): LABELS["other.numpy"],
}
_NOT_WEIGHTS = ("training_args.bin", "optimizer.bin", "scheduler.bin", "rng_state.pth", "optimizer.pt", "scheduler.pt")


def missing_weights_refusal(folder: Path) -> ImportRefused:
    """Return the refusal of a folder without readable weights: why, and what to do next."""
    names = sorted(one.name for one in folder.iterdir() if one.name not in _NOT_WEIGHTS)
    lower = [name.lower() for name in names]
    if any(name.endswith(".gguf") for name in lower):
        return ImportRefused(GGUF, is_sentence=True)
    if any(name.startswith("consolidated") for name in lower):
        return ImportRefused(LABELS("makers_layout", weights=WEIGHTS))
    for name in names:
        if name.endswith(".safetensors") and name != WEIGHTS:
            return ImportRefused(LABELS("rename", weights=WEIGHTS, name=shorten_name(name)))
    for ends, what in _OTHERS.items():
        if any(name.endswith(ends) for name in lower):
            return ImportRefused(LABELS("only_others", weights=WEIGHTS, what=what, model_class=_class_of(folder)))
    return ImportRefused(LABELS("only_config", weights=WEIGHTS))


def _class_of(folder: Path) -> str:
    """Return the class of transformers that a config names; only that class reads all the weights."""
    try:
        name = json.loads(read_start(folder / "config.json", 100_000))["architectures"][0]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return "AutoModelForCausalLM"
    return name if isinstance(name, str) and name.isidentifier() and len(name) < 60 else "AutoModelForCausalLM"
