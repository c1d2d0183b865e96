"""What the exhibits of the room look at: any model that is here."""

from core.exhibit import Inputs, custom
from core.inspect.reading.model_and_text import load_any
from core.inspect.reading.model_key import READERS, ModelKey
from core.models import registry
from core.models.imports import published


class Looked(Inputs):
    """A model that can be read, with or without a tokenizer."""

    key: ModelKey = custom("core.rooms.pretrained.shelf:choose", lambda _: ModelKey.at("stories"))


def kind_of(key: ModelKey) -> str:
    """The model's kind, of `core.ui.models.picker.FAMILIES`."""
    return published.kind_of(registry.to_dict(load_any(key).config))


def reads_text(key: ModelKey) -> bool:
    """Whether a text can be given to the model."""
    return load_any(key).tokenizer is not None and kind_of(key) in (*READERS, "rnn")
