"""Advice on folders mistaken for a model's: recognises each kind by its files, and says what to do next.

An adapter, a checkpoint one folder deeper, the hub's cache, a name on the hub in place of a path. Messages that are a
sentence of their own begin with a capital letter.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from core.data.files import read_start
from core.data.localization.labels import module_labels
from core.models.imports.model_folder_reader import (
    INDEX,
    WEIGHTS,
    has_weights_file,
    missing_weights_refusal,
)
from core.models.imports.weights_file import GGUF, LFS_PULL, ImportRefused, shorten_name

LABELS = module_labels(__name__)

ADAPTER_FILES = (
    "adapter_config.json", "adapter_model.safetensors", "adapter_model.bin", "pytorch_adapter.bin",
    "pytorch_lora_weights.safetensors", "adapters.safetensors", "adapters.npz",
)  # fmt: skip
ADAPTER = LABELS["adapter"]
_ADAPTER_TENSOR = re.compile(
    r"base_model\.model\.|.*\.(lora_[AB]|lora_embedding_[AB]|lora_magnitude_vector|ia3_l|base_layer|modules_to_save)\b"
    r"|prompt_embeddings"
)
_CACHED = "models--"  # begins the name of a model's folder in the hub's cache
_HUB_NAME = r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}"
FILE_ENDS = (".gguf", ".safetensors", ".json", ".bin", ".pt", ".pth")
_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".7z", ".rar", ".zst", ".xz", ".bz2")
MAX_FOLDERS = 300  # that are looked into at each depth


def check_folder(folder: Path) -> None:
    """Check that a folder looks like a model's. Raises ImportRefused, whose message says what to do next."""
    names = _names(folder)
    if is_adapter(names):
        raise ImportRefused(_why_adapter(names), is_sentence=True)
    if "config.json" not in names or not has_weights_file(names):
        raise incomplete_folder_refusal(folder)
    for name in ("config.json", WEIGHTS, INDEX):
        if name in names and not (folder / name).exists():
            raise ImportRefused(LABELS("broken_link", name=name))


def is_adapter(names: Collection[str]) -> bool:
    """Return whether some of the files belong to an adapter."""
    return any(name in names for name in ADAPTER_FILES)


def _why_adapter(names: Collection[str]) -> str:
    """Advice on an adapter, which may be in the same folder as its base model."""
    if "config.json" not in names or not has_weights_file(names):
        return ADAPTER
    files = " and ".join(name for name in ADAPTER_FILES if name in names)
    return LABELS("adapter_beside_base", files=files)


def refuse_adapter_tensors(names: Iterable[str]) -> None:
    """Raise ImportRefused if the names of some tensors are an adapter's."""
    if any(_ADAPTER_TENSOR.match(name) for name in names):
        raise ImportRefused(ADAPTER, is_sentence=True)


def incomplete_folder_refusal(folder: Path) -> ImportRefused:
    """Return the refusal of a folder without config.json or weights: why, and what to do next."""
    names = _names(folder)
    advice = _misplaced_model_advice(folder, names)
    if advice is None and "config.json" in names:
        if not (folder / "config.json").exists():
            return ImportRefused(LABELS["broken_link_config"])
        return missing_weights_refusal(folder)
    return ImportRefused(advice or _missing_config_advice(folder, names), is_sentence=True)


def _misplaced_model_advice(folder: Path, names: Collection[str]) -> str | None:
    if is_adapter(names):
        return _why_adapter(names)
    if below := next(_models_below(folder), None):
        return _open_below(folder, below)
    if repository := _cached_repository(folder):
        return LABELS("incomplete_download", repository=shorten_name(repository))
    return None


def _missing_config_advice(folder: Path, names: Collection[str]) -> str:
    above = _names(folder.parent)
    if "config.json" in above and has_weights_file(above):
        return LABELS["one_folder_up"]
    if any(name.lower().endswith(".gguf") for name in names):
        return GGUF
    if "params.json" in names:
        return LABELS["makers_layout"]
    if not names:
        return LABELS["empty"]
    if any(name.endswith((".safetensors", ".bin", ".pt", ".pth", ".h5", ".msgpack", ".onnx")) for name in names):
        return LABELS["beside_weights"]
    return LABELS["no_config"]


