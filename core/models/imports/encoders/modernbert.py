"""ModernBERT, as our BERT.

ModernBERT (`modernbert`), compared with BERT:

- Positions are rotary, and there are no segment embeddings.
- Norms come before each part. The first block has none before its attention, because the embeddings are normalized.
- Two of three layers have a window, with rotary positions that turn faster.
- The feed-forward has a gate (GEGLU).
- There are no biases, except in the last layer of a head.
- A head for a task has the layer and the norm of the masked head.

Source: huggingface/transformers, models/modernbert/modeling_modernbert.py; Warner et al. 2024 (2412.13663).
"""

from typing import Any

from core.models.imports.decoders import rope
from core.models.imports.decoders.llama import GATED, windows
from core.models.imports.encoders.bert import n_label, which_head
from core.models.imports.tensor_plan import Config, Family, Plan, Row, Shapes, activation, require, stacked
from core.models.imports.weights_file import ImportRefused, excerpt, is_count

DENSE, NORM = Row("head.dense.{p}", "head.dense.{p}"), Row("head.norm.{p}", "head.norm.{p}")
CLASSIFY = Row("classifier.{p}", "head.classify.{p}")
HEADS = {
    "masked": (
        DENSE,
        NORM,
        Row("decoder.bias", "head.unembed.bias"),
        Row("decoder.weight", "head.unembed.weight", alias=True),
    ),
    "sequence": (Row("head.dense.{p}", "head.pooler.{p}"), NORM, CLASSIFY),
    "tokens": (DENSE, NORM, CLASSIFY),
    "span": (DENSE, NORM, CLASSIFY),
    "none": (),
}
FULL = rope.LayerSpelling("full_attention", 160_000.0, "global_rope_theta")
SLIDING = rope.LayerSpelling("sliding_attention", 1e4, "local_rope_theta")
POOLINGS = {"cls": "first", "mean": "mean"}
FIXED = {"attention_bias": False, "mlp_bias": False, "norm_bias": False, "decoder_bias": True}


def plan(theirs: Config, shapes: Shapes) -> Plan:
    """Plan the import. Raises ImportRefused if the model computes something that our BERT doesn't."""
    require(theirs, FIXED)
    head = which_head(theirs, shapes, masked="decoder.bias", pooler="head.dense.weight")
    pooling, bend = theirs.get("classifier_pooling", "cls"), activation(theirs, "classifier_activation", "gelu")
    if not isinstance(pooling, str) or pooling not in POOLINGS:
        raise ImportRefused(f"classifier_pooling={excerpt(repr(pooling), 40)} is none of {', '.join(POOLINGS)}")
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
        "rotary": rope.rotary(theirs, FULL),
        "n_segment": 0,
        "first_norm": False,
        "head": head,
        "n_label": n_label(theirs, shapes, "classifier.weight"),
        "pool": bend,
        "head_style": {
            "activation": bend,
            "bias": theirs.get("classifier_bias", False),
            "norm": True,
            "pooling": POOLINGS[pooling],
        },
        "block": {
            "activation": activation(theirs, "hidden_activation", "gelu", GATED),
            "bias": False,
            "eps": theirs.get("norm_eps", 1e-5),
        },
    }
    return Plan(fields | _windows(theirs), _body(d_model, d_ff) + HEADS[head])


def _windows(theirs: Config) -> dict[str, object]:
    """Return the windows; half of each comes before the token, half after it."""
    n_layer, every = theirs.get("num_hidden_layers", 22), theirs.get("global_attn_every_n_layers", 3)
    width = theirs.get("local_attention", 128)
    if not (is_count(width) and is_count(n_layer) and is_count(every) and every):
        raise ImportRefused("local_attention, num_hidden_layers and global_attn_every_n_layers must be whole numbers")
    kinds = theirs.get("layer_types")
    if kinds is None and n_layer <= 1_000:
        kinds = ["sliding_attention" if layer % every else "full_attention" for layer in range(n_layer)]
    known = {"window": width // 2 + 1, "num_hidden_layers": n_layer, "layer_types": kinds}
    found = windows(known, name="window")
    return found | {"window_rotary": rope.rotary(theirs, SLIDING)} if found else {}


def _body(d_model: Any, d_ff: Any) -> tuple[Row, ...]:
    if not (is_count(d_model) and is_count(d_ff)):
        raise ImportRefused("hidden_size and intermediate_size must be whole numbers")
    qkv = tuple(f"blocks.{{n}}.attn.w_{one}.{{p}}" for one in "qkv")
    gated = ("blocks.{n}.mlp.w_gate.{p}", "blocks.{n}.mlp.w_in.{p}")
    return (
        Row("embeddings.tok_embeddings.weight", "tok_emb.weight"),
        Row("embeddings.norm.{p}", "embed_norm.{p}"),
        Row("layers.{n}.attn_norm.{p}", "blocks.{n}.norm_1.{p}"),
        Row("layers.{n}.attn.Wqkv.{p}", qkv, stacked(d_model, d_model, d_model)),
        Row("layers.{n}.attn.Wo.{p}", "blocks.{n}.attn.w_o.{p}"),
        Row("layers.{n}.mlp_norm.{p}", "blocks.{n}.norm_2.{p}"),
        Row("layers.{n}.mlp.Wi.{p}", gated, stacked(d_ff, d_ff)),
        Row("layers.{n}.mlp.Wo.{p}", "blocks.{n}.mlp.w_out.{p}"),
        Row("final_norm.{p}", "norm.{p}"),
    )


FAMILY = Family(plan, prefix="model.")
