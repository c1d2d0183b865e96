"""The settings of a racer: few, with few values each, so that all runs can be compared."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


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


def _plain(*values: float) -> Mapping[Any, str]:
    return {one: f"{one:g}" for one in values}


RACE_SETTINGS: Mapping[str, _RaceSetting] = {
    "n_layer": _RaceSetting("Layers", _plain(1, 2, 3, 4, 6)),
    "d_model": _RaceSetting("Width", _plain(32, 64, 96, 128, 192)),
    "n_head": _RaceSetting("Heads", _plain(1, 2, 4, 8)),
    "context_length": _RaceSetting("Context", _plain(16, 32, 64, 128)),
    "tokenizer": _RaceSetting("Tokens", {"char": "characters", "bpe": "pieces", "word_bytes": "words/bytes"}),
    "positions": _RaceSetting(
        "Positions",
        {"none": "none", "sinusoidal": "sines", "learned": "learned", "alibi": "ALiBi", "rotary": "RoPE"},
    ),
    "optimizer": _RaceSetting("Optimizer", {"adamw": "AdamW", "fast": "Muon"}),
    "learning_rate": _RaceSetting("Learning rate", _plain(0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)),
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
            raise ValueError(f"{RACE_SETTINGS[one.name].label} can't be {key[:20]!r}.")
        chosen[one.name] = found[0]
    return RacerSettings(**chosen)


def setting_texts(settings: RacerSettings) -> dict[str, str]:
    """Return each setting's label and the name of its value, as on the screen."""
    return {one.label: one.values[getattr(settings, name)] for name, one in RACE_SETTINGS.items()}


def settings_summary(settings: RacerSettings) -> str:
    """Return all settings in one line."""
    told = setting_texts(settings)
    heads = "1 head" if settings.n_head == 1 else f"{settings.n_head} heads"
    size = f"{told['Layers']} × {told['Width']}, {heads}, context {told['Context']}"
    return f"{size} · {told['Tokens']} · {told['Positions']} · {told['Optimizer']} {told['Learning rate']}"


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
