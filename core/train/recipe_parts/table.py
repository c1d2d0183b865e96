"""The table of all parts, and presets: the combinations of parts in well-known papers.

Controls, prices, presets and differences of runs are all made from this table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from core.train.recipe_parts.model_recipe_parts import MODEL_PARTS
from core.train.recipe_parts.recipe_part import (
    ALL_KINDS,
    LEARNING_RATE_GROUP,
    REGULARIZATION_GROUP,
    RecipePart,
    Value,
    Values,
    part_value_condition,
    recipe_value_or_none_setter,
    recipe_value_setter,
)


def _deviations(raw: dict[str, float], _: Values) -> str | float:
    """Return the deviation if it is the same for all matrices, else the deviations by the beginning of their names."""
    if set(raw) <= {""}:
        return raw.get("", 0.0)
    return ", ".join(f"{name} {value:g}" for name, value in raw.items())


TRAINING_PARTS = (
    RecipePart(
        kinds=ALL_KINDS, name="n_warmup", label="Warm-up steps", group=LEARNING_RATE_GROUP, paths=("n_warmup",),
        sentence="The learning rate rises from 0 over these: the first gradients are the wildest.",
        paper="Goyal et al. 2017 (1706.02677), section 2.2",
        low=0, high=5000, reason="longer ones leave nothing to learn in", plain=0, typical=30,
        sets=recipe_value_setter("n_warmup"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="decay", label="How the learning rate falls", group=LEARNING_RATE_GROUP, paths=("decay",),
        sentence="Large steps find the valley, small ones its floor.",
        paper="cosine: 1608.03983; stable first: MiniCPM (2404.06395); by the root: Vaswani et al. 2017, equation 3",
        options={"linear": "on a straight line", "cosine": "half a cosine", "wsd": "stable, then down",
                 "root": "by the root of steps (2017)", "constant": "not at all"},
        plain="linear", typical="cosine", sets=recipe_value_setter("decay"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="decay_to", label="What is left at the end", group=LEARNING_RATE_GROUP,
        paths=("decay_to",), sentence="Of the highest learning rate.", paper="a tenth: GPT-3 (2005.14165), appendix B",
        low=0, high=1, step=0.05, reason="that is all of it", plain=0.0, typical=0.1,
        sets=recipe_value_setter("decay_to"), when=part_value_condition("decay", "linear", "cosine", "wsd"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="decay_share", label="Share of the steps that fall", group=LEARNING_RATE_GROUP,
        paths=("decay_share",), sentence="Until then the rate is level, so a run can be made longer at any time.",
        paper="Hägele et al. 2024 (2405.18392)",
        low=0.05, high=1, step=0.05, reason="that is all of them", plain=0.2, typical=0.1,
        sets=recipe_value_setter("decay_share"), when=part_value_condition("decay", "wsd"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="momentum", label="Memory of the gradient", group=LEARNING_RATE_GROUP,
        paths=("momentum",),
        sentence="How much of the direction so far each step keeps; 0 means the optimizer's own share.",
        paper="Polyak 1964; Sutskever et al. 2013",
        none="the optimizer's own", low=0, high=0.99, step=0.01, reason="with more it never forgets", plain=0.0,
        typical=0.5,
        sets=recipe_value_or_none_setter("momentum"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="beta_2", label="Memory of the gradient's size", group=LEARNING_RATE_GROUP,
        paths=("beta_2",),
        sentence="AdamW divides by the gradient's usual size: how much of that each step keeps. SGD has none.",
        paper="Kingma and Ba 2014 (1412.6980), algorithm 1; 0.95: GPT-3 (2005.14165), appendix B",
        options={0.0: "the optimizer's own", 0.9: "0.9", 0.95: "0.95", 0.99: "0.99", 0.999: "0.999"},
        plain=0.0, typical=0.999, sets=recipe_value_or_none_setter("beta_2"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="start", label="Deviation at the start", group=LEARNING_RATE_GROUP, paths=("start",),
        sentence="How wide the matrices are drawn, those into the stream narrower; 0 means the model's own start.",
        paper="0.02: Radford et al. 2019 (GPT-2), section 2.3",
        none="the model's own", low=0, high=1, step=0.01, reason="wider ones drown all gradients", plain=0.0,
        typical=0.02,
        sets=lambda value, _: {"start": {"": float(value)} if value else {}}, reads=_deviations,
    ),
    RecipePart(
        kinds=ALL_KINDS, name="weight_decay", label="Weight decay", group=REGULARIZATION_GROUP, paths=("weight_decay",),
        sentence="Each step pulls all matrices of AdamW and SGD a little towards 0.",
        paper="Loshchilov and Hutter 2017 (1711.05101)",
        low=0, high=1, step=0.01, reason="more erases what is learned", plain=0.0, typical=0.1,
        sets=recipe_value_setter("weight_decay"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="clip", label="Longest gradient", group=REGULARIZATION_GROUP, paths=("clip",),
        sentence="A longer one is cut to it, so one odd batch can't undo many; 0 means none is cut.",
        paper="Pascanu et al. 2012 (1211.5063)",
        none="none is cut", low=0, high=100, step=0.1, reason="no gradient here is longer", plain=0.0, typical=1.0,
        sets=lambda value, _: {"clip": max(0.001, float(value)) if value else None},
    ),
    RecipePart(
        kinds=ALL_KINDS, name="label_smoothing", label="Label smoothing", group=REGULARIZATION_GROUP,
        paths=("label_smoothing",),
        sentence="In training, so much of each target is spread over all tokens: certainty never pays.",
        paper="Szegedy et al. 2015 (1512.00567), section 7",
        low=0, high=0.5, step=0.05, reason="more leaves nothing to learn", plain=0.0, typical=0.1,
        sets=recipe_value_setter("label_smoothing"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="dropout", label="Dropout", group=REGULARIZATION_GROUP, paths=("dropout",),
        sentence="In training, so many numbers are left out at random, so none is relied upon alone.",
        paper="Srivastava et al. 2014",
        low=0, high=0.9, step=0.05, reason="more leaves nothing to learn from", plain=0.0, typical=0.1,
        sets=recipe_value_setter("dropout"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="dropout_at", label="Where numbers are dropped", group=REGULARIZATION_GROUP,
        paths=("dropout_at",), sentence="From what is written into the stream, from the attention weights, or both.",
        paper="Vaswani et al. 2017 (1706.03762), section 5.4; both: GPT-2",
        options={"stream": "in the stream", "weights": "attention weights", "both": "both"},
        plain="stream", typical="both", sets=recipe_value_setter("dropout_at"),
        when=lambda values: values["dropout"] > 0 and values["kind"] not in ("rnn", "seq2seq"),
    ),
)  # fmt: skip


PARTS: Mapping[str, RecipePart] = {part.name: part for part in (*MODEL_PARTS, *TRAINING_PARTS)}
TRAINING_PART_NAMES = frozenset(part.name for part in TRAINING_PARTS)


@dataclass(frozen=True, kw_only=True)
class _PartsPreset:
    """A well-known combination of parts, at the app's sizes."""

    label: str
    sentence: str
    paper: str = ""  # the source that describes it
    kind: str = "gpt"  # of model, "gpt" or the cell of a recurrent net
    positions: str = "learned"
    optimizer: str = "adamw"
    learning_rate: float = 0.004
    parts: Values = field(default_factory=lambda: MappingProxyType({}))  # those that are not plain


