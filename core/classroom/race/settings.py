"""The settings of a racer: few, with few values each, so that all runs can be compared."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Settings:
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
class Setting:
    """A setting on the screen: its label, and its values in order, each with its name."""

    label: str
    values: Mapping[Any, str]


def _plain(*values: float) -> Mapping[Any, str]:
    return {one: f"{one:g}" for one in values}


SETTINGS: Mapping[str, Setting] = {
    "n_layer": Setting("Layers", _plain(1, 2, 3, 4, 6)),
    "d_model": Setting("Width", _plain(32, 64, 96, 128, 192)),
    "n_head": Setting("Heads", _plain(1, 2, 4, 8)),
    "context_length": Setting("Context", _plain(16, 32, 64, 128)),
    "tokenizer": Setting("Tokens", {"char": "characters", "bpe": "pieces", "word_bytes": "words/bytes"}),
    "positions": Setting(
        "Positions",
        {"none": "none", "sinusoidal": "sines", "learned": "learned", "alibi": "ALiBi", "rotary": "RoPE"},
    ),
    "optimizer": Setting("Optimizer", {"adamw": "AdamW", "fast": "Muon"}),
    "learning_rate": Setting("Learning rate", _plain(0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)),
}


def read(said: object) -> Settings:
    """Parse settings from a browser, `{"n_layer": "2", …}`; missing ones get their defaults.

    Raises ValueError: if a value isn't one of those offered.
    """
    told = said if isinstance(said, Mapping) else {}
    chosen = {}
    for one in fields(Settings):
        key = str(told.get(one.name, one.default))
        found = [value for value in SETTINGS[one.name].values if str(value) == key]
        if not found:
            raise ValueError(f"{SETTINGS[one.name].label} can't be {key[:20]!r}.")
        chosen[one.name] = found[0]
    return Settings(**chosen)


def in_words(settings: Settings) -> dict[str, str]:
    """Return each setting's label and the name of its value, as on the screen."""
    return {one.label: one.values[getattr(settings, name)] for name, one in SETTINGS.items()}


def briefly(settings: Settings) -> str:
    """Return all settings in one line."""
    told = in_words(settings)
    heads = "1 head" if settings.n_head == 1 else f"{settings.n_head} heads"
    size = f"{told['Layers']} × {told['Width']}, {heads}, context {told['Context']}"
    return f"{size} · {told['Tokens']} · {told['Positions']} · {told['Optimizer']} {told['Learning rate']}"


def menu() -> list[dict[str, object]]:
    """Return the form for the browser: name, label, [[value, name of the value], …] and the default."""
    first = asdict(Settings())
    return [
        {
            "name": name,
            "label": one.label,
            "values": [[str(v), w] for v, w in one.values.items()],
            "first": str(first[name]),
        }
        for name, one in SETTINGS.items()
    ]
