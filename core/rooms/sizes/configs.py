"""Which configuration the room counts: the learner's own model, a well-known one, or sizes of one's own."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.models.bert import BERTConfig
from core.models.configs.presets import PRESETS, Preset
from core.models.gpt import GPTConfig
from core.models.t5 import T5Config
from core.models.transformer import TransformerConfig
from core.nn.block import BlockStyle
from core.ui.controls import controls
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.models.pick_inputs import pick_model

MINE, OWN = "mine", "own"
KINDS = ("gpt", "bert", "t5", "transformer")  # of one's own models: those whose work has a formula
OWN_FAMILIES = {
    "gpt": "Decoder (GPT)",
    "bert": "Encoder (BERT)",
    "t5": "Encoder-decoder (T5)",
    "transformer": "Encoder-decoder (2017)",
}


@dataclass(frozen=True)
class Chosen:
    """What is counted.

    Args:
        title: its name.
        config: of a registered architecture.
        preset: the published model, if it is one.
        context: tokens that it reads at most, or was meant to.
        is_mine: whether it is the learner's own model.
    """

    title: str
    config: Any
    preset: Preset | None
    context: int
    is_mine: bool = False


def model_here() -> ModelKey | None:
    """A model whose weights can be counted."""
    return pick_model(kinds=KINDS)


def choose(key: ModelKey | None, name: str = "size_of", label: str = "Count") -> Chosen:
    """Ask which."""
    options = ([MINE] if key is not None else []) + list(PRESETS) + [OWN]
    labels = {one: preset.title for one, preset in PRESETS.items()} | {MINE: "The chosen model", OWN: "Your own sizes"}
    which = controls.select(name, label, options, "gpt-2-small", labels=labels)
    if which == MINE and key is not None:
        return mine(key)
    if which == OWN:
        config = _own()
        return Chosen("Your own sizes", config, None, getattr(config, "context_length", 512))
    preset = PRESETS[which]
    return Chosen(preset.title, preset.config, preset, preset.context)


def mine(key: ModelKey) -> Chosen:
    """The learner's model."""
    config = models.load_any(key).config
    return Chosen(models.about(key).title, config, None, getattr(config, "context_length", 64), is_mine=True)


def _own() -> Any:
    """Ask for the sizes. Nothing is allocated; more than 128 blocks would take too long to set up."""
    family = controls.segmented("size_family", "Family", list(OWN_FAMILIES), "gpt", labels=OWN_FAMILIES)
    one, two, three = st.columns(3, gap="medium", vertical_alignment="bottom")
    with one:
        reason = "more than any published vocabulary"
        vocab = int(controls.number("size_vocab", "Vocabulary V", 2, 300_000, 1_000, step=1, reason=reason))
        width = int(controls.slider("size_width", "Width", 64, 16_384, 256, step=64))
    with two:
        layers = int(
            controls.slider(
                "size_layers", "Layers L", 1, 128, 4, step=1, help="For an encoder-decoder: this many on each side."
            )
        )
        wider = int(controls.slider("size_ff", "Feed-forward width / d_model", 1, 8, 4, step=1))
    with three:
        heads = int(controls.segmented("size_heads", "Heads", [1, 4, 16, 64], 4))
        gated = controls.toggle("size_gated", "Gated feed-forward (three matrices)", False)
        tied = controls.toggle("size_tied", "Output layer tied to the embedding", True)
    sizes: dict[str, Any] = {
        "vocab_size": vocab,
        "d_model": width,
        "n_layer": layers,
        "n_head": heads,
        "d_ff": wider * width,
    }
    if family == "bert":
        style = BlockStyle(norm_first=False, activation="geglu" if gated else "gelu")
        return BERTConfig(**sizes, context_length=512, block=style)
    if family == "t5":
        return T5Config(**sizes, tied=tied, activation="geglu" if gated else "relu")
    if family == "transformer":
        style = BlockStyle(norm_first=False, activation="geglu" if gated else "relu")
        return TransformerConfig(**sizes, tied=tied, block=style)
    style = BlockStyle(activation="geglu" if gated else "gelu_tanh")
    return GPTConfig(**sizes, context_length=1_024, tied=tied, block=style)
