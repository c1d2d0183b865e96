"""Every part that can be chosen, and the sets of them that papers chose.

Controls, prices, presets and differences of runs are all made of this one table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from core.train.parts.model_parts import MODEL_PARTS
from core.train.parts.part import Part, Value, Values
from core.train.parts.training_parts import TRAINING_PARTS

PARTS: Mapping[str, Part] = MappingProxyType({part.name: part for part in (*MODEL_PARTS, *TRAINING_PARTS)})
IN_TRAINING = frozenset(part.name for part in TRAINING_PARTS)


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A well-known set of parts, at the sizes of here.

    Attributes:
        kind: of model, "gpt" or the cell of a recurrent net.
        parts: those that are not plain.
        paper: where it is described.
    """

    label: str
    sentence: str
    paper: str = ""
    kind: str = "gpt"
    positions: str = "learned"
    optimizer: str = "adamw"
    learning_rate: float = 0.004
    parts: Values = field(default_factory=lambda: MappingProxyType({}))


_GATED = {"norm": "rms", "bias": "no", "activation": "swiglu", "d_ff": 2.67, "kv_heads": "2"}
_TODAY = {"n_warmup": 30, "decay": "cosine", "decay_to": 0.1, "weight_decay": 0.1, "clip": 1.0}
PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "fast": Preset(
            label="Quick learner",
            sentence="What learns fastest per second on one core.",
            positions="alibi",
            optimizer="fast",
            learning_rate=0.05,
            parts={
                "norm": "rms_plain",
                "activation": "relu2",
                "bias": "no",
                "qk_norm": "yes",
                "embed_norm": True,
                "tied": False,
            },
        ),
        "2017": Preset(
            label="2017",
            sentence="The decoder of the first transformer: norms after each sum, sines, dropout.",
            paper="Vaswani et al. 2017 (1706.03762)",
            positions="sinusoidal",
            learning_rate=0.001,
            parts={
                "norm_place": "post",
                "activation": "relu",
                "embed_scale": True,
                "n_warmup": 60,
                "decay": "root",
                "dropout": 0.1,
                "label_smoothing": 0.1,
            },
        ),
        "gpt2": Preset(
            label="GPT-2",
            sentence="Norms before each part, GELU, learned positions.",
            paper="Radford et al. 2019; training: GPT-3 (2005.14165), appendix B",
            parts={**_TODAY, "dropout": 0.1, "dropout_at": "both"},
        ),
        "llama": Preset(
            label="Llama-like",
            sentence="RMSNorm, SwiGLU, rotary positions, shared keys, no biases.",
            paper="Llama (2302.13971), section 2.2; shared keys: Llama 2 (2307.09288)",
            positions="rotary",
            parts={**_TODAY, **_GATED, "tied": False},
        ),
        "qwen3": Preset(
            label="Qwen3-like",
            sentence="As Llama, with normalized queries and keys, wider heads and one matrix for tokens in and out.",
            paper="Qwen3 (2505.09388), section 2",
            positions="rotary",
            parts={**_TODAY, **_GATED, "qk_norm": "gain", "rotary_base": 1_000_000, "d_head": 64},
        ),
        "recurrent": Preset(
            label="Recurrent net",
            sentence="One token at a time, and all that was read in one state.",
            paper="GRU: Cho et al. 2014 (1406.1078)",
            kind="gru",
            optimizer="fast",
            learning_rate=0.02,
            parts={"clip": 1.0},
        ),
    }
)


def resolved(given: Values) -> dict[str, Any]:
    """The values of all parts, in the table's order; a part that cannot be chosen beside the others is plain.

    Args:
        given: besides values of parts "kind", "positions", "n_layer", "n_head" and "d_model".
    """
    plain = {name: part.plain_of(given["kind"]) for name, part in PARTS.items()}
    values = {**plain, **given}
    for name, part in PARTS.items():
        if not part.applies(values):
            values[name] = plain[name]
    return values


def written(values: Values, *always: str) -> Iterator[tuple[str, Any]]:
    """Path -> value in a recipe, of all parts that are not plain, and of those that are named.

    Raises ValueError in plain words, where a value does not fit the sizes.
    """
    for name, part in PARTS.items():
        if values[name] != part.plain_of(values["kind"]) or name in always:
            yield from part.sets(values[name], values).items()


def put(recipe: dict[str, Any], path: str, value: Value | None) -> None:
    """Write a value into a recipe at its path, "model.block.norm"."""
    *way, last = path.split(".")
    for name in way:
        if not isinstance(recipe.get(name), dict):
            recipe[name] = {}
        recipe = recipe[name]
    recipe[last] = value
