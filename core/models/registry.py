"""Every architecture by name: from a config, or from its JSON, to a model with weights drawn from a seed."""

from dataclasses import asdict
from typing import Any

import torch

from core.models.gpt import GPT, GPTConfig
from core.nn.block import BlockStyle

CONFIGS: dict[str, type] = {"gpt": GPTConfig}
_MODELS: dict[type, type[GPT]] = {GPTConfig: GPT}


def build(config: Any, seed: int = 0) -> GPT:
    """A model of the config's architecture, its weights drawn from the seed.

    Args:
        config: one of the classes in `CONFIGS`.
        seed: of the generator that draws the weights; the global one is not used.

    Raises:
        ValueError: if the config is of no registered class.
    """
    if type(config) not in _MODELS:
        raise ValueError(f"{type(config).__name__} is no registered config; there are {', '.join(CONFIGS)}")
    model = _MODELS[type(config)](config)
    model.init_weights(torch.Generator().manual_seed(seed))
    return model


def to_dict(config: Any) -> dict[str, Any]:
    """The config as plain JSON values, with its architecture under "kind"."""
    kind = next(kind for kind, cls in CONFIGS.items() if cls is type(config))
    return {"kind": kind, **asdict(config)}


def from_dict(values: dict[str, Any]) -> Any:
    """The config that `to_dict` wrote.

    Raises:
        ValueError: if the kind is unknown, a field is unknown or missing, or a value is not allowed.
    """
    values = dict(values)
    kind = values.pop("kind", None)
    if kind not in CONFIGS:
        raise ValueError(f"kind={kind!r} is no architecture here; there are {', '.join(CONFIGS)}")
    try:
        if isinstance(values.get("block"), dict):
            values["block"] = BlockStyle(**values["block"])
        if values.get("slopes") is not None:
            values["slopes"] = tuple(values["slopes"])
        return CONFIGS[kind](**values)
    except TypeError as error:
        raise ValueError(f"the config of this {kind} does not fit: {error}") from error
