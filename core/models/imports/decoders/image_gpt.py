"""ImageGPT, under GPT-2's names.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `imagegpt`.

Source: huggingface/transformers, models/imagegpt/modeling_imagegpt.py; Chen et al. 2020 (Generative Pretraining from
Pixels).
"""

from core.models.imports.decoders.gpt2 import BODY, FIXED, MASKS
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    activation_setting,
    check_supported_settings,
)


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our ImageGPT doesn't."""
    check_supported_settings(theirs, FIXED | {"tie_word_embeddings": False})
    fields = {
        "kind": "image_gpt",
        "vocab_size": theirs.get("vocab_size", 513),
        "context_length": theirs.get("n_positions", 32 * 32),
        "n_layer": theirs.get("n_layer", 24),
        "n_head": theirs.get("n_head", 8),
        "d_model": theirs.get("n_embd", 512),
        "d_ff": theirs.get("n_inner"),
        "block": {
            "norm": "rms",
            "activation": activation_setting(theirs, "activation_function", "quick_gelu"),
            "eps": theirs.get("layer_norm_epsilon", 1e-5),
        },
    }
    return ImportPlan(fields, BODY)  # rows that ours lacks, such as the norms' biases, are left out


FAMILY = ImportFamily(plan, prefix="transformer.", ignored=MASKS)
