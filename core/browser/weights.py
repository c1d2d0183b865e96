"""Weights for the browser: the models that it can run, as files named by a hash of their content.

    offer(key)      # {"url": "weights/0f3a….safetensors", "config": {…}, "tokenizer": {…}}, or None

The files are in the data folder, so that every process of a server can serve them. The weights of a run, or of a model
that a user opened, are in its own folder, so they are deleted with it. The name is a digest of 128 bits, in these
folders with the id as prefix. It can't be guessed, so whoever knows it has seen the model.
"""

import hashlib
import json
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save
from torch import nn

from core.data.files import data_dir, write_atomic
from core.data.localization.labels import module_labels
from core.data.tokenizers.tokenizer_base import Tokenizer
from core.exhibit import memoize
from core.inspect.model_inputs.model_and_text import load_text_model
from core.inspect.model_inputs.model_key import ModelKey, ModelUnreadable

LABELS = module_labels(__name__)

_MAX_PARAMETERS = 5_000_000  # with more, the file and each forward pass would make the page wait
MAX_STORED_BYTES = 500_000_000  # of all files; beyond it, the least recently used are deleted
_NAME = re.compile(r"(?:(o?[0-9a-f]{16})-)?[0-9a-f]{32}\.safetensors", re.ASCII)


def offer_weights(key: ModelKey) -> dict[str, object] | None:
    """Return everything the browser needs to run a model; None if it can't run it, so the server computes.

    Raises ModelUnreadable like `load`.
    """
    told = _offer(key)
    if told is not None and find_weights(Path(told["url"]).name) is None:  # it has been deleted to make room
        _keep(load_text_model(key).model, _stored_model_id(key))
    return told


def _stored_model_id(key: ModelKey) -> str:
    """Return the id of the key's run or opened model; "" for a model that is never deleted."""
    return key.name if key.is_run or key.is_opened else ""


@memoize(64)
def _offer(key: ModelKey) -> dict[str, Any] | None:
    found = load_text_model(key)
    return export_model_for_browser(found.model, found.tokenizer, of=_stored_model_id(key))


def export_model_for_browser(
    model: nn.Module, tokenizer: Tokenizer | None = None, *, of: str = ""
) -> dict[str, object] | None:
    """Offer a model that was just trained. `of`: see `_store_weights`."""
    from core.browser.model_engine_support import engine_supports
    from core.data import tokenizers  # takes a second to import, and the server must start before
    from core.models.registry import flat_settings

    if not engine_supports(model.config) or sum(one.numel() for one in model.parameters()) > _MAX_PARAMETERS:
        return None
    readable = (
        json.loads(tokenizers.tokenizer_to_bytes(tokenizer))
        if isinstance(tokenizer, tokenizers.OWN_TOKENIZERS)
        else None
    )
    return {"url": _keep(model, of), "config": flat_settings(model.config), "tokenizer": readable}


def find_weights(name: str) -> Path | None:
    """Return the file of this name, or None."""
    found = _NAME.fullmatch(name)
    home = _home(found[1] or "") if found is not None else None
    if home is None or not (path := home / "weights" / name).is_file():
        return None
    with suppress(OSError):  # another process may just have deleted it
        os.utime(path)  # mark it as recently used
    return path


def _keep(model: nn.Module, of: str) -> str:
    return _store_weights(
        save({name: one.detach().float().cpu().numpy() for name, one in model.named_parameters()}), of
    )


def _store_weights(content: bytes, of: str = "") -> str:
    """Return the address of a safetensors file with this content; the file is written if it does not exist.

    Args:
        of: the id of the run or the opened model to which it belongs and with which it is deleted; "": none.

    Raises:
        ModelUnreadable: if that run or model has been deleted.
    """
    name = f"{of}-{_digest(content)}" if of else _digest(content)
    home = _home(of)
    if home is None:
        raise ModelUnreadable(LABELS["model_gone"])
    path = home / "weights" / name
    if not path.is_file():
        write_atomic(path, content)
        if of and set(home.glob("*")) <= {path.parent}:  # the rest has been deleted meanwhile
            shutil.rmtree(home, ignore_errors=True)
            raise ModelUnreadable(LABELS["model_gone"])
        _make_room()
    return f"weights/{name}"


def _digest(content: bytes) -> str:
    return f"{hashlib.sha256(content).hexdigest()[:32]}.safetensors"


def _home(of: str) -> Path | None:
    """Return the folder of a run or an opened model, None if it is deleted; for "", the data folder."""
    if not of:
        return data_dir()
    places = data_dir().glob(f"opened/*/{of}" if of.startswith("o") else f"runs/{of}")
    return next(places, None)


def _make_room() -> None:
    kept: list[tuple[float, int, Path]] = []
    for folder in ("", "runs/*/", "opened/*/*/"):
        for path in data_dir().glob(f"{folder}weights/*.safetensors"):
            with suppress(OSError):  # another process may be deleting files, too
                kept.append((path.stat().st_mtime, path.stat().st_size, path))
    n_byte = 0
    for _, size, path in sorted(kept, reverse=True):
        n_byte += size
        if n_byte > MAX_STORED_BYTES:
            path.unlink(missing_ok=True)


def training_film_url(key: ModelKey) -> str | None:
    """Return the address of a model's training film; None if its training was not recorded."""
    film = _film(key, len(_frames(key)))
    return None if film is None else _store_weights(film, _stored_model_id(key))


@memoize(16)
def _film(key: ModelKey, n_frame: int) -> bytes | None:
    from core.train.watch.behavior_snapshots import RunFrame

    frames = [RunFrame.from_bytes(path.read_bytes()) for path in _frames(key)]
    if len(frames) < 2 or not frames[-1].attention.size:
        return None
    told = {
        "steps": [one.step for one in frames],
        "losses": [one.loss if one.val_loss is None else one.val_loss for one in frames],
        "samples": [one.sample for one in frames],
        "tokens": frames[-1].tokens,
    }
    attention = np.stack([one.attention for one in frames])
    return save({"attention": attention}, {"film": json.dumps(told)})


def _frames(key: ModelKey) -> list[Path]:
    """Return the files of the film's frames: in the folder of a model that ships, or next to a run's checkpoint."""
    folder = key.folder.parent if key.folder.name == "checkpoint" else key.folder
    return sorted((folder / "frames").glob("*.frame"))
