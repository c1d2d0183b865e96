"""Every architecture by name: from a config, or from its JSON, to a model with weights drawn from a seed.

Every config says two things of its architecture, as a field where there is a choice and as a constant where there is
none, so that nobody has to guess them from a model's parts:

- `positions`: how it is told where a token stands, one of `core.nn.positions.POSITIONS`; of an encoder-decoder, in both
  halves. A recurrent net has "none": it reads one token after the other.
- `causal`: whether later tokens are hidden from earlier ones; of an encoder-decoder, where it writes.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from core.data.checks import whole
from core.models import bert, captioner, gpt, image_gpt, multiscale, rnn, seq2seq, t5, transformer, vit
from core.models.configs.family import ModelFamily
from core.models.configs.from_plain import from_plain

FAMILIES: dict[str, ModelFamily] = {
    one.FAMILY.kind: one.FAMILY
    for one in (gpt, bert, t5, transformer, rnn, seq2seq, vit, image_gpt, multiscale, captioner)
}
CONFIGS: dict[str, type] = {kind: family.config for kind, family in FAMILIES.items()}
_BY_CONFIG = {family.config: family for family in FAMILIES.values()}


def family_of(model_or_config: Any) -> ModelFamily:
    """What the kind of a model, or of a config, says of itself.

    Raises:
        ValueError: if it is of no registered class.
    """
    config = getattr(model_or_config, "config", model_or_config)
    if type(config) not in _BY_CONFIG:
        raise ValueError(f"{type(config).__name__} is no registered config; there are {', '.join(CONFIGS)}")
    return _BY_CONFIG[type(config)]


def build(config: Any, seed: int = 0) -> Any:
    """A model of the config's architecture, its weights drawn from the seed; the global generator is not used.

    Raises:
        ValueError: if the config is of no class in `CONFIGS`.
    """
    whole("seed", seed)
    model = empty(config)
    fill(model, {name: torch.empty(place.shape) for name, place in model.named_parameters()})
    model.init_weights(torch.Generator().manual_seed(seed))
    return model


def empty(config: Any) -> Any:
    """The same without memory: names and shapes on the meta device, to be filled."""
    with torch.device("meta"), _Unwritten():
        return family_of(config).model(config)


class _Unwritten(TorchFunctionMode):
    """torch's own start of the weights is left out: without memory there is nothing to write.

    Asking for it all the same costs the first caller 0.7 s: torch then loads a computer algebra system.
    """

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        if func in (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_):
            return given.get("tensor", args[0] if args else None)
        return func(*args, **given)


def fill(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Give a model from `empty` its weights by name, uncopied; one that is used in two places (tied) stays one."""
    parameters: dict[int, nn.Parameter] = {}
    filled: dict[str, nn.Parameter] = {}
    for name, place in model.named_parameters(remove_duplicate=False):
        if id(place) not in parameters:
            parameters[id(place)] = nn.Parameter(weights[name])
        filled[name] = parameters[id(place)]
    model.load_state_dict(filled, assign=True)


def to_dict(config: Any) -> dict[str, Any]:
    """The config as plain JSON values, with its architecture under "kind"."""
    return {"kind": family_of(config).kind, **asdict(config)}


def from_dict(values: dict[str, Any]) -> Any:
    """The config that `to_dict` wrote.

    Raises:
        ValueError: if the kind is unknown, a field is unknown or missing, or a value is not allowed.
    """
    values = dict(values)
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in CONFIGS:
        raise ValueError(f"kind={kind!r:.40} is no architecture here; there are {', '.join(CONFIGS)}")
    return from_plain(CONFIGS[kind], values)
