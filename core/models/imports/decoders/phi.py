"""Phi (1, 1.5 and 2) and Phi-3 (to Phi-4-mini), as our GPT.

Phi (`phi`), compared with GPT-NeoX:

- Attention and feed-forward share one norm.
- Rotary positions turn half of each head.
- The output layer has biases.

Phi-3 (`phi3`), compared with Llama:

- Every layer may have a window.
- For long texts, rotary positions are slowed, each pair by a factor of its own (LongRoPE).
- In the file, queries, keys and values are one matrix, and the feed-forward's gate is in one matrix with what it gates.

Source: huggingface/transformers, models/phi and phi3; LongRoPE: 2402.13753.
"""

from core.models.imports.decoders import rope
from core.models.imports.decoders.llama import ANGLES, FEED_FORWARD, NORMS, OUTSIDE, fields, windows
from core.models.imports.tensor_plan import Config, Family, Plan, Row, Shapes, activation, need, require, stacked
from core.models.imports.weights_file import ImportRefused, is_count

PHI = (
    Row("embed_tokens.weight", "tok_emb.weight"),
    *(Row(f"layers.{{n}}.self_attn.{one}_proj.{{p}}", f"blocks.{{n}}.attn.w_{one}.{{p}}") for one in "qkv"),
    Row("layers.{n}.self_attn.dense.{p}", "blocks.{n}.attn.w_o.{p}"),
    Row("layers.{n}.input_layernorm.{p}", "blocks.{n}.norm_1.{p}"),
    Row("layers.{n}.mlp.fc1.{p}", "blocks.{n}.mlp.w_in.{p}"),
    Row("layers.{n}.mlp.fc2.{p}", "blocks.{n}.mlp.w_out.{p}"),
    Row("final_layernorm.{p}", "norm.{p}"),
    Row("lm_head.{p}", "unembed.{p}"),
)


def _phi(theirs: Config, shapes: Shapes) -> Plan:
    require(theirs, {"qk_layernorm": False, "tie_word_embeddings": False})
    style = {
        "parallel": "one norm",
        "activation": activation(theirs, "hidden_act", "gelu_new"),
        "eps": theirs.get("layer_norm_eps", 1e-5),
    }
    theirs = {**theirs, "hidden_act": "silu", "rms_norm_eps": style["eps"]}
    turning = rope.Spelling(share=0.5)
    return Plan(
        fields(theirs, shares=False, turning=turning) | {"output_bias": True, "d_head": None, "block": style}, PHI
    )


def _phi3(theirs: Config, shapes: Shapes) -> Plan:
    require(theirs, {"attention_bias": False})
    kinds, known = {"su": "longrope", "yarn": "longrope"}, ("default", "longrope")  # "yarn" as transformers reads it
    turning = rope.Spelling(share=1.0, kinds=kinds, known=known, before=4096)
    found = fields(theirs, shares=False, turning=turning) | windows(theirs, range(1_000))
    n_head, d_model, d_ff = (need(theirs, n) for n in ("num_attention_heads", "hidden_size", "intermediate_size"))
    n_kv_head = theirs.get("num_key_value_heads") or n_head
    if not all(is_count(n) and n for n in (n_head, n_kv_head, d_model, d_ff)):
        raise ImportRefused("the sizes of the heads are no whole numbers")
    d_head = theirs.get("head_dim") or d_model // n_head
    qkv = tuple(f"blocks.{{n}}.attn.w_{one}.{{p}}" for one in "qkv")
    rows = (
        Row("layers.{n}.self_attn.qkv_proj.{p}", qkv, stacked(n_head * d_head, n_kv_head * d_head, n_kv_head * d_head)),
        Row("layers.{n}.self_attn.o_proj.{p}", "blocks.{n}.attn.w_o.{p}"),
        Row(
            "layers.{n}.mlp.gate_up_proj.{p}",
            ("blocks.{n}.mlp.w_gate.{p}", "blocks.{n}.mlp.w_in.{p}"),
            stacked(d_ff, d_ff),
        ),
        next(row for row in FEED_FORWARD if "down" in row.theirs),
    )
    return Plan(found, (*OUTSIDE, *NORMS, *rows))


PHI_FAMILY = Family(_phi, prefix="model.", ignored=ANGLES)
PHI3_FAMILY = Family(_phi3, prefix="model.", ignored=ANGLES)
