"""Folders of small models with random weights, made as today's decoders are: windows, caps, norms behind, experts."""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from core.data import tokenizers
from core.data.synthetic import write_stories
from core.models import registry
from core.nn.block import BlockStyle
from core.nn.experts import ExpertSettings
from core.nn.positions import RotarySettings
from tests.configs import gpt


def style(**options: Any) -> BlockStyle:
    return BlockStyle(**{"norm": "rms", "activation": "swiglu", "bias": False} | options)


SIZES: dict[str, Any] = {"context_length": 64, "n_layer": 3, "n_head": 4, "n_kv_head": 2, "d_model": 32, "d_ff": 48,
                         "positions": "rotary"}  # fmt: skip
GEMMA = {"d_head": 12, "embed_scale": 32**0.5}
SPECIAL: dict[str, dict[str, Any]] = {
    "mistral": {"window": 5, "block": style()},
    "gemma-2": GEMMA | {
        "window": 5, "windowed": (0, 2), "scale": 0.3, "logit_softcap": 3.0,
        "block": style(activation="geglu", norm_out=True, softcap=2.0)},
    "gemma-3": GEMMA | {
        "window": 4, "windowed": (0, 1), "scale": 0.25, "rotary": RotarySettings(base=1e6, factor=8.0),
        "window_rotary": RotarySettings(base=100.0), "block": style(activation="geglu", norm_out=True, qk_norm="gain")},
    "olmo-2": {"n_kv_head": None, "tied": False, "block": style(norm_first=False, norm_out=True, qk_norm="width")},
    "pythia": {"n_kv_head": None, "tied": False, "rotary": RotarySettings(share=0.5),
               "block": BlockStyle(activation="gelu", parallel=True)},
    "phi": {"n_kv_head": None, "tied": False, "output_bias": True, "rotary": RotarySettings(share=0.5),
            "block": BlockStyle(parallel="one norm")},
    "mixtral": {"tied": False, "window": 9, "experts": ExpertSettings(n_expert=4, n_active=2), "block": style()},
    "qwen-moe": {"tied": False, "experts": ExpertSettings(n_expert=5, n_active=2, renormalize=False, d_shared=20),
                 "block": style(bias="qkv")},
    "sinks-and-gates": {"tied": False, "window": 6, "windowed": (0, 2),
                        "block": style(qk_norm="gain", sink=True, gate=True)},
}  # fmt: skip
MORE: dict[str, dict[str, Any]] = {
    "qwen-3": {"d_head": 10, "block": style(qk_norm="gain")},
    "yarn": {
        "rotary": RotarySettings(factor=4.0, trained_length=16, by_pair=True, fast=32.0, gain=1.14),
        "block": style(),
    },
    "longrope": {"rotary": RotarySettings(factors=(1.0, 1.5, 2.0, 3.0), gain=1.2), "block": style()},
    "smollm": {"n_layer": 30, "n_head": 9, "n_kv_head": 3, "d_model": 36, "block": style()},
}
ALL = SPECIAL | MORE


def write(folder: Path, name: str, **sizes: Any) -> Path:
    """A folder of ours; the model knows the words of the stories.

    Args:
        sizes: fields of the config that are others.
    """
    folder.mkdir(parents=True)
    tokenizer = tokenizers.train_tokenizer("word", write_stories(300, 0))
    config = gpt(**{"vocab_size": tokenizer.vocab_size} | SIZES | ALL[name] | sizes)
    generator = torch.Generator().manual_seed(1)
    weights = {
        key: torch.randn(place.shape, generator=generator) * 0.25 + ("norm" in key and key.endswith("weight"))
        for key, place in registry.build_empty(config).named_parameters()
    }
    save_file(weights, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(registry.to_dict(config)))
    recipe = {"recipe": {"title": name, "corpus": "stories"}, "step": 10, "val_loss": 5.0}
    (folder / "recipe.json").write_text(json.dumps(recipe))
    tokenizer.save(folder)
    return folder
