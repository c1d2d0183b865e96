"""GPT-2, as our GPT: which of its tensors goes where.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `gpt2`.

Source: huggingface/transformers, models/gpt2/modeling_gpt2.py; Radford et al. 2019 (GPT-2), section 2.3.
"""

from core.models.imports.tensor_plan import (
    THIRDS,
    TRANSPOSED,
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
)

BODY = (
    TensorMapping("wte.weight", "tok_emb.weight"),
    TensorMapping("wpe.weight", "pos_emb.weight"),
    TensorMapping("h.{n}.ln_1.{p}", "blocks.{n}.norm_1.{p}"),
    TensorMapping("h.{n}.attn.c_attn.{p}", tuple(f"blocks.{{n}}.attn.w_{one}.{{p}}" for one in "qkv"), THIRDS),
    TensorMapping("h.{n}.attn.c_proj.{p}", "blocks.{n}.attn.w_o.{p}", TRANSPOSED),
    TensorMapping("h.{n}.ln_2.{p}", "blocks.{n}.norm_2.{p}"),
    TensorMapping("h.{n}.mlp.c_fc.{p}", "blocks.{n}.mlp.w_in.{p}", TRANSPOSED),
    TensorMapping("h.{n}.mlp.c_proj.{p}", "blocks.{n}.mlp.w_out.{p}", TRANSPOSED),
    TensorMapping("ln_f.{p}", "norm.{p}"),
    TensorMapping("lm_head.weight", "unembed.weight"),  # needed if it is not tied
)
MASKS = r"h\.\d+\.attn\.(bias|masked_bias)"
# What would change the arithmetic, and the only value that ours computes.
FIXED = {
    "scale_attn_weights": True,
    "scale_attn_by_inverse_layer_idx": False,
    "add_cross_attention": False,
}


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our GPT doesn't."""
    check_supported_settings(theirs, FIXED)
    eps = theirs.get("layer_norm_epsilon", 1e-5)
    fields = {
        "kind": "gpt",
        "vocab_size": theirs.get("vocab_size", 50257),
        "context_length": theirs.get("n_positions", 1024),
        "n_layer": theirs.get("n_layer", 12),
        "n_head": theirs.get("n_head", 12),
        "d_model": theirs.get("n_embd", 768),
        "d_ff": theirs.get("n_inner"),
        "tied": theirs.get("tie_word_embeddings", True),
        "block": {
            "activation": activation_setting(theirs, "activation_function", "gelu_new"),
            "eps": None if eps == 1e-5 else eps,  # None is 1e-5
        },
    }
    return ImportPlan(fields, BODY)


FAMILY = ImportFamily(plan, prefix="transformer.", ignored=MASKS)
