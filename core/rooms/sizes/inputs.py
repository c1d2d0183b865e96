"""The models to count: one of your own, a well-known one, or sizes of your own."""

from typing import Any

from core.data.localization.labels import module_labels
from core.exhibit import (
    MAX_FIGURES,
    Inputs,
    custom_control,
    memoize,
    number_input,
    segmented_control,
    select,
    slider,
    toggle,
)
from core.inspect.costs import parameters
from core.inspect.model_inputs.model_and_text import load_any_model
from core.inspect.model_inputs.model_key import ModelKey
from core.models.bert import BERTConfig
from core.models.configs.presets import PRESETS
from core.models.gpt import GPTConfig
from core.models.original_transformer import TransformerConfig
from core.models.registry import FAMILIES, family_of
from core.models.t5 import T5Config
from core.nn.block import BlockStyle

LABELS = module_labels(__name__)

MINE, OWN = "mine", "own"
COUNTED_KINDS = ("gpt", "bert", "t5", "transformer")  # own models with a formula for their cost
FAMILY_LABELS = {kind: FAMILIES[kind].label for kind in COUNTED_KINDS}
_OWN: dict[str, Any] = {"when": lambda i: i.of == OWN}

count_cached = memoize(MAX_FIGURES)(parameters.count_config_parameters)


class OwnModelInputs(Inputs):
    key: ModelKey = custom_control(
        "core.ui.models.pick_inputs:pick_model", lambda _: ModelKey.at("stories"), kinds=COUNTED_KINDS
    )


class SizeInputs(OwnModelInputs, prefix="size_"):
    """A configuration. Nothing is allocated, but more than 128 blocks would take too long to set up."""

    of: str = select(
        {MINE: LABELS["of.mine"]} | {name: one.title for name, one in PRESETS.items()} | {OWN: LABELS["of.own"]},
        "gpt-2-small",
    )
    family: str = segmented_control(FAMILY_LABELS, "gpt", **_OWN)
    vocab: int = number_input(2, 300_000, 1_000, step=1, reason=LABELS["vocab.reason"], **_OWN)
    width: int = slider(64, 16_384, 256, step=64, **_OWN)
    layers: int = slider(1, 128, 4, **_OWN)
    ff: int = slider(1, 8, 4, **_OWN)
    heads: int = segmented_control((1, 4, 16, 64), 4, **_OWN)
    gated: bool = toggle(**_OWN)
    tied: bool = toggle(True, **_OWN)


def selected_config(sizes: Any) -> object:
    if sizes.of == OWN:
        return _own(sizes)
    return load_any_model(sizes.key).config if sizes.of == MINE else PRESETS[sizes.of].config


def picture_tokens(sizes: object) -> int | None:
    """Return the tokens of one picture, including the class token; None for models that read texts."""
    config = selected_config(sizes)
    return family_of(config).n_token(config)


def context_length_of(sizes: Any) -> int:
    """Return the most tokens that the model can read, or was designed for."""
    if n_token := picture_tokens(sizes):
        return n_token
    config, preset, usual = selected_config(sizes), PRESETS.get(sizes.of), 64 if sizes.of == MINE else 512
    return family_of(config).context_length(config) or usual if preset is None else preset.context


def _own(sizes: Any) -> object:
    shape: dict[str, Any] = {
        "vocab_size": sizes.vocab,
        "d_model": sizes.width,
        "n_layer": sizes.layers,
        "n_head": sizes.heads,
        "d_ff": sizes.ff * sizes.width,
    }
    plain = {"gpt": "gelu_tanh", "bert": "gelu"}.get(sizes.family, "relu")
    activation = "geglu" if sizes.gated else plain
    if sizes.family == "t5":
        return T5Config(**shape, tied=sizes.tied, activation=activation)
    style = BlockStyle(norm_first=sizes.family == "gpt", activation=activation)
    if sizes.family == "bert":
        return BERTConfig(**shape, context_length=512, block=style)
    if sizes.family == "transformer":
        return TransformerConfig(**shape, tied=sizes.tied, block=style)
    return GPTConfig(**shape, context_length=1_024, tied=sizes.tied, block=style)
