"""ALBERT, as our BERT.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `albert`.

Source: huggingface/transformers, models/albert/modeling_albert.py; Lan et al. 2019 (1909.11942).
"""

from core.models.imports.encoders import bert
from core.models.imports.encoders.bert import TASKS, bert_family_common_fields, count_labels, output_head_kind
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
)

BLOCK = tuple(
    TensorMapping(f"encoder.albert_layer_groups.0.albert_layers.0.{theirs}.{{p}}", f"blocks.0.{ours}.{{p}}")
    for theirs, ours in (
        ("attention.query", "attn.w_q"), ("attention.key", "attn.w_k"), ("attention.value", "attn.w_v"),
        ("attention.dense", "attn.w_o"), ("attention.LayerNorm", "norm_1"), ("ffn", "mlp.w_in"),
        ("ffn_output", "mlp.w_out"), ("full_layer_layer_norm", "norm_2"),
    )
)  # fmt: skip
EMBEDDINGS = tuple(row for row in (*bert.BODY, *bert.POSITIONS) if row.theirs.startswith("embeddings."))
BODY = (*EMBEDDINGS, TensorMapping("encoder.embedding_hidden_mapping_in.{p}", "tok_proj.{p}"), *BLOCK)
HEADS = {
    "masked": (
        TensorMapping("predictions.dense.{p}", "head.dense.{p}"),
        TensorMapping("predictions.LayerNorm.{p}", "head.norm.{p}"),
        TensorMapping("predictions.bias", "head.unembed.bias"),
        TensorMapping("predictions.decoder.bias", "head.unembed.bias", alias=True),
        TensorMapping("predictions.decoder.weight", "head.unembed.weight", alias=True),
    ),
    "sequence": (TensorMapping("pooler.{p}", "head.pooler.{p}"), TensorMapping("classifier.{p}", "head.classify.{p}")),
} | TASKS
POOLER = ("pooler.weight", "pooler.bias")
USUAL = {"hidden_size": 4096, "num_attention_heads": 64, "intermediate_size": 16384, "hidden_act": "gelu_new"}


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our BERT doesn't."""
    check_supported_settings(theirs, {"num_hidden_groups": 1, "inner_group_num": 1})
    theirs = USUAL | dict(theirs)
    head = output_head_kind(theirs, shapes, masked="predictions.dense.weight", pooler="pooler.weight")
    fields = bert_family_common_fields(theirs) | {
        "vocab_size": theirs.get("vocab_size", 30000),
        "context_length": theirs.get("max_position_embeddings", 512),
        "d_embed": theirs.get("embedding_size", 128),
        "shared": True,
        "head": head,
        "n_label": count_labels(theirs, shapes, "classifier.weight"),
        "head_style": {"activation": activation_setting(theirs, "hidden_act", "gelu_new")},
    }
    return ImportPlan(fields, BODY + HEADS[head], unused=() if head == "sequence" else POOLER)


FAMILY = ImportFamily(
    plan,
    prefix="albert.",
    ignored=r"embeddings\.(position_ids|token_type_ids)|sop_classifier\.classifier\.(weight|bias)",
)
