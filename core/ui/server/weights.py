"""Weights for the browser: the models that it can run, as files whose names are made of their content.

    offer(key)      # {"url": "weights/0f3a….safetensors", "config": {…}, "tokenizer": {…}}, or None

They lie in the data folder, so that every process of a server can answer. The name is a digest of 128 bits: nobody
guesses it, and who knows it was shown the model.
"""

import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from safetensors.numpy import save

from core.cache import memoize
from core.data.files import data_dir, write_atomic
from core.inspect.reading.model_and_text import load
from core.inspect.reading.model_key import ModelKey

MOST_PARAMETERS = 5_000_000  # more make a page wait, for the file and for each pass
MOST_BYTES = 500_000_000  # of all files kept; then those go that nobody has asked for longest
_NAME = re.compile(r"[0-9a-f]{32}\.safetensors")


def offer(key: ModelKey) -> dict[str, Any] | None:
    """What the browser needs to run a model of the list of models; None where it cannot: the server computes then.

    Raises ModelUnreadable, in plain words, as `load` does.
    """
    told = _offer(key)
    if told is not None and find(Path(told["url"]).name) is None:  # it had to make room since
        _keep(load(key).model)
    return told


@memoize(64)
def _offer(key: ModelKey) -> dict[str, Any] | None:
    found = load(key)
    return offer_model(found.model, found.tokenizer)


def offer_model(model: Any, tokenizer: Any = None) -> dict[str, Any] | None:
    """The same of a model that was trained just now."""
    from core.data import tokenizers  # these take a second, and the server must be there before
    from core.models.registry import to_dict
    from core.ui.server.engine_knows import engine_knows

    if not engine_knows(model.config) or sum(one.numel() for one in model.parameters()) > MOST_PARAMETERS:
        return None
    readable = json.loads(tokenizers.to_bytes(tokenizer)) if isinstance(tokenizer, tokenizers.Own) else None
    return {"url": _keep(model), "config": to_dict(model.config), "tokenizer": readable}


def find(name: str) -> Path | None:
    """The file of this name, or None."""
    path = _folder() / name
    if _NAME.fullmatch(name) is None or not path.is_file():
        return None
    with suppress(OSError):  # another process may have made room just now
        os.utime(path)  # it is in use
    return path


def _keep(model: Any) -> str:
    return keep(save({name: one.detach().float().cpu().numpy() for name, one in model.named_parameters()}))


def keep(content: bytes) -> str:
    """The address of a safetensors file of this content; it is written where it is not there yet."""
    name = f"{hashlib.sha256(content).hexdigest()[:32]}.safetensors"
    path = _folder() / name
    if not path.is_file():
        write_atomic(path, content)
        _make_room()
    return f"weights/{name}"


def _make_room() -> None:
    kept: list[tuple[float, int, Path]] = []
    for path in _folder().glob("*.safetensors"):
        with suppress(OSError):  # another process makes room, too
            kept.append((path.stat().st_mtime, path.stat().st_size, path))
    n_byte = 0
    for _, size, path in sorted(kept, reverse=True):
        n_byte += size
        if n_byte > MOST_BYTES:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    folder = data_dir() / "weights"
    folder.mkdir(parents=True, exist_ok=True)
    return folder