def missing_folder_advice(typed: str) -> str:
    """Advice if something other than a folder was typed: a file, an address, a name on the hub."""
    if Path(typed).exists():
        return file_instead_of_folder_advice(Path(typed).name)
    repository = parse_hub_name(typed)
    if repository and not (
        repository == typed.strip().rstrip("/") and Path(typed).parent.is_dir()
    ):  # else it is meant as a path
        name = repository.rpartition("/")[2]
        return LABELS("on_the_hub", repository=repository, name=name)
    return LABELS("no_folder", folder=shorten_name(typed, 200))


def add_folder_to_message(message: str, typed: str) -> str:
    """Put the folder that was typed into a message that tells the user to run something in it."""
    return message.replace(LFS_PULL, LABELS("lfs_pull_in", folder=shorten_name(typed, 200)))


def file_instead_of_folder_advice(name: str) -> str:
    """Advice on a file given in place of a folder, by its name."""
    if name.lower().endswith(".gguf"):
        return GGUF
    if name in ADAPTER_FILES:
        return ADAPTER
    if name.lower().endswith(_ARCHIVES):
        return LABELS("archive", name=shorten_name(name))
    if not name.lower().endswith(FILE_ENDS):
        return LABELS("other_file", name=shorten_name(name))
    return LABELS("file_of_model", name=shorten_name(name))


def parse_hub_name(typed: str) -> str | None:
    """Return the "owner/model" that was typed, or that an address of the hub contains."""
    typed = typed.strip().rstrip("/")
    if address := re.fullmatch(r"(?:https?:/+(?:www\.)?(?:huggingface|hf)\.co/|hf:/+)(.+)", typed):
        name = re.split(r"/(?:tree|blob|resolve|raw)/", address[1])[0]
        return name if re.fullmatch(rf"{_HUB_NAME}|[\w.-]{{1,96}}", name) else None
    return typed if re.fullmatch(_HUB_NAME, typed) else None


def _open_below(folder: Path, below: Path) -> str:
    place = shorten_name(below.relative_to(folder).as_posix(), 200)
    if is_adapter(_names(below)):
        return LABELS("adapter_below", place=place)
    n = sum(_checkpoint_number(one) >= 0 for one in _models_below(folder))
    if n > 1 and _checkpoint_number(below) >= 0:
        return LABELS("checkpoints_below", place=place, n=n)
    return LABELS("model_below", place=place)


def _models_below(folder: Path) -> Iterator[Path]:
    """Return folders with a model or an adapter, one level down and where the hub's cache has them, latest first."""
    level = [folder]
    for _ in range(4):
        inner = [one for outer in level[:MAX_FOLDERS] for one in _folders(outer)][:MAX_FOLDERS]
        for one in inner:
            names = _names(one)
            if is_adapter(names) or ("config.json" in names and any(name.endswith(_WEIGHT_ENDS) for name in names)):
                yield one
        level = [one for one in inner if one.name in ("hub", "snapshots") or one.name.startswith(_CACHED)]


_WEIGHT_ENDS = (".safetensors", ".safetensors.index.json", ".bin")


def _folders(outer: Path) -> list[Path]:
    """List a folder's subfolders without links: the latest checkpoint first, and the hub's newest version first."""
    try:
        inner = [Path(one.path) for one in os.scandir(outer) if one.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    try:
        newest = read_start(outer.parent / "refs" / "main", 80).decode().strip() if outer.name == "snapshots" else ""
    except (OSError, ValueError):
        newest = ""
    return sorted(inner, key=lambda one: (one.name != newest, -_checkpoint_number(one), one.name))


def _checkpoint_number(folder: Path) -> int:
    """Return the training step of a checkpoint folder of transformers' Trainer; -1 for any other folder."""
    found = re.fullmatch(r"checkpoint-(\d{1,18})", folder.name)
    return int(found[1]) if found else -1


def _cached_repository(folder: Path) -> str:
    """Return the model that a folder of the hub's cache belongs to, whole or one version; "" for any other folder."""
    for one in (folder, folder.parent.parent if folder.parent.name == "snapshots" else folder):
        if one.name.startswith(_CACHED):
            return one.name.removeprefix(_CACHED).replace("--", "/", 1)
    return ""


def _names(folder: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()
