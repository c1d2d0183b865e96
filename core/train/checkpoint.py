"""Checkpoints: one file, `run.safetensors`, holds a whole run: all tensors and, as JSON in its header, everything else.

In addition, `export_model` writes the files for viewing the model: config.json, model.safetensors, recipe.json,
tokenizer.json. Files are replaced atomically, and reading one can never execute code, because nothing is pickled.
"""

import json
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_safetensors
from torch import Tensor

from core.data.files import write_atomic
from core.data.localization.labels import module_labels
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.models import registry
from core.models.imports.weights_file import ImportRefused, read_json

LABELS = module_labels(__name__)


CHECKPOINT_FILE = "run.safetensors"
FILES = (CHECKPOINT_FILE, "config.json", "model.safetensors", "recipe.json", "tokenizer.json")
VERSION = 1


class CheckpointDamaged(ValueError):
    """The checkpoint can't be read; the message says why."""


def write_checkpoint(folder: Path, tensors: Mapping[str, Tensor], facts: Mapping[str, object]) -> None:
    """Write the run's only checkpoint, replacing the one before it: tensors, and facts as JSON values."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    header = {"facts": json.dumps(dict(facts)), "version": str(VERSION), "checksum": str(_checksum(tensors))}
    write_atomic(folder / CHECKPOINT_FILE, to_safetensors(tensors, header))


def read_checkpoint(folder: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Read the tensors and the facts that `write_checkpoint` wrote.

    Raises:
        FileNotFoundError: if there is no checkpoint in the folder.
        CheckpointDamaged: if the file is cut short, changed, or written by a newer version.
    """
    path = folder / CHECKPOINT_FILE
    if not path.exists():
        raise FileNotFoundError(f"there is no {CHECKPOINT_FILE} in the folder {folder}")
    try:
        with safe_open(str(path), framework="pt") as file:
            header = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (no mapping)
        version, checksum, facts = int(header["version"]), int(header["checksum"]), json.loads(header["facts"])
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise CheckpointDamaged(LABELS("cut_short", file=CHECKPOINT_FILE)) from error
    if version > VERSION:
        raise CheckpointDamaged(LABELS("newer", file=CHECKPOINT_FILE, version=version, newest=VERSION))
    if checksum != _checksum(tensors):
        raise CheckpointDamaged(LABELS("other_numbers", file=CHECKPOINT_FILE))
    return tensors, facts


def export_model(
    folder: Path,
    parameters: Mapping[str, Tensor],
    config: Mapping[str, object],
    tokenizer: Tokenizer,
    about: Mapping[str, object],
) -> None:
    """Write the model as `core.models.pretrained.load` reads it.

    Args:
        parameters: name -> weight; a tied output layer is left out, because it is the embedding.
        config: from `core.models.registry.to_dict`.
        about: how the model was made: recipe, seed, step, losses.
    """
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: weight.detach().cpu().contiguous() for name, weight in parameters.items()}
    write_atomic(folder / "model.safetensors", to_safetensors(weights))
    write_atomic(folder / "config.json", json.dumps(dict(config), indent=1).encode())
    write_atomic(folder / "recipe.json", json.dumps(dict(about), indent=1).encode())
    tokenizer.save(folder)


def checkpoint_folder_kind(folder: Path) -> Literal["nothing", "run", "model", "other"]:
    """Return whether a folder holds a run that can continue, a finished model, neither, or another program's model.

    "nothing" means that none of our file names is taken; other files may be there.
    """
    present = [name for name in FILES if (folder / name).exists()]
    if not present or present == [CHECKPOINT_FILE]:
        return "run" if present else "nothing"
    with suppress(ImportRefused, OSError):
        config, about = read_json(folder / "config.json"), read_json(folder / "recipe.json")
        if config.get("kind") in registry.CONFIGS and isinstance(about.get("recipe"), dict):
            return "run" if CHECKPOINT_FILE in present else "model"
    return "other"


def is_own_model_folder(folder: Path) -> bool:
    """Return whether a folder holds a run or a model that we have written."""
    return checkpoint_folder_kind(folder) in ("run", "model")


def _checksum(tensors: Mapping[str, Tensor]) -> int:
    """Return the CRC-32 of all tensors' bytes, in the order of their names; safetensors itself has no checksum."""
    crc = 0
    for name in sorted(tensors):
        crc = zlib.crc32(tensors[name].reshape(-1).view(torch.uint8).numpy().data, crc)
    return crc
