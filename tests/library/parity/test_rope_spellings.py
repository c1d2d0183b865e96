"""Rotary positions in every mixture of spellings, against what transformers makes of the same config.json.

Catches: a base, a scaling or a share that is read from the wrong place, so that a model is off without a word.
"""

import inspect
import itertools
import json
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
import torch
import transformers as t
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

from core.models import pretrained
from core.models.imports.weights_file import ImportRefused
from core.nn.positions import RotarySettings

LAYERS = 2
SIZES = {
    "vocab_size": 64, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": LAYERS, "num_attention_heads": 4,
    "num_key_value_heads": 4, "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "pad_token_id": 0,
}  # fmt: skip
# d_head, where the config's own usual value is another one
HEADS = {
    "gemma": 8,
    "gemma2": 8,
    "mixtral": 8,
    "gemma3_text": 8,
    "qwen3": 8,
    "qwen3_moe": 8,
}  # d_head, where it is not the quotient
KINDS = {"layer_types": ["sliding_attention", "full_attention"]}
MORE: dict[str, dict[str, Any]] = {
    "gemma3_text": KINDS, "olmo3": KINDS, "modernbert": KINDS,
    "qwen2_moe": {"moe_intermediate_size": 8, "num_experts": 2, "num_experts_per_tok": 1,
                  "shared_expert_intermediate_size": 8},
    "qwen3_moe": {"moe_intermediate_size": 8, "num_experts": 2, "num_experts_per_tok": 1},
    "mixtral": {"num_local_experts": 2},
}  # fmt: skip
FAMILIES = ("llama", "mistral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3_text", "phi", "phi3", "gpt_neox", "olmo2",
            "olmo3", "smollm3", "mixtral", "qwen2_moe", "qwen3_moe", "modernbert")  # fmt: skip
BASES = ("rope_theta", "rotary_emb_base", "global_rope_theta", "local_rope_theta", "rope_local_base_freq")
LONG = {"short_factor": [1.0, 1.5, 2.5, 3.0], "long_factor": [2.0, 3.0, 9.0, 11.0]}
SCALINGS: tuple[dict[str, Any], ...] = (
    {"rope_type": "default"},
    {"type": "default", "rope_theta": 300.0},
    {"rope_theta": 400.0},
    {"rope_type": "default", "rope_theta": None},
    {"rope_type": "linear", "factor": 2.0, "rope_theta": 500.0},
    {"type": "linear", "factor": 3.0},
    {"type": "yarn", "rope_type": "linear", "factor": 4.0},
    {"factor": 2.0},
    {"rope_type": None, "factor": 2.0},
    {"type": "linear"},
    {"type": "dynamic", "factor": 2.0},
    {"type": "mrope", "mrope_section": [1, 1, 2]},
    {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0},
    {"type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "rope_theta": 60.0,
     "original_max_position_embeddings": 32},
    {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "rope_theta": 30.0},
    {"type": "yarn", "factor": None, "original_max_position_embeddings": 16},
    {"type": "yarn", "factor": 4.0, "beta_fast": 2.0, "beta_slow": 0.5, "mscale": 0.7, "mscale_all_dim": 0.9},
    {"rope_type": "longrope", **LONG, "original_max_position_embeddings": 48},
    {"type": "longrope", **LONG, "factor": 4.0},
    {"type": "longrope", **LONG, "attention_factor": 1.3, "rope_theta": 700.0},
    {"type": "longrope", "short_factor": LONG["short_factor"]},
    {"type": "su", **LONG, "original_max_position_embeddings": 16},
    {"type": "yarn", **LONG, "factor": 4.0},
    {"rope_type": "linear", "factor": 2.0, "partial_rotary_factor": 0.5},
    {"partial_rotary_factor": 0.5},
)  # fmt: skip
TABLES: tuple[dict[str, Any], ...] = (
    {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 900.0}},
    {"full_attention": {"type": "linear", "factor": 2.0}, "sliding_attention": {"rope_theta": 80.0}},
    {"sliding_attention": {"rope_type": "default", "rope_theta": 70.0}},
    {"full_attention": None, "sliding_attention": {"rope_type": "yarn", "factor": 4.0, "rope_theta": 40.0}},
    {"full_attention": {"type": "yarn", "factor": 2.0, "original_max_position_embeddings": 8}},
)
TOPS: tuple[dict[str, Any], ...] = (
    {},
    dict(zip(BASES, (200.0, 210.0, 220.0, 230.0, 240.0), strict=True)),
    {"rope_theta": 250.0, "original_max_position_embeddings": 24},
    {"partial_rotary_factor": 0.5, "rotary_pct": 0.75},
    {"rope_theta": None},
)
# What the reference reads and we refuse in plain words.
NOT_OURS = r"of the kind|table of its own|outside of its tables|factors do not match|should be a number"


