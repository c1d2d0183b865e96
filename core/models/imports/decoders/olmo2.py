"""Hugging Face's OLMo 2 and OLMo 3: Llamas whose norms stand behind each part, and on queries and keys as a whole.

In OLMo 3 three of four layers read a window, and only the others' positions are slowed for longer texts (YaRN).

Source: huggingface/transformers, models/olmo2 and olmo3; OLMo 2: 2501.00656, section 2.1.
"""

from core.models.imports.decoders import rope
from core.models.imports.decoders.llama import ANGLES, BODY, NORMS, fields, windows
from core.models.imports.tensor_plan import Config, Family, Plan, Row, Shapes, need, require
from core.models.imports.weights_file import is_count

BEHIND = (
    Row("layers.{n}.post_attention_layernorm.{p}", "blocks.{n}.norm_1_out.{p}"),
    Row("layers.{n}.post_feedforward_layernorm.{p}", "blocks.{n}.norm_2_out.{p}"),
)


def plan(theirs: Config, shapes: Shapes) -> Plan:
    """Raises ImportRefused if the model computes something that our GPT does not."""
    require(theirs, {"attention_bias": False})
    rows = (*(row for row in BODY if row not in NORMS), *BEHIND)
    return Plan(fields(theirs, shares=False, norm_first=False, norm_out=True, qk_norm="width"), rows)


def _olmo3(theirs: Config, shapes: Shapes) -> Plan:
    n_layer, base = need(theirs, "num_hidden_layers"), theirs.get("rope_theta", 500_000.0)
    if theirs.get("layer_types") is None and is_count(n_layer) and n_layer <= 1_000:
        kinds = ["sliding_attention" if (layer + 1) % 4 else "full_attention" for layer in range(n_layer)]
        theirs = {**theirs, "layer_types": kinds}
    made = plan(theirs, shapes)
    more = windows({"sliding_window": 4096, **theirs}) | {"rotary": rope.rotary(theirs, default=base)}
    if "window" in more:
        # In the old spelling the scaling is not for these layers, and neither is the base.
        told = theirs if isinstance(theirs.get("rope_parameters"), dict) else {**theirs, "rope_scaling": None}
        more["window_rotary"] = rope.rotary(told, "sliding_attention", "", 500_000.0)
    return Plan(made.fields | more, made.rows)


FAMILY = Family(plan, prefix="model.", ignored=ANGLES)
OLMO3 = Family(_olmo3, prefix="model.", ignored=ANGLES)
