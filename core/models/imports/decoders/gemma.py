"""Gemma, Gemma 2 and Gemma 3, as our GPT.

How they differ from their nearest relatives is listed in assets/labels/models.md, by `model_type`: `gemma`, `gemma2`,
`gemma3_text`, `gemma3`.

Source: huggingface/transformers, models/gemma, gemma2 and gemma3; Gemma 2: 2408.00118; Gemma 3: 2503.19786.
"""

import math
from dataclasses import replace
from typing import Any

from core.data.localization.labels import module_labels
from core.models.imports.decoders import rope_config
from core.models.imports.decoders.llama import ANGLES, BODY, NORMS, llama_fields, window_fields
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorLayoutConversion,
    TensorMapping,
    check_number,
    check_supported_settings,
    required_setting,
)
from core.models.imports.weights_file import ImportRefused, is_count

LABELS = module_labels(__name__)

PLUS_ONE = TensorLayoutConversion(lambda ours: ours[0], lambda x: (x + 1,))
BOTH_SIDES = tuple(
    TensorMapping(f"layers.{{n}}.{theirs}_layernorm.{{p}}", f"blocks.{{n}}.{ours}.{{p}}")
    for theirs, ours in (
        ("input", "norm_1"), ("post_attention", "norm_1_out"), ("pre_feedforward", "norm_2"),
        ("post_feedforward", "norm_2_out"),
    )
)  # fmt: skip


def _rows(norms: tuple[TensorMapping, ...]) -> tuple[TensorMapping, ...]:
    """Return the table of names, with 1 added to each norm's gain."""
    rows = (*(row for row in BODY if row not in NORMS), *norms)
    return tuple(replace(row, layout=PLUS_ONE) if "norm" in str(row.ours) else row for row in rows)


def _fields(
    theirs: Config,
    turning: rope_config.RopeConfigFormat | rope_config.LayerRopeConfigFormat = rope_config.PLAIN,
    **block: Any,
) -> dict[str, Any]:
    both_ways = theirs.get("use_bidirectional_attention") or False
    check_supported_settings({**theirs, "use_bidirectional_attention": both_ways},
            {"attention_bias": False, "use_bidirectional_attention": False})  # fmt: skip
    act = next((name for name in ("hidden_activation", "hidden_act") if theirs.get(name) is not None), "hidden_act")
    # The first Gemma's config says "gelu" where its tanh is meant; transformers reads it so, too.
    theirs = {**theirs, act: "gelu_pytorch_tanh" if theirs.get(act, "gelu") == "gelu" else theirs[act]}
    check_number(theirs, "hidden_size")
    d_model = required_setting(theirs, "hidden_size")
    return llama_fields(theirs, act=act, tied=True, turning=turning, **block) | {
        "d_head": theirs.get("head_dim", 256),
        "embed_scale": math.sqrt(d_model),
    }


def _scores(theirs: Config) -> dict[str, object]:
    """Return the fields of Gemma 2 and 3 that change scores and logits."""
    check_number(theirs, "query_pre_attn_scalar")
    return {
        "scale": (theirs.get("query_pre_attn_scalar") or 256) ** -0.5,
        "logit_softcap": theirs.get("final_logit_softcapping"),
    }


def _gemma(theirs: Config, shapes: Shapes) -> ImportPlan:
    return ImportPlan(_fields(theirs), _rows(NORMS))


def _gemma2(theirs: Config, shapes: Shapes) -> ImportPlan:
    style = {"norm_out": True, "softcap": theirs.get("attn_logit_softcapping", 50.0)}
    return ImportPlan(
        _fields(theirs, **style)
        | _scores({"final_logit_softcapping": 30.0, **theirs})
        | window_fields({"sliding_window": 4096, **theirs}, range(0, 1_000, 2)),
        _rows(BOTH_SIDES),
    )


FULL = rope_config.LayerRopeConfigFormat("full_attention", 1e6, "rope_theta")
SLIDING = rope_config.LayerRopeConfigFormat("sliding_attention", 1e4, "rope_local_base_freq", scaled=False)


def _gemma3(theirs: Config, shapes: Shapes) -> ImportPlan:
    style = {"norm_out": True, "qk_norm": "gain", "softcap": theirs.get("attn_logit_softcapping")}
    pattern, n_layer = theirs.get("sliding_window_pattern", 6), required_setting(theirs, "num_hidden_layers")
    if theirs.get("layer_types") is None and is_count(pattern) and is_count(n_layer) and pattern and n_layer <= 1_000:
        kinds = ["full_attention" if (layer + 1) % pattern == 0 else "sliding_attention" for layer in range(n_layer)]
        theirs = {**theirs, "layer_types": kinds}
    found = _fields(theirs, FULL, **style) | _scores(theirs) | window_fields({"sliding_window": 4096, **theirs})
    if "window" in found:
        found["window_rotary"] = rope_config.rotary_fields(theirs, SLIDING)
    return ImportPlan(found, _rows(BOTH_SIDES))


# What the config of one that sees need not say of its texts.
USUAL = {
    "vocab_size": 262_208, "hidden_size": 2304, "intermediate_size": 9216, "num_hidden_layers": 26,
    "num_attention_heads": 8, "num_key_value_heads": 4, "max_position_embeddings": 131_072, "rms_norm_eps": 1e-6,
}  # fmt: skip


def _gemma3_that_sees(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the text part alone; the part that turns pictures into vectors is left out."""
    text = theirs.get("text_config")
    if not isinstance(text, dict):
        raise ImportRefused(LABELS["no_text_config"])
    return _gemma3(USUAL | text, shapes)


GEMMA = ImportFamily(_gemma, prefix="model.", ignored=ANGLES)
GEMMA2 = ImportFamily(_gemma2, prefix="model.", ignored=ANGLES)
GEMMA3 = ImportFamily(_gemma3, prefix="model.", ignored=ANGLES)
GEMMA3_THAT_SEES = ImportFamily(
    _gemma3_that_sees,
    prefix=("model.", "language_model.", "model."),  # both orders occur
    ignored=rf"{ANGLES}|(vision_tower|multi_modal_projector)\..+",
)
