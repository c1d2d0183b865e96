"""The settings of a racer: few, with few values each, so that all runs can be compared."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from core.data.localization.labels import module_labels

LABELS = module_labels(__name__)


@dataclass(frozen=True, kw_only=True)
class RacerSettings:
    """One racer's choice. The defaults are a modest start, so most changes of one setting make a difference."""

    n_layer: int = 2
    d_model: int = 64
    n_head: int = 4
    context_length: int = 32
    tokenizer: str = "char"  # tokenizer, positions, optimizer: as `core.train.recipes.Recipe` names them
    positions: str = "learned"
    optimizer: str = "adamw"
    learning_rate: float = 0.001


@dataclass(frozen=True)
class _RaceSetting:
    """A setting on the screen: its label, and its values in order, each with its name."""

    label: str
    values: Mapping[Any, str]


def _number(name: str, *values: float) -> _RaceSetting:
    return _RaceSetting(LABELS[name], {one: f"{one:g}" for one in values})


def _choice(name: str, *values: str) -> _RaceSetting:
    return _RaceSetting(LABELS[name], LABELS.options(name, *values))


RACE_SETTINGS: Mapping[str, _RaceSetting] = {
    "n_layer": _number("n_layer", 1, 2, 3, 4, 6),
    "d_model": _number("d_model", 32, 64, 96, 128, 192),
    "n_head": _number("n_head", 1, 2, 4, 8),
    "context_length": _number("context_length", 16, 32, 64, 128),
    "tokenizer": _choice("tokenizer", "char", "bpe", "word_bytes"),
    "positions": _choice("positions", "none", "sinusoidal", "learned", "alibi", "rotary"),
    "optimizer": _choice("optimizer", "adamw", "fast"),
    "learning_rate": _number("learning_rate", 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1),
}


def parse_race_settings(said: object) -> RacerSettings:
    """Parse settings from a browser, `{"n_layer": "2", …}`; missing ones get their defaults.

    Raises ValueError: if a value isn't one of those offered.
    """
    told = said if isinstance(said, Mapping) else {}
    chosen = {}
    for one in fields(RacerSettings):
        key = str(told.get(one.name, one.default))
        found = [value for value in RACE_SETTINGS[one.name].values if str(value) == key]
        if not found:
            raise ValueError(LABELS("not_a_value", setting=RACE_SETTINGS[one.name].label, value=repr(key[:20])))
        chosen[one.name] = found[0]
    return RacerSettings(**chosen)


def setting_texts(settings: RacerSettings) -> dict[str, str]:
    """Return each setting's label and the name of its value, as on the screen."""
    return {one.label: one.values[getattr(settings, name)] for name, one in RACE_SETTINGS.items()}


def settings_summary(settings: RacerSettings) -> str:
    """Return all settings in one line."""
    texts = {name: one.values[getattr(settings, name)] for name, one in RACE_SETTINGS.items()}
    return LABELS("summary", n=settings.n_head, **texts)


def race_form_fields() -> list[dict[str, object]]:
    """Return the form for the browser: name, label, [[value, name of the value], …] and the default."""
    first = asdict(RacerSettings())
    return [
        {
            "name": name,
            "label": one.label,
            "values": [[str(v), w] for v, w in one.values.items()],
            "first": str(first[name]),
        }
        for name, one in RACE_SETTINGS.items()
    ]