_GATED = {"norm": "rms", "bias": "no", "activation": "swiglu", "d_ff": 2.67, "kv_heads": "2"}
_TODAY = {"n_warmup": 30, "decay": "cosine", "decay_to": 0.1, "weight_decay": 0.1, "clip": 1.0}
PRESETS: Mapping[str, _PartsPreset] = {
    "fast": _PartsPreset(
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
    "2017": _PartsPreset(
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
    "gpt2": _PartsPreset(
        label="GPT-2",
        sentence="Norms before each part, GELU, learned positions.",
        paper="Radford et al. 2019; training: GPT-3 (2005.14165), appendix B",
        parts={**_TODAY, "dropout": 0.1, "dropout_at": "both"},
    ),
    "llama": _PartsPreset(
        label="Llama-like",
        sentence="RMSNorm, SwiGLU, rotary positions, shared keys, no biases.",
        paper="Llama (2302.13971), section 2.2; shared keys: Llama 2 (2307.09288)",
        positions="rotary",
        parts={**_TODAY, **_GATED, "tied": False},
    ),
    "qwen3": _PartsPreset(
        label="Qwen3-like",
        sentence="As Llama, with normalized queries and keys, wider heads and one matrix for tokens in and out.",
        paper="Qwen3 (2505.09388), section 2",
        positions="rotary",
        parts={**_TODAY, **_GATED, "qk_norm": "gain", "rotary_base": 1_000_000, "d_head": 64},
    ),
    "recurrent": _PartsPreset(
        label="Recurrent net",
        sentence="One token at a time, and all that was read in one state.",
        paper="GRU: Cho et al. 2014 (1406.1078)",
        kind="gru",
        optimizer="fast",
        learning_rate=0.02,
        parts={"clip": 1.0},
    ),
}


def effective_part_values(given: Values) -> dict[str, object]:
    """Return the values of all parts, in the table's order; a part that the others rule out is plain.

    Args:
        given: values of parts, and "kind", "positions", "n_layer", "n_head" and "d_model".
    """
    plain = {name: part.plain_of(given["kind"]) for name, part in PARTS.items()}
    values = {**plain, **given}
    for name, part in PARTS.items():
        if not part.applies(values):
            values[name] = plain[name]
    return values


def nondefault_recipe_fields(values: Values, *always: str) -> Iterator[tuple[str, Any]]:
    """Yield (path, value) in a recipe for all parts that aren't plain, and for those named in `always`.

    Raises ValueError if a value doesn't fit the sizes.
    """
    for name, part in PARTS.items():
        if values[name] != part.plain_of(values["kind"]) or name in always:
            yield from part.sets(values[name], values).items()


def set_recipe_field(recipe: dict[str, Any], path: str, value: Value | None) -> None:
    """Write a value into a recipe at its path, "model.block.norm"."""
    *way, last = path.split(".")
    for name in way:
        if not isinstance(recipe.get(name), dict):
            recipe[name] = {}
        recipe = recipe[name]
    recipe[last] = value