def spellings() -> Iterator[dict[str, Any]]:
    """Each scaling in each place, alone and next to everything else that a file can specify."""
    every = (*SCALINGS, *TABLES)
    places = [*({"rope_parameters": one} for one in every), *({"rope_scaling": one} for one in every)]
    some = (SCALINGS[0], SCALINGS[4], SCALINGS[13], TABLES[1])
    places += [{"rope_scaling": old, "rope_parameters": new} for old, new in itertools.product(some, some)]
    places += [{"rope_scaling": old, "rope_parameters": new} for old, new in itertools.product((None, {}), some)]
    places += [{}, {"rope_scaling": None}, {"rope_parameters": None}, {"rope_parameters": {}}]
    for place, top in itertools.product(places, TOPS):
        yield json.loads(json.dumps({**place, **top}))


def reference(kind: str, config: dict[str, Any], n_token: int) -> list[torch.Tensor]:
    """The cosines of each layer, (T, K), as transformers computes them. Raises whatever it raises."""
    theirs = CONFIG_MAPPING[kind].from_dict(json.loads(json.dumps(config)))
    module = kind.removesuffix("_text")
    classes = import_module(f"transformers.models.{module}.modeling_{module}")
    made = next(one for name, one in vars(classes).items() if name.endswith("RotaryEmbedding") and "Vision" not in name)
    rotary = made(theirs)
    where = torch.arange(n_token)[None]
    if "layer_type" in inspect.signature(rotary.forward).parameters:
        return [rotary(torch.zeros(1), where, layer)[0][0] for layer in theirs.layer_types]
    return [rotary(torch.zeros(1), where)[0][0]] * LAYERS


def own(kind: str, config: dict[str, Any], n_token: int) -> list[torch.Tensor]:
    """Ours, (T, K). Raises ImportRefused."""
    fields = pretrained.FAMILIES[kind].plan(config, {"model.embed_tokens.weight": (64, 32)}).fields
    ours = pretrained.make_config(fields)
    cosines = []
    for layer in range(LAYERS):
        rotary = ours.rotary_of(layer) or RotarySettings()
        angle = torch.arange(n_token)[:, None] * rotary.speeds(rotary.n_turned(8), n_token=n_token)
        cosines.append((rotary.gain * angle.cos()).repeat(1, 2))
    return cosines


@pytest.mark.parametrize("kind", FAMILIES)
def test_some_spellings_are_read_as_the_reference_reads_them(kind: str) -> None:
    """One in twenty, others for each family."""
    check(kind, list(spellings())[FAMILIES.index(kind) % 20 :: 20])


@pytest.mark.full
@pytest.mark.parametrize("kind", FAMILIES)
def test_all_spellings_are_read_as_the_reference_reads_them(kind: str) -> None:
    check(kind, list(spellings()))


def check(kind: str, spelled_ways: list[dict[str, Any]]) -> None:
    sizes = SIZES | MORE.get(kind, {}) | ({"head_dim": HEADS[kind]} if kind in HEADS else {})
    t.logging.set_verbosity(t.logging.CRITICAL)
    read = refused = 0
    for n, spelled in enumerate(spelled_ways):
        config, n_token = {"model_type": kind, **sizes, **spelled}, (5, 40)[n % 2]
        try:
            expected = reference(kind, config, n_token)
            is_read = all(one.shape[-1] == 8 for one in expected) or kind in ("phi", "phi3", "gpt_neox")
        except Exception as error:
            if "FieldValidation" in type(error).__name__:
                continue  # a null where it wants a table: how strict it is about that is its own affair
            is_read = False
        try:
            ours = own(kind, config, n_token)
        except ImportRefused as error:
            message, refused = str(error), refused + 1
        else:
            message = ""
        if message:
            assert not is_read or re.search(NOT_OURS, message), f"{spelled}: {message}"
            continue
        assert is_read, f"{spelled} is no model to the reference, and is read here"
        for one, right in zip(ours, expected, strict=True):
            assert one.shape == right.shape, f"{spelled}: {one.shape[-1]} channels turn, right: {right.shape[-1]}"
            torch.testing.assert_close(one, right, atol=1e-5, rtol=1e-4, msg=lambda m, s=spelled: f"{s}: {m}")
        read += 1
    if len(spelled_ways) > 100:  # fewer may happen to be all of one sort
        assert read > len(spelled_ways) / 5 and refused, (read, refused)
    assert read or refused
