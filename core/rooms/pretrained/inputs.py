"""Inputs shared by the room's exhibits: any available model."""

from core.exhibit import Inputs, custom_control
from core.inspect.model_inputs.model_and_text import load_any_model
from core.inspect.model_inputs.model_key import READER_KINDS, ModelKey
from core.models import registry
from core.models.imports import published


class ModelInputs(Inputs):
    """A model that can be opened, with or without a tokenizer."""

    key: ModelKey = custom_control("core.rooms.pretrained.model_choice:choose_model", lambda _: ModelKey.at("stories"))


def model_kind(key: ModelKey) -> str:
    """Return the model's kind, one of `core.ui.models.picker.TITLES`."""
    return published.model_kind(registry.to_dict(load_any_model(key).config))


def reads_text(key: ModelKey) -> bool:
    """Return whether the model can read a text."""
    return load_any_model(key).tokenizer is not None and model_kind(key) in (*READER_KINDS, "rnn")
