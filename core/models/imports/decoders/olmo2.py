"""OLMo 2 and OLMo 3, as our GPT.

OLMo 2 (`olmo2`), compared with Llama:

- Norms come after each part, before it is added, and not before the part.
- Queries and keys are normalized over all heads together.

OLMo 3 (`olmo3`), compared with OLMo 2:

- Three of four layers have a window of 4,096 tokens.
- Only in the other layers are the rotary positions slowed for longer texts (YaRN).

Source: huggingface/transformers, models/olmo2 and olmo3; OLMo 2: 2501.00656, section 2.1.
"""

from typing import Any

from core.models.imports.decoders import rope
from core.models.imports.decoders.llama import ANGLES, BODY, NORMS, fields, windows
from core.models.imports.tensor_plan import Config, Family, Plan, Row, Shapes, need, require
from core.models.imports.weights_file import is_count

BEHIND = (
    Row("layers.{n}.post_attention_layernorm.{p}", "blocks.{n}.norm_1_out.{p}"),
    Row("layers.{n}.post_feedforward_layernorm.{p}", "blocks.{n}.norm_2_out.{p}"),
)


FULL = rope.LayerSpelling("full_attention", 500_000.0, "rope_theta")
SLIDING = rope.LayerSpelling("sliding_attention", 500_000.0, "", scaled=False)


def plan(theirs: Config, shapes: Shapes, turning: rope.Spelling | rope.LayerSpelling = rope.PLAIN) -> Plan:
    """Plan the import. Raises ImportRefused if the model computes something that our GPT doesn't."""
    require(theirs, {"attention_bias": False})
    rows = (*(row for row in BODY if row not in NORMS), *BEHIND)
    style: dict[str, Any] = {"norm_first": False, "norm_out": True, "qk_norm": "width"}
    return Plan(fields(theirs, shares=False, turning=turning, **style), rows)


def _olmo3(theirs: Config, shapes: Shapes) -> Plan:
    n_layer = need(theirs, "num_hidden_layers")
    if theirs.get("layer_types") is None and is_count(n_layer) and n_layer <= 1_000:
        kinds = ["sliding_attention" if (layer + 1) % 4 else "full_attention" for layer in range(n_layer)]
        theirs = {**theirs, "layer_types": kinds}
    made = plan(theirs, shapes, FULL)
    more = windows({"sliding_window": 4096, **theirs})
    if "window" in more:
        more["window_rotary"] = rope.rotary(theirs, SLIDING)
    return Plan(made.fields | more, made.rows)


FAMILY = Family(plan, prefix="model.", ignored=ANGLES)
OLMO3 = Family(_olmo3, prefix="model.", ignored=ANGLES)
