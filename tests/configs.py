"""Configs of models for tests that keep their options in tables."""

import dataclasses
from typing import Any

from core.models import registry
from core.models.configs.modern import OPTION_NAMES
from core.models.gpt import GPTConfig


def gpt(**settings: Any) -> GPTConfig:
    """Return the config of a GPT from one flat table, as recipes have it."""
    config = registry.from_dict({"kind": "gpt", **settings})
    assert isinstance(config, GPTConfig)
    return config


def changed(config: Any, **settings: Any) -> Any:
    """Return the config with some settings changed, whether they are a GPT's own or today's options."""
    if not isinstance(config, GPTConfig):
        return dataclasses.replace(config, **settings)
    today = {name: value for name, value in settings.items() if name in OPTION_NAMES}
    own = {name: value for name, value in settings.items() if name not in OPTION_NAMES}
    return dataclasses.replace(config, modern=dataclasses.replace(config.modern, **today), **own)
