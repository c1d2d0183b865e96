"""OLMo 2 and OLMo 3, as our GPT.

How they differ from their nearest relatives is listed in assets/labels/models.md, by `model_type`: `olmo2`, `olmo3`.

Source: huggingface/transformers, models/olmo2 and olmo3; OLMo 2: 2501.00656, section 2.1.
"""

from typing import Any

from core.models.imports.decoders import rope_config
from core.models.imports.decoders.llama import ANGLES, BODY, NORMS, llama_fields, window_fields
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    check_supported_settings,
    required_setting,
)
from core.models.imports.weights_file import is_count

BEHIND = (
    TensorMapping("layers.{n}.post_attention_layernorm.{p}", "blocks.{n}.norm_1_out.{p}"),
    TensorMapping("layers.{n}.post_feedforward_layernorm.{p}", "blocks.{n}.norm_2_out.{p}"),
)


FULL = rope_config.LayerRopeConfigFormat("full_attention", 500_000.0, "rope_theta")
SLIDING = rope_config.LayerRopeConfigFormat("sliding_attention", 500_000.0, "", scaled=False)


def plan(
    theirs: Config,
    shapes: Shapes,
    turning: rope_config.RopeConfigFormat | rope_config.LayerRopeConfigFormat = rope_config.PLAIN,
) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our GPT doesn't."""
    check_supported_settings(theirs, {"attention_bias": False})
    rows = (*(row for row in BODY if row not in NORMS), *BEHIND)
    style: dict[str, Any] = {"norm_first": False, "norm_out": True, "qk_norm": "width"}
    return ImportPlan(llama_fields(theirs, shares=False, turning=turning, **style), rows)


def _olmo3(theirs: Config, shapes: Shapes) -> ImportPlan:
    n_layer = required_setting(theirs, "num_hidden_layers")
    if theirs.get("layer_types") is None and is_count(n_layer) and n_layer <= 1_000:
        kinds = ["sliding_attention" if (layer + 1) % 4 else "full_attention" for layer in range(n_layer)]
        theirs = {**theirs, "layer_types": kinds}
    made = plan(theirs, shapes, FULL)
    more = window_fields({"sliding_window": 4096, **theirs})
    if "window" in more:
        more["window_rotary"] = rope_config.rotary_fields(theirs, SLIDING)
    return ImportPlan(made.fields | more, made.rows)


FAMILY = ImportFamily(plan, prefix="model.", ignored=ANGLES)
OLMO3 = ImportFamily(_olmo3, prefix="model.", ignored=ANGLES)
