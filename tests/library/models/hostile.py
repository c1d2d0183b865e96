"""Shared parts of the tests of hostile folders: a folder is corrupted, and refused at once with a clear message."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.models.pretrained import ImportRefused, load
from tests.counts import at_most

Spoil = Callable[[Path], object]


class Bomb:
    """Its pickle leaves a mark when it is opened."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (open, ("exploded", "w"))


def config(**values: Any) -> Spoil:
    """Values changed in a folder's config."""

    def spoil(folder: Path) -> None:
        old = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(old | values))

    return spoil


def raw_config(content: bytes) -> Spoil:
    return lambda folder: (folder / "config.json").write_bytes(content)


def raw_weights(content: bytes) -> Spoil:
    return lambda folder: (folder / "model.safetensors").write_bytes(content)


def header(raw: bytes) -> bytes:
    """Write a weights file that only has a header."""
    return struct.pack("<Q", len(raw)) + raw


def check_refused(folder: Path, words: str) -> None:
    with at_most(1.0), pytest.raises(ImportRefused, match=words) as refusal:
        load(folder)
    message = str(refusal.value)
    assert refusal.value.is_sentence <= message[:1].isupper(), "what continues a sentence begins small"
    assert len(message) < 420 and message.isprintable() and "Traceback" not in message
    assert not list(folder.parent.glob("**/exploded"))
