"""The training of a model as one file for the browser: attention in one sentence at some sixty steps, what it wrote."""

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from core.browser.weights import id_of, keep
from core.exhibit import memoize
from core.inspect.reading.model_key import ModelKey


def offer_film(key: ModelKey) -> str | None:
    """Its address; None for a model whose training was not recorded."""
    film = _film(key, len(_frames(key)))
    return None if film is None else keep(film, id_of(key))


@memoize(16)
def _film(key: ModelKey, n_frame: int) -> bytes | None:
    from core.train.snapshots import Frame

    frames = [Frame.from_bytes(path.read_bytes()) for path in _frames(key)]
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
    """Files of its frames: in the folder of a model that ships, and beside the checkpoint of a run."""
    folder = key.folder.parent if key.folder.name == "checkpoint" else key.folder
    return sorted((folder / "frames").glob("*.frame"))
