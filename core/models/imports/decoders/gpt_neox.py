"""GPT-NeoX and Pythia, as our GPT.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `gpt_neox`.

Source: huggingface/transformers, models/gpt_neox/modeling_gpt_neox.py; Black et al. 2022 (2204.06745).
"""

from core.data.localization.labels import module_labels
from core.models.imports.decoders import rope_config
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
    qkv_by_head_conversion,
    required_setting,
)
from core.models.imports.weights_file import ImportRefused, is_count

LABELS = module_labels(__name__)


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our GPT doesn't."""
    check_supported_settings(theirs, {"attention_bias": True})
    n_head = required_setting(theirs, "num_attention_heads")
    if not is_count(n_head) or not n_head:
        raise ImportRefused(LABELS["n_head"])
    turning = rope_config.RopeConfigFormat(base_name="rotary_emb_base", share=0.25, share_name="rotary_pct")
    fields = {
        "kind": "gpt",
        "vocab_size": required_setting(theirs, "vocab_size"),
        "context_length": required_setting(theirs, "max_position_embeddings"),
        "n_layer": required_setting(theirs, "num_hidden_layers"),
        "n_head": n_head,
        "d_model": required_setting(theirs, "hidden_size"),
        "d_ff": required_setting(theirs, "intermediate_size"),
        "positions": "rotary",
        "rotary": rope_config.rotary_fields(theirs, turning),
        "tied": theirs.get("tie_word_embeddings", False),
        "block": {
            "parallel": theirs.get("use_parallel_residual", True),
            "activation": activation_setting(theirs, "hidden_act", "gelu"),
            "eps": theirs.get("layer_norm_eps", 1e-5),
        },
    }
    qkv = tuple(f"blocks.{{n}}.attn.w_{one}.{{p}}" for one in "qkv")
    rows = (
        TensorMapping("embed_in.weight", "tok_emb.weight"),
        TensorMapping("layers.{n}.input_layernorm.{p}", "blocks.{n}.norm_1.{p}"),
        TensorMapping("layers.{n}.attention.query_key_value.{p}", qkv, qkv_by_head_conversion(n_head)),
        TensorMapping("layers.{n}.attention.dense.{p}", "blocks.{n}.attn.w_o.{p}"),
        TensorMapping("layers.{n}.post_attention_layernorm.{p}", "blocks.{n}.norm_2.{p}"),
        TensorMapping("layers.{n}.mlp.dense_h_to_4h.{p}", "blocks.{n}.mlp.w_in.{p}"),
        TensorMapping("layers.{n}.mlp.dense_4h_to_h.{p}", "blocks.{n}.mlp.w_out.{p}"),
        TensorMapping("final_layer_norm.{p}", "norm.{p}"),
        TensorMapping("embed_out.weight", "unembed.weight"),
    )
    return ImportPlan(fields, rows)


FAMILY = ImportFamily(
    plan,
    prefix="gpt_neox.",
    ignored=r"layers\.\d+\.attention\.(bias|masked_bias|rotary_emb\.inv_freq)",
)
