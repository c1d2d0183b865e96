"""Inputs shared by the room's exhibits: any available model."""

from core.exhibit import Inputs, custom
from core.inspect.reading.model_and_text import load_any
from core.inspect.reading.model_key import READERS, ModelKey
from core.models import registry
from core.models.imports import published


class Looked(Inputs):
    """A model that can be opened, with or without a tokenizer."""

    key: ModelKey = custom("core.rooms.pretrained.shelf:choose", lambda _: ModelKey.at("stories"))


def kind_of(key: ModelKey) -> str:
    """Return the model's kind, one of `core.ui.models.picker.FAMILIES`."""
    return published.kind_of(registry.to_dict(load_any(key).config))


def reads_text(key: ModelKey) -> bool:
    """Return whether the model can read a text."""
    return load_any(key).tokenizer is not None and kind_of(key) in (*READERS, "rnn")
