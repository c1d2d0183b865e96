"""T5 and T5 v1.1: which of their tensors goes where in ours.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `t5`.

Two things about the output layer vary independently: whether it is the embedding, transposed ("tied"), and whether the
stream is scaled down before it. In 2019 both were true, in v1.1 neither. transformers 5 also writes the mixed cases;
they are the same arithmetic with different numbers in an output layer of their own.

Source: huggingface/transformers, models/t5/modeling_t5.py and configuration_t5.py; Raffel et al. 2019 (1910.10683).
"""

import math

from core.data.localization.labels import module_labels
from core.models.imports.tensor_plan import (
    SAME,
    TWICE,
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
    scaling_conversion,
)
from core.models.imports.weights_file import ImportRefused

LABELS = module_labels(__name__)

_ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu_new": "gelu_tanh", "gated-gelu": "geglu", "gated-silu": "swiglu"}
FIXED = {"is_encoder_decoder": True, "layer_norm_epsilon": 1e-6}


def _attention(theirs: str, ours: str) -> tuple[TensorMapping, ...]:
    return tuple(TensorMapping(f"{theirs}.{one}.weight", f"{ours}.w_{one}.weight") for one in "qkvo")


def _side(side: str, feed_forward: int) -> tuple[TensorMapping, ...]:
    """Return the rows of the encoder or the decoder. In the file the parts of a block are numbered."""
    theirs, ours = f"{side}.block.{{n}}.layer", f"{side}.blocks.{{n}}"
    wide = f"{theirs}.{feed_forward}"
    return (
        TensorMapping(
            f"{side}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", f"{side}.pos_emb.table.weight"
        ),
        TensorMapping(f"{theirs}.0.layer_norm.weight", f"{ours}.norm_1.weight"),
        *_attention(f"{theirs}.0.SelfAttention", f"{ours}.attn"),
        TensorMapping(f"{wide}.layer_norm.weight", f"{ours}.norm_2.weight"),
        TensorMapping(f"{wide}.DenseReluDense.wo.weight", f"{ours}.mlp.w_out.weight"),
        TensorMapping(f"{side}.final_layer_norm.weight", f"{side}.norm.weight"),
        TensorMapping(f"{side}.embed_tokens.weight", "tok_emb.weight", alias=True),
    )


def _bent(side: str, feed_forward: int, gated: bool) -> tuple[TensorMapping, ...]:
    """Return the rows of the layers before the nonlinearity: one, or a gate and what it gates."""
    theirs, ours = f"{side}.block.{{n}}.layer.{feed_forward}.DenseReluDense", f"{side}.blocks.{{n}}.mlp"
    if not gated:
        return (TensorMapping(f"{theirs}.wi.weight", f"{ours}.w_in.weight"),)
    return TensorMapping(f"{theirs}.wi_0.weight", f"{ours}.w_gate.weight"), TensorMapping(
        f"{theirs}.wi_1.weight", f"{ours}.w_in.weight"
    )


BODY = (
    *_side("encoder", 1),
    *_side("decoder", 2),
    TensorMapping("decoder.block.{n}.layer.1.layer_norm.weight", "decoder.blocks.{n}.norm_cross.weight"),
    *_attention("decoder.block.{n}.layer.1.EncDecAttention", "decoder.blocks.{n}.cross_attn"),
)


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our T5 doesn't."""
    check_supported_settings(theirs, FIXED)
    bends = activation_setting(theirs, "feed_forward_proj", "relu", _ACTIVATIONS)
    scales = theirs.get("scale_decoder_outputs", theirs.get("tie_word_embeddings", True))
    d_model = theirs.get("d_model", 512)
    if not isinstance(scales, bool) or not isinstance(d_model, int) or d_model < 1:
        raise ImportRefused(LABELS["no_number"])
    head = "lm_head.weight" in shapes
    tied = scales and not (head and "scale_decoder_outputs" in theirs)
    fields = {
        "kind": "t5",
        "vocab_size": theirs.get("vocab_size", 32128),
        "n_layer": theirs.get("num_layers", 6),
        "n_decoder_layer": theirs.get("num_decoder_layers"),
        "n_head": theirs.get("num_heads", 8),
        "d_model": d_model,
        "d_head": theirs.get("d_kv", 64),
        "d_ff": theirs.get("d_ff", 2048),
        "activation": bends,
        "tied": tied,
        "n_bucket": theirs.get("relative_attention_num_buckets", 32),
        "max_distance": theirs.get("relative_attention_max_distance", 128),
    }
    gated = bends in ("geglu", "swiglu")
    bent = _bent("encoder", 1, gated) + _bent("decoder", 2, gated)
    return ImportPlan(fields, BODY + bent + _output(tied, scales, head, d_model))


def _output(tied: bool, scales: bool, head: bool, d_model: int) -> tuple[TensorMapping, ...]:
    """Return the rows of the embedding and the output layer."""
    shared = TensorMapping("shared.weight", "tok_emb.weight")
    if tied:
        return shared, TensorMapping("lm_head.weight", "unembed.weight", alias=True)
    if not head:  # tied, and yet not made smaller
        return (TensorMapping("shared.weight", ("tok_emb.weight", "unembed.weight"), TWICE),)
    return shared, TensorMapping(
        "lm_head.weight", "unembed.weight", scaling_conversion(1 / math.sqrt(d_model)) if scales else SAME
    )


# Published files carry a bias of positions for the cross-attention, which nothing ever reads.
FAMILY = ImportFamily(plan, ignored=r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight")
