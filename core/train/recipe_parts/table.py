"""The table of all parts, and presets: the combinations of parts in well-known papers.

Controls, prices, presets and differences of runs are all made from this table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from core.data.localization.labels import module_labels
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

LABELS = module_labels(__name__)


def _deviations(raw: dict[str, float], _: Values) -> str | float:
    """Return the deviation if it is the same for all matrices, else the deviations by the beginning of their names."""
    if set(raw) <= {""}:
        return raw.get("", 0.0)
    return ", ".join(f"{name} {value:g}" for name, value in raw.items())


TRAINING_PARTS = (
    RecipePart(
        kinds=ALL_KINDS, name="n_warmup", label=LABELS["n_warmup"], group=LEARNING_RATE_GROUP, paths=("n_warmup",),
        sentence=LABELS["n_warmup.sentence"],
        paper=LABELS["n_warmup.source"],
        low=0, high=5000, reason=LABELS["n_warmup.reason"], plain=0, typical=30,
        sets=recipe_value_setter("n_warmup"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="decay", label=LABELS["decay"], group=LEARNING_RATE_GROUP, paths=("decay",),
        sentence=LABELS["decay.sentence"],
        paper=LABELS["decay.source"],
        options=LABELS.options("decay", "linear", "cosine", "wsd", "root", "constant"),
        plain="linear", typical="cosine", sets=recipe_value_setter("decay"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="decay_to", label=LABELS["decay_to"], group=LEARNING_RATE_GROUP,
        paths=("decay_to",), sentence=LABELS["decay_to.sentence"], paper=LABELS["decay_to.source"],
        low=0, high=1, step=0.05, reason=LABELS["decay_to.reason"], plain=0.0, typical=0.1,
        sets=recipe_value_setter("decay_to"), when=part_value_condition("decay", "linear", "cosine", "wsd"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="decay_share", label=LABELS["decay_share"], group=LEARNING_RATE_GROUP,
        paths=("decay_share",), sentence=LABELS["decay_share.sentence"],
        paper="Hägele et al. 2024 (2405.18392)",
        low=0.05, high=1, step=0.05, reason=LABELS["decay_share.reason"], plain=0.2, typical=0.1,
        sets=recipe_value_setter("decay_share"), when=part_value_condition("decay", "wsd"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="momentum", label=LABELS["momentum"], group=LEARNING_RATE_GROUP,
        paths=("momentum",),
        sentence=LABELS["momentum.sentence"],
        paper="Polyak 1964; Sutskever et al. 2013",
        none=LABELS["momentum.none"], low=0, high=0.99, step=0.01, reason=LABELS["momentum.reason"], plain=0.0,
        typical=0.5,
        sets=recipe_value_or_none_setter("momentum"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="beta_2", label=LABELS["beta_2"], group=LEARNING_RATE_GROUP,
        paths=("beta_2",),
        sentence=LABELS["beta_2.sentence"],
        paper=LABELS["beta_2.source"],
        options={0.0: LABELS["beta_2.0.0"], 0.9: "0.9", 0.95: "0.95", 0.99: "0.99", 0.999: "0.999"},
        plain=0.0, typical=0.999, sets=recipe_value_or_none_setter("beta_2"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="start", label=LABELS["start"], group=LEARNING_RATE_GROUP, paths=("start",),
        sentence=LABELS["start.sentence"],
        paper=LABELS["start.source"],
        none=LABELS["start.none"], low=0, high=1, step=0.01, reason=LABELS["start.reason"], plain=0.0,
        typical=0.02,
        sets=lambda value, _: {"start": {"": float(value)} if value else {}}, reads=_deviations,
    ),
    RecipePart(
        kinds=ALL_KINDS, name="weight_decay", label=LABELS["weight_decay"], group=REGULARIZATION_GROUP,
        paths=("weight_decay",),
        sentence=LABELS["weight_decay.sentence"],
        paper="Loshchilov and Hutter 2017 (1711.05101)",
        low=0, high=1, step=0.01, reason=LABELS["weight_decay.reason"], plain=0.0, typical=0.1,
        sets=recipe_value_setter("weight_decay"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="clip", label=LABELS["clip"], group=REGULARIZATION_GROUP, paths=("clip",),
        sentence=LABELS["clip.sentence"],
        paper="Pascanu et al. 2012 (1211.5063)",
        none=LABELS["clip.none"], low=0, high=100, step=0.1, reason=LABELS["clip.reason"], plain=0.0, typical=1.0,
        sets=lambda value, _: {"clip": max(0.001, float(value)) if value else None},
    ),
    RecipePart(
        kinds=ALL_KINDS, name="label_smoothing", label=LABELS["label_smoothing"], group=REGULARIZATION_GROUP,
        paths=("label_smoothing",),
        sentence=LABELS["label_smoothing.sentence"],
        paper=LABELS["label_smoothing.source"],
        low=0, high=0.5, step=0.05, reason=LABELS["label_smoothing.reason"], plain=0.0, typical=0.1,
        sets=recipe_value_setter("label_smoothing"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="dropout", label=LABELS["dropout"], group=REGULARIZATION_GROUP, paths=("dropout",),
        sentence=LABELS["dropout.sentence"],
        paper="Srivastava et al. 2014",
        low=0, high=0.9, step=0.05, reason=LABELS["dropout.reason"], plain=0.0, typical=0.1,
        sets=recipe_value_setter("dropout"),
    ),
    RecipePart(
        kinds=ALL_KINDS, name="dropout_at", label=LABELS["dropout_at"], group=REGULARIZATION_GROUP,
        paths=("dropout_at",), sentence=LABELS["dropout_at.sentence"],
        paper=LABELS["dropout_at.source"],
        options=LABELS.options("dropout_at", "stream", "weights", "both"),
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
        label=LABELS["preset.fast"],
        sentence=LABELS["preset.fast.sentence"],
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
        sentence=LABELS["preset.2017.sentence"],
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
        sentence=LABELS["preset.gpt2.sentence"],
        paper=LABELS["preset.gpt2.source"],
        parts={**_TODAY, "dropout": 0.1, "dropout_at": "both"},
    ),
    "llama": _PartsPreset(
        label=LABELS["preset.llama"],
        sentence=LABELS["preset.llama.sentence"],
        paper=LABELS["preset.llama.source"],
        positions="rotary",
        parts={**_TODAY, **_GATED, "tied": False},
    ),
    "qwen3": _PartsPreset(
        label=LABELS["preset.qwen3"],
        sentence=LABELS["preset.qwen3.sentence"],
        paper=LABELS["preset.qwen3.source"],
        positions="rotary",
        parts={**_TODAY, **_GATED, "qk_norm": "gain", "rotary_base": 1_000_000, "d_head": 64},
    ),
    "recurrent": _PartsPreset(
        label=LABELS["preset.recurrent"],
        sentence=LABELS["preset.recurrent.sentence"],
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
