"""Every architecture by name: from a config, or from its JSON, to a model with weights drawn from a seed.

Every config says two things of its architecture, as a field where there is a choice and as a constant where there is
none, so that nobody has to guess them from a model's parts:

- `positions`: how it encodes a token's position, one of `core.nn.positions.POSITION_SCHEMES`; of an encoder-decoder, in
  both halves. A recurrent net has "none": it reads one token after the other.
- `causal`: whether later tokens are hidden from earlier ones; of an encoder-decoder, where it writes.
"""

import copy
import math
import types
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from core.data.checks import check_whole
from core.data.localization.labels import module_labels
from core.models import bert, gpt, original_transformer, recurrent_seq2seq, rnn, t5
from core.models.configs.family import ModelFamily
from core.models.configs.modern import OPTION_NAMES as OPTIONS, Modern, flatten_settings, nest_flat_settings
from core.models.images import captioner, image_gpt, multiscale_vit, vit

LABELS = module_labels(__name__)

_MODULES = (
    gpt, bert, t5, original_transformer, rnn, recurrent_seq2seq, vit, image_gpt, multiscale_vit, captioner,
)  # fmt: skip
FAMILIES: dict[str, ModelFamily] = {one.FAMILY.kind: one.FAMILY for one in _MODULES}
CONFIGS: dict[str, type] = {kind: family.config for kind, family in FAMILIES.items()}
_BY_CONFIG = {family.config: family for family in FAMILIES.values()}


def family_of(model_or_config: object) -> ModelFamily:
    """Return the family of a model or of a config.

    Raises:
        ValueError: if it is of no registered class.
    """
    config = getattr(model_or_config, "config", model_or_config)
    if type(config) not in _BY_CONFIG:
        raise ValueError(f"{type(config).__name__} is no registered config; there are {', '.join(CONFIGS)}")
    return _BY_CONFIG[type(config)]


def find_registered_family(model_or_config: object) -> ModelFamily | None:
    """Return the family of a model or of a config; None if its class is not registered, as of one from elsewhere."""
    return _BY_CONFIG.get(type(getattr(model_or_config, "config", model_or_config)))


def modern_options_of_model(model_or_config: object) -> Modern:
    """Return today's options of a model, such as its windows and experts; the usual ones if its class is unknown."""
    config = getattr(model_or_config, "config", model_or_config)
    family = find_registered_family(config)
    return Modern() if family is None else family.modern(config)


def build(config: object, seed: int = 0) -> Any:
    """Build a model of the config's architecture, its weights drawn from the seed; the global generator is not used.

    Raises:
        ValueError: if the config is of no class in `CONFIGS`.
    """
    check_whole("seed", seed)
    model = build_empty(config)
    fill_weights(model, {name: torch.empty(place.shape) for name, place in model.named_parameters()})
    model.init_weights(torch.Generator().manual_seed(seed))
    return model


def build_empty(config: object) -> Any:
    """Build a model without memory: names and shapes on the meta device, to be filled."""
    with torch.device("meta"), _Unwritten():
        return family_of(config).model(config)


class _Unwritten(TorchFunctionMode):
    """torch's own start of the weights is left out: without memory there is nothing to write.

    Asking for it all the same costs the first caller 0.7 s: torch then loads a computer algebra system.
    """

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: object,
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        given = kwargs or {}
        if func in (nn.init.normal_, nn.init.uniform_, nn.init.kaiming_uniform_):
            return given.get("tensor", args[0] if args else None)
        return func(*args, **given)


