"""Phi (1, 1.5 and 2) and Phi-3 (to Phi-4-mini), as our GPT.

How they differ from their nearest relatives is listed in assets/labels/models.md, by `model_type`: `phi`, `phi3`.

Source: huggingface/transformers, models/phi and phi3; LongRoPE: 2402.13753.
"""

from core.data.localization.labels import module_labels
from core.models.imports.decoders import rope_config
from core.models.imports.decoders.llama import ANGLES, FEED_FORWARD, NORMS, OUTSIDE, llama_fields, window_fields
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
    required_setting,
    stacked_rows_conversion,
)
from core.models.imports.weights_file import ImportRefused, is_count

LABELS = module_labels(__name__)

PHI = (
    TensorMapping("embed_tokens.weight", "tok_emb.weight"),
    *(TensorMapping(f"layers.{{n}}.self_attn.{one}_proj.{{p}}", f"blocks.{{n}}.attn.w_{one}.{{p}}") for one in "qkv"),
    TensorMapping("layers.{n}.self_attn.dense.{p}", "blocks.{n}.attn.w_o.{p}"),
    TensorMapping("layers.{n}.input_layernorm.{p}", "blocks.{n}.norm_1.{p}"),
    TensorMapping("layers.{n}.mlp.fc1.{p}", "blocks.{n}.mlp.w_in.{p}"),
    TensorMapping("layers.{n}.mlp.fc2.{p}", "blocks.{n}.mlp.w_out.{p}"),
    TensorMapping("final_layernorm.{p}", "norm.{p}"),
    TensorMapping("lm_head.{p}", "unembed.{p}"),
)


def _phi(theirs: Config, shapes: Shapes) -> ImportPlan:
    check_supported_settings(theirs, {"qk_layernorm": False, "tie_word_embeddings": False})
    style = {
        "parallel": "one norm",
        "activation": activation_setting(theirs, "hidden_act", "gelu_new"),
        "eps": theirs.get("layer_norm_eps", 1e-5),
    }
    theirs = {**theirs, "hidden_act": "silu", "rms_norm_eps": style["eps"]}
    turning = rope_config.RopeConfigFormat(share=0.5)
    return ImportPlan(
        llama_fields(theirs, shares=False, turning=turning) | {"output_bias": True, "d_head": None, "block": style}, PHI
    )


def _phi3(theirs: Config, shapes: Shapes) -> ImportPlan:
    check_supported_settings(theirs, {"attention_bias": False})
    kinds, known = {"su": "longrope", "yarn": "longrope"}, ("default", "longrope")  # "yarn" as transformers reads it
    turning = rope_config.RopeConfigFormat(share=1.0, kinds=kinds, known=known, before=4096)
    found = llama_fields(theirs, shares=False, turning=turning) | window_fields(theirs, range(1_000))
    n_head, d_model, d_ff = (
        required_setting(theirs, n) for n in ("num_attention_heads", "hidden_size", "intermediate_size")
    )
    n_kv_head = theirs.get("num_key_value_heads") or n_head
    if not all(is_count(n) and n for n in (n_head, n_kv_head, d_model, d_ff)):
        raise ImportRefused(LABELS["head_sizes"])
    d_head = theirs.get("head_dim") or d_model // n_head
    qkv = tuple(f"blocks.{{n}}.attn.w_{one}.{{p}}" for one in "qkv")
    rows = (
        TensorMapping(
            "layers.{n}.self_attn.qkv_proj.{p}",
            qkv,
            stacked_rows_conversion(n_head * d_head, n_kv_head * d_head, n_kv_head * d_head),
        ),
        TensorMapping("layers.{n}.self_attn.o_proj.{p}", "blocks.{n}.attn.w_o.{p}"),
        TensorMapping(
            "layers.{n}.mlp.gate_up_proj.{p}",
            ("blocks.{n}.mlp.w_gate.{p}", "blocks.{n}.mlp.w_in.{p}"),
            stacked_rows_conversion(d_ff, d_ff),
        ),
        next(row for row in FEED_FORWARD if "down" in row.theirs),
    )
    return ImportPlan(found, (*OUTSIDE, *NORMS, *rows))


PHI_FAMILY = ImportFamily(_phi, prefix="model.", ignored=ANGLES)
PHI3_FAMILY = ImportFamily(_phi3, prefix="model.", ignored=ANGLES)
