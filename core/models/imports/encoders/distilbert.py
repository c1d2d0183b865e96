"""DistilBERT, as our BERT.

DistilBERT (`distilbert`), compared with BERT:

- It has half as many layers.
- There are no segment embeddings.
- The pooler of its head for texts has a ReLU in place of tanh.

Source: huggingface/transformers, models/distilbert/modeling_distilbert.py; Sanh et al. 2019 (1910.01108).
"""

from core.models.imports.encoders.bert import TASKS, check_bend, n_label, which_head
from core.models.imports.tensor_plan import Config, Family, Plan, Row, Shapes, activation

BODY = (
    Row("embeddings.word_embeddings.weight", "tok_emb.weight"),
    Row("embeddings.position_embeddings.weight", "pos_emb.weight"),
    Row("embeddings.LayerNorm.{p}", "embed_norm.{p}"),
    Row("transformer.layer.{n}.attention.q_lin.{p}", "blocks.{n}.attn.w_q.{p}"),
    Row("transformer.layer.{n}.attention.k_lin.{p}", "blocks.{n}.attn.w_k.{p}"),
    Row("transformer.layer.{n}.attention.v_lin.{p}", "blocks.{n}.attn.w_v.{p}"),
    Row("transformer.layer.{n}.attention.out_lin.{p}", "blocks.{n}.attn.w_o.{p}"),
    Row("transformer.layer.{n}.sa_layer_norm.{p}", "blocks.{n}.norm_1.{p}"),
    Row("transformer.layer.{n}.ffn.lin1.{p}", "blocks.{n}.mlp.w_in.{p}"),
    Row("transformer.layer.{n}.ffn.lin2.{p}", "blocks.{n}.mlp.w_out.{p}"),
    Row("transformer.layer.{n}.output_layer_norm.{p}", "blocks.{n}.norm_2.{p}"),
)
HEADS = {
    "masked": (
        Row("vocab_transform.{p}", "head.dense.{p}"),
        Row("vocab_layer_norm.{p}", "head.norm.{p}"),
        Row("vocab_projector.bias", "head.unembed.bias"),
        Row("vocab_projector.weight", "head.unembed.weight", alias=True),
    ),
    "sequence": (Row("pre_classifier.{p}", "head.pooler.{p}"), Row("classifier.{p}", "head.classify.{p}")),
} | TASKS


def plan(theirs: Config, shapes: Shapes) -> Plan:
    """Plan the import. Raises ImportRefused if the model computes something that our BERT doesn't."""
    head = which_head(theirs, shapes, masked="vocab_transform.weight", pooler="pre_classifier.weight")
    bends = activation(theirs, "activation", "gelu")
    check_bend(theirs, "activation", head)
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
        "n_label": n_label(theirs, shapes, "classifier.weight"),
        "pool": "relu",
        "block": {"norm_first": False, "activation": bends, "eps": 1e-12},
    }
    return Plan(fields, BODY + HEADS[head])


FAMILY = Family(plan, prefix="distilbert.", ignored=r"embeddings\.position_ids")
