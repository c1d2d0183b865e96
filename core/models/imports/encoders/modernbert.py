"""ModernBERT, as our BERT.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `modernbert`.

Source: huggingface/transformers, models/modernbert/modeling_modernbert.py; Warner et al. 2024 (2412.13663).
"""

from typing import Any

from core.data.localization.labels import module_labels
from core.models.imports.decoders import rope_config
from core.models.imports.decoders.llama import GATED, window_fields
from core.models.imports.encoders.bert import count_labels, output_head_kind
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
    stacked_rows_conversion,
)
from core.models.imports.weights_file import ImportRefused, is_count, shorten_name

LABELS = module_labels(__name__)

DENSE, NORM = TensorMapping("head.dense.{p}", "head.dense.{p}"), TensorMapping("head.norm.{p}", "head.norm.{p}")
CLASSIFY = TensorMapping("classifier.{p}", "head.classify.{p}")
HEADS = {
    "masked": (
        DENSE,
        NORM,
        TensorMapping("decoder.bias", "head.unembed.bias"),
        TensorMapping("decoder.weight", "head.unembed.weight", alias=True),
    ),
    "sequence": (TensorMapping("head.dense.{p}", "head.pooler.{p}"), NORM, CLASSIFY),
    "tokens": (DENSE, NORM, CLASSIFY),
    "span": (DENSE, NORM, CLASSIFY),
    "none": (),
}
FULL = rope_config.LayerRopeConfigFormat("full_attention", 160_000.0, "global_rope_theta")
SLIDING = rope_config.LayerRopeConfigFormat("sliding_attention", 1e4, "local_rope_theta")
POOLINGS = {"cls": "first", "mean": "mean"}
FIXED = {"attention_bias": False, "mlp_bias": False, "norm_bias": False, "decoder_bias": True}


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our BERT doesn't."""
    check_supported_settings(theirs, FIXED)
    head = output_head_kind(theirs, shapes, masked="decoder.bias", pooler="head.dense.weight")
    pooling, bend = theirs.get("classifier_pooling", "cls"), activation_setting(theirs, "classifier_activation", "gelu")
    if not isinstance(pooling, str) or pooling not in POOLINGS:
        raise ImportRefused(LABELS("pooling", pooling=shorten_name(repr(pooling), 40), known=", ".join(POOLINGS)))
    d_model, d_ff = theirs.get("hidden_size", 768), theirs.get("intermediate_size", 1152)
    fields = {
        "kind": "bert",
        "vocab_size": theirs.get("vocab_size", 50368),
        "context_length": theirs.get("max_position_embeddings", 8192),
        "n_layer": theirs.get("num_hidden_layers", 22),
        "n_head": theirs.get("num_attention_heads", 12),
        "d_model": d_model,
        "d_ff": d_ff,
        "positions": "rotary",
        "rotary": rope_config.rotary_fields(theirs, FULL),
        "n_segment": 0,
        "first_norm": False,
        "head": head,
        "n_label": count_labels(theirs, shapes, "classifier.weight"),
        "pool": bend,
        "head_style": {
            "activation": bend,
            "bias": theirs.get("classifier_bias", False),
            "norm": True,
            "pooling": POOLINGS[pooling],
        },
        "block": {
            "activation": activation_setting(theirs, "hidden_activation", "gelu", GATED),
            "bias": False,
            "eps": theirs.get("norm_eps", 1e-5),
        },
    }
    return ImportPlan(fields | _windows(theirs), _body(d_model, d_ff) + HEADS[head])


def _windows(theirs: Config) -> dict[str, object]:
    """Return the windows; half of each comes before the token, half after it."""
    n_layer, every = theirs.get("num_hidden_layers", 22), theirs.get("global_attn_every_n_layers", 3)
    width = theirs.get("local_attention", 128)
    if not (is_count(width) and is_count(n_layer) and is_count(every) and every):
        raise ImportRefused(LABELS["windows"])
    kinds = theirs.get("layer_types")
    if kinds is None and n_layer <= 1_000:
        kinds = ["sliding_attention" if layer % every else "full_attention" for layer in range(n_layer)]
    known = {"window": width // 2 + 1, "num_hidden_layers": n_layer, "layer_types": kinds}
    found = window_fields(known, name="window")
    return found | {"window_rotary": rope_config.rotary_fields(theirs, SLIDING)} if found else {}


def _body(d_model: Any, d_ff: Any) -> tuple[TensorMapping, ...]:
    if not (is_count(d_model) and is_count(d_ff)):
        raise ImportRefused(LABELS["widths"])
    qkv = tuple(f"blocks.{{n}}.attn.w_{one}.{{p}}" for one in "qkv")
    gated = ("blocks.{n}.mlp.w_gate.{p}", "blocks.{n}.mlp.w_in.{p}")
    return (
        TensorMapping("embeddings.tok_embeddings.weight", "tok_emb.weight"),
        TensorMapping("embeddings.norm.{p}", "embed_norm.{p}"),
        TensorMapping("layers.{n}.attn_norm.{p}", "blocks.{n}.norm_1.{p}"),
        TensorMapping("layers.{n}.attn.Wqkv.{p}", qkv, stacked_rows_conversion(d_model, d_model, d_model)),
        TensorMapping("layers.{n}.attn.Wo.{p}", "blocks.{n}.attn.w_o.{p}"),
        TensorMapping("layers.{n}.mlp_norm.{p}", "blocks.{n}.norm_2.{p}"),
        TensorMapping("layers.{n}.mlp.Wi.{p}", gated, stacked_rows_conversion(d_ff, d_ff)),
        TensorMapping("layers.{n}.mlp.Wo.{p}", "blocks.{n}.mlp.w_out.{p}"),
        TensorMapping("final_norm.{p}", "norm.{p}"),
    )


FAMILY = ImportFamily(plan, prefix="model.")
