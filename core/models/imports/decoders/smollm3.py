"""SmolLM3, as our GPT.

How it differs from its nearest relative is listed in assets/labels/models.md, by `model_type`: `smollm3`.

Source: huggingface/transformers, models/smollm3; layers without positions: Yang et al. 2025 (2501.18795).
"""

from core.data.localization.labels import module_labels
from core.models.imports.decoders import rope_config
from core.models.imports.decoders.llama import ANGLES, BODY, llama_fields, window_fields
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    check_supported_settings,
    required_setting,
)
from core.models.imports.weights_file import ImportRefused, is_count

LABELS = module_labels(__name__)


def plan(theirs: Config, shapes: Shapes) -> ImportPlan:
    """Plan the import. Raises ImportRefused if the model computes something that our GPT doesn't."""
    check_supported_settings(theirs, {"mlp_bias": False, "attention_bias": False})
    # What the file need not say: 4 heads of keys, a base of 2,000,000, and that the output layer is the embedding.
    found = llama_fields(
        {"num_key_value_heads": 4, **theirs}, shares=False, tied=True, turning=rope_config.RopeConfigFormat(base=2e6)
    )
    unrotated = _unrotated(theirs)
    more = window_fields(theirs, unrotated) if theirs.get("use_sliding_window", False) else {}
    return ImportPlan(found | more | ({"unrotated": unrotated} if unrotated else {}), BODY)


def _unrotated(theirs: Config) -> list[int]:
    """Return the layers without rotary positions. In the config, 1 marks a layer that has them."""
    n_layer, every = required_setting(theirs, "num_hidden_layers"), theirs.get("no_rope_layer_interval", 4)
    has_positions = theirs.get("no_rope_layers")
    if not is_count(n_layer) or not is_count(every) or not every:
        raise ImportRefused(LABELS["whole_numbers"])
    if n_layer > 1_000:
        return []  # it is refused later, for its depth
    if has_positions is None:
        return [layer for layer in range(n_layer) if (layer + 1) % every == 0]
    is_list = isinstance(has_positions, list) and len(has_positions) == n_layer
    if not is_list or not all(one in (0, 1) for one in has_positions):
        raise ImportRefused(LABELS["has_positions"])
    return [layer for layer, has in enumerate(has_positions) if not has]


FAMILY = ImportFamily(plan, prefix="model.", ignored=ANGLES)