def fill_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Give a model from `build_empty` its weights by name, uncopied; one that is used twice (tied) stays one."""
    parameters: dict[int, nn.Parameter] = {}
    filled: dict[str, nn.Parameter] = {}
    for name, place in model.named_parameters(remove_duplicate=False):
        if id(place) not in parameters:
            parameters[id(place)] = nn.Parameter(weights[name])
        filled[name] = parameters[id(place)]
    model.load_state_dict(filled, assign=True)


def with_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> nn.Module:
    """Return a model with some weights replaced, by name; it shares all others with the original.

    `torch.func.functional_call` puts them into the model itself while it computes. Models are shared, so all others who
    compute with it in the meantime get wrong numbers.

    Raises:
        KeyError: if the model has no weight of a name.
    """
    own = dict(model.named_parameters())
    tensors = {id(tensor): tensor for tensor in (*own.values(), *model.buffers())}
    placed = {id(own[name]): nn.Parameter(weight, requires_grad=False) for name, weight in weights.items()}
    return copy.deepcopy(model, tensors | placed).eval()


def to_dict(config: Any) -> dict[str, object]:
    """Return the config as plain JSON values, with its architecture under "kind"."""
    return {"kind": family_of(config).kind, **asdict(config)}


def flat_settings(config: Any) -> dict[str, object]:
    """Return the same in one table: each of today's options under its own name, as in recipes and older files."""
    return flatten_settings(to_dict(config))


def from_dict(values: dict[str, object]) -> object:
    """Return the config that `to_dict` or `flat_settings` wrote.

    Raises:
        ValueError: if the kind is unknown, a field is unknown or missing, or a value is not allowed.
    """
    values = dict(values)
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in CONFIGS:
        raise ValueError(LABELS("unknown_kind", kind=repr(kind)[:40], known=", ".join(CONFIGS)))
    return _from_plain(CONFIGS[kind], nest_flat_settings(values) if CONFIGS[kind] is gpt.GPTConfig else values)


def _from_plain(cls: type, values: object, where: str = "") -> object:
    """Make an object of a frozen config class from plain values, including configs within configs.

    Args:
        cls: a dataclass whose fields are int, float, str, bool, None, tuples of these, or dataclasses.
        values: name -> value.
        where: put before the names in messages.

    Raises:
        ValueError: if a field is unknown or missing, or its value is of another type or not allowed.
    """
    if not isinstance(values, dict):
        given = repr(values)[:40]
        raise ValueError(LABELS("no_object", where=where, given=given) if where else LABELS("no_config", given=given))
    types_of = get_type_hints(cls)
    hints = {field.name: types_of[field.name] for field in fields(cls)}
    if unknown := sorted(str(name) for name in values if name not in hints):
        known = [*hints, *sorted(OPTIONS if "modern" in hints else ())]
        raise ValueError(LABELS("no_field", field=f"{where}{unknown[0][:40]}", known=", ".join(known)))
    plain = {name: _value(hints[name], value, f"{where}{name}") for name, value in values.items()}
    try:
        return cls(**plain)
    except TypeError as error:
        missing = [field.name for field in fields(cls) if field.name not in plain]
        raise ValueError(LABELS("missing", fields=f"{where}{', '.join(missing)}")) from error


def _value(kind: Any, value: object, name: str) -> object:
    if get_origin(kind) in (Union, types.UnionType):
        options = get_args(kind)
        if value is None and type(None) in options:
            return None
        if any(get_origin(option) is Literal and value in get_args(option) for option in options):
            return value
        return _value(next(option for option in options if option is not type(None)), value, name)
    if get_origin(kind) is tuple and isinstance(value, list | tuple):
        return tuple(_value(get_args(kind)[0], one, name) for one in value)
    if is_dataclass(kind) and isinstance(kind, type):
        return value if isinstance(value, kind) else _from_plain(kind, value, f"{name}.")
    if kind is float and isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53:
        return float(value)
    if kind is float and isinstance(value, float) and not math.isfinite(value):
        raise ValueError(LABELS("should_be.finite", name=name, value=str(value)))
    if not isinstance(kind, type) or not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        expected = {int: "int", float: "float", str: "str", bool: "bool"}.get(kind, "list")
        raise ValueError(LABELS(f"should_be.{expected}", name=name, value=repr(value)[:40]))
    return value
