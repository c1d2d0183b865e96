"""DistilBERT, as our BERT.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `distilbert`.

Source: huggingface/transformers, models/distilbert/modeling_distilbert.py; Sanh et al. 2019 (1910.01108).
"""

from core.models.imports.encoders.bert import TASKS, check_head_activation, count_labels, output_head_kind
from core.models.imports.tensor_plan import Config, ImportFamily, ImportPlan, Shapes, TensorMapping, activation_setting

BODY = (
    TensorMapping("embeddings.word_embeddings.weight", "tok_emb.weight"),
    TensorMapping("embeddings.position_embeddings.weight", "pos_emb.weight"),
    TensorMapping("embeddings.LayerNorm.{p}", "embed_norm.{p}"),
    TensorMapping("transformer.layer.{n}.attention.q_lin.{p}", "blocks.{n}.attn.w_q.{p}"),
    TensorMapping("transformer.layer.{n}.attention.k_lin.{p}", "blocks.{n}.attn.w_k.{p}"),
    TensorMapping("transformer.layer.{n}.attention.v_lin.{p}", "blocks.{n}.attn.w_v.{p}"),
    TensorMapping("transformer.layer.{n}.attention.out_lin.{p}", "blocks.{n}.attn.w_o.{p}"),
    TensorMapping("transformer.layer.{n}.sa_layer_norm.{p}", "blocks.{n}.norm_1.{p}"),
    TensorMapping("transformer.layer.{n}.ffn.lin1.{p}", "blocks.{n}.mlp.w_in.{p}"),
    TensorMapping("transformer.layer.{n}.ffn.lin2.{p}", "blocks.{n}.mlp.w_out.{p}"),
    TensorMapping("transformer.layer.{n}.output_layer_norm.{p}", "blocks.{n}.norm_2.{p}"),
)
HEADS = {
    "masked": (
        TensorMapping("vocab_transform.{p}", "head.dense.{p}"),
        TensorMapping("vocab_layer_norm.{p}", "head.norm.{p}"),
        TensorMapping("vocab_projector.bias", "head.unembed.bias"),
        TensorMapping("vocab_projector.weight", "head.unembed.weight", alias=True),
    ),
    "sequence": (
        TensorMapping("pre_classifier.{p}", "head.pooler.{p}"),
        TensorMapping("classifier.{p}", "head.classify.{p}"),
    ),
} | TASKS


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our BERT doesn't."""
    head = output_head_kind(theirs, shapes, masked="vocab_transform.weight", pooler="pre_classifier.weight")
    bends = activation_setting(theirs, "activation", "gelu")
    check_head_activation(theirs, "activation", head)
    fields = {
        "kind": "bert",
        "vocab_size": theirs.get("vocab_size", 30522),
        "context_length": theirs.get("max_position_embeddings", 512),
        "n_layer": theirs.get("n_layers", 6),
        "n_head": theirs.get("n_heads", 12),
        "d_model": theirs.get("dim", 768),
        "d_ff": theirs.get("hidden_dim", 4 * 768),
        "n_segment": 0,
        "head": head,
        "n_label": count_labels(theirs, shapes, "classifier.weight"),
        "pool": "relu",
        "block": {"norm_first": False, "activation": bends, "eps": 1e-12},
    }
    return ImportPlan(fields, BODY + HEADS[head])


FAMILY = ImportFamily(plan, prefix="distilbert.", ignored=r"embeddings\.position_ids")
