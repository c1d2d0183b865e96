"""A Hugging Face OLMo 2: a Llama whose norms stand behind each part, and on the whole width of queries and keys.

Source: huggingface/transformers, models/olmo2/modeling_olmo2.py; OLMo 2: 2501.00656, section 2.1.
"""

from core.models.imports.decoders.llama import ANGLES, BODY, NORMS, fields
from core.models.imports.tensor_plan import Config, Family, Plan, Row, Shapes, require

BEHIND = (
    Row("layers.{n}.post_attention_layernorm.{p}", "blocks.{n}.norm_1_out.{p}"),
    Row("layers.{n}.post_feedforward_layernorm.{p}", "blocks.{n}.norm_2_out.{p}"),
)


def plan(theirs: Config, shapes: Shapes) -> Plan:
    """Raises ImportRefused if the model computes something that our GPT does not."""
    require(theirs, {"attention_bias": False})
    rows = (*(row for row in BODY if row not in NORMS), *BEHIND)
    return Plan(fields(theirs, shares=False, norm_first=False, norm_out=True, qk_norm="width"), rows)


FAMILY = Family(plan, prefix="model.", ignored=ANGLES)
