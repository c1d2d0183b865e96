"""GPT-NeoX and Pythia, as our GPT.

GPT-NeoX (`gpt_neox`), compared with GPT-2:

- Attention and feed-forward read the same vector, side by side, and both outputs are added.
- Positions are rotary, and turn only a quarter of each head.
- The output layer is a matrix of its own, not the embedding.
- In the file, queries, keys and values are one matrix, head by head. Old files also store causal masks.

Source: huggingface/transformers, models/gpt_neox/modeling_gpt_neox.py; Black et al. 2022 (2204.06745).
"""

from core.models.imports.decoders import rope
from core.models.imports.tensor_plan import Config, Family, Plan, Row, Shapes, activation, head_by_head, need, require
from core.models.imports.weights_file import ImportRefused, is_count


def plan(theirs: Config, shapes: Shapes) -> Plan:
    """Plan the import. Raises ImportRefused if the model computes something that our GPT doesn't."""
    require(theirs, {"attention_bias": True})
    n_head = need(theirs, "num_attention_heads")
    if not is_count(n_head) or not n_head:
        raise ImportRefused("num_attention_heads is no whole number from 1 on")
    turning = rope.Spelling(base_name="rotary_emb_base", share=0.25, share_name="rotary_pct")
    fields = {
        "kind": "gpt",
        "vocab_size": need(theirs, "vocab_size"),
        "context_length": need(theirs, "max_position_embeddings"),
        "n_layer": need(theirs, "num_hidden_layers"),
        "n_head": n_head,
        "d_model": need(theirs, "hidden_size"),
        "d_ff": need(theirs, "intermediate_size"),
        "positions": "rotary",
        "rotary": rope.rotary(theirs, turning),
        "tied": theirs.get("tie_word_embeddings", False),
        "block": {
            "parallel": theirs.get("use_parallel_residual", True),
            "activation": activation(theirs, "hidden_act", "gelu"),
            "eps": theirs.get("layer_norm_eps", 1e-5),
        },
    }
    qkv = tuple(f"blocks.{{n}}.attn.w_{one}.{{p}}" for one in "qkv")
    rows = (
        Row("embed_in.weight", "tok_emb.weight"),
        Row("layers.{n}.input_layernorm.{p}", "blocks.{n}.norm_1.{p}"),
        Row("layers.{n}.attention.query_key_value.{p}", qkv, head_by_head(n_head)),
        Row("layers.{n}.attention.dense.{p}", "blocks.{n}.attn.w_o.{p}"),
        Row("layers.{n}.post_attention_layernorm.{p}", "blocks.{n}.norm_2.{p}"),
        Row("layers.{n}.mlp.dense_h_to_4h.{p}", "blocks.{n}.mlp.w_in.{p}"),
        Row("layers.{n}.mlp.dense_4h_to_h.{p}", "blocks.{n}.mlp.w_out.{p}"),
        Row("final_layer_norm.{p}", "norm.{p}"),
        Row("embed_out.weight", "unembed.weight"),
    )
    return Plan(fields, rows)


FAMILY = Family(
    plan,
    prefix="gpt_neox.",
    ignored=r"layers\.\d+\.attention\.(bias|masked_bias|rotary_emb\.inv_freq)",
)
