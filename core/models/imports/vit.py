"""ViT: which of its tensors goes where in ours.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `vit`.

Source: huggingface/transformers, models/vit/modeling_vit.py; Dosovitskiy et al. 2020 (2010.11929).
"""

from core.data.localization.labels import module_labels
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    activation_setting,
    check_supported_settings,
    reshaping_conversion,
)
from core.models.imports.weights_file import ImportRefused, is_count, shorten_name

LABELS = module_labels(__name__)

LAYER = {  # published files; transformers 5 in memory
    "attn.w_q": ("encoder.layer.{n}.attention.attention.query", "layers.{n}.attention.q_proj"),
    "attn.w_k": ("encoder.layer.{n}.attention.attention.key", "layers.{n}.attention.k_proj"),
    "attn.w_v": ("encoder.layer.{n}.attention.attention.value", "layers.{n}.attention.v_proj"),
    "attn.w_o": ("encoder.layer.{n}.attention.output.dense", "layers.{n}.attention.o_proj"),
    "norm_1": ("encoder.layer.{n}.layernorm_before", "layers.{n}.layernorm_before"),
    "mlp.w_in": ("encoder.layer.{n}.intermediate.dense", "layers.{n}.mlp.fc1"),
    "mlp.w_out": ("encoder.layer.{n}.output.dense", "layers.{n}.mlp.fc2"),
    "norm_2": ("encoder.layer.{n}.layernorm_after", "layers.{n}.layernorm_after"),
}
OUTSIDE = (
    TensorMapping("embeddings.patch_embeddings.projection.bias", "patch_emb.bias"),
    TensorMapping("layernorm.{p}", "norm.{p}"),
    TensorMapping("classifier.{p}", "unembed.{p}"),
)


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our ViT doesn't."""
    check_supported_settings(theirs, {"qkv_bias": True})
    sizes = {
        "image_size": _square(theirs, "image_size", 224),
        "patch_size": _square(theirs, "patch_size", 16),
        "n_channel": _count(theirs, "num_channels", 3),
        "d_model": _count(theirs, "hidden_size", 768),
    }
    head = shapes.get("classifier.weight", (0,))
    fields = sizes | {
        "kind": "vit",
        "n_layer": theirs.get("num_hidden_layers", 12),
        "n_head": theirs.get("num_attention_heads", 12),
        "d_ff": theirs.get("intermediate_size", 3072),
        "n_class": head[0] if head else 0,
        "block": {
            "activation": activation_setting(theirs, "hidden_act", "gelu"),
            "eps": theirs.get("layer_norm_eps", 1e-12),
        },
    }
    d, c, p = sizes["d_model"], sizes["n_channel"], sizes["patch_size"]
    n_token = 1 + (sizes["image_size"] // p) ** 2
    spelling = 1 if "layers.0.attention.q_proj.weight" in shapes else 0
    return ImportPlan(
        fields,
        (
            TensorMapping("embeddings.cls_token", "class_emb.weight", reshaping_conversion((1, 1, d), (1, d))),
            TensorMapping("embeddings.position_embeddings", "pos_emb.weight",
                reshaping_conversion((1, n_token, d), (n_token, d))),
            TensorMapping("embeddings.patch_embeddings.projection.weight", "patch_emb.weight",
                reshaping_conversion((d, c, p, p), (d, c * p * p))),
            *OUTSIDE,
            *(TensorMapping(f"{names[spelling]}.{{p}}", f"blocks.{{n}}.{ours}.{{p}}") for ours, names in LAYER.items()),
        ),
        unused=("pooler.dense.weight", "pooler.dense.bias", "embeddings.mask_token"),
    )  # fmt: skip


def _count(theirs: Config, name: str, default: int) -> int:
    value = theirs.get(name, default)
    if not is_count(value) or not 1 <= value <= 100_000:
        raise ImportRefused(LABELS("count", name=name, value=shorten_name(str(value), 20)))
    return int(value)


def _square(theirs: Config, name: str, default: int) -> int:
    """Return the side of a picture or a patch, whose height and width must be equal here."""
    value = theirs.get(name, default)
    if isinstance(value, list) and len(value) == 2 and value[0] == value[1]:
        return _count({name: value[0]}, name, default)
    if isinstance(value, list):
        raise ImportRefused(LABELS("square", name=name, value=shorten_name(str(value), 40)))
    return _count(theirs, name, default)


FAMILY = ImportFamily(plan, prefix="vit.")
