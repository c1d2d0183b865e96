"""Mixtures of experts: Mixtral, and Qwen's (1.5, 2 and 3), as our GPT.

How they differ from their nearest relatives is listed in assets/labels/models.md, by `model_type`: `mixtral`,
`qwen2_moe`, `qwen3_moe`.

Source: huggingface/transformers, models/mixtral, qwen2_moe and qwen3_moe; Jiang et al. 2024 (2401.04088).
"""

from typing import Any

from core.data.localization.labels import module_labels
from core.models.imports.decoders import rope_config
from core.models.imports.decoders.llama import (
    ANGLES,
    BODY,
    FEED_FORWARD,
    llama_fields,
    qwen_window_fields,
    window_fields,
)
from core.models.imports.tensor_plan import (
    Config,
    ImportFamily,
    ImportPlan,
    Shapes,
    TensorMapping,
    check_supported_settings,
    required_setting,
)
from core.models.imports.weights_file import ImportRefused, is_count

LABELS = module_labels(__name__)

MAX_EXPERTS = 1_000  # experts of a block
SHARED = tuple(
    TensorMapping(one.theirs.replace("mlp.", "mlp.shared_expert."), str(one.ours).replace("mlp.", "mlp.shared."))
    for one in FEED_FORWARD
)


def _rows(n_expert: Any, router: str, expert: str, names: dict[str, str]) -> tuple[TensorMapping, ...]:
    """Return the table of a model with n_expert experts per block; names: an expert's matrices, file -> ours."""
    if not is_count(n_expert) or not 1 <= n_expert <= MAX_EXPERTS:
        raise ImportRefused(LABELS("n_expert", n=str(n_expert)[:20], most=MAX_EXPERTS))
    experts = (
        TensorMapping(f"layers.{{n}}.{expert.format(n)}.{theirs}.weight", f"blocks.{{n}}.mlp.experts.{n}.{ours}.weight")
        for n in range(n_expert)
        for theirs, ours in names.items()
    )
    rows = (row for row in BODY if row not in FEED_FORWARD)
    return (*rows, TensorMapping(f"layers.{{n}}.{router}.weight", "blocks.{n}.mlp.w_router.weight"), *experts)


def _mixtral(theirs: Config, shapes: Shapes) -> ImportPlan:
    n_expert = theirs.get("num_local_experts", 8)
    experts = {"n_expert": n_expert, "n_active": theirs.get("num_experts_per_tok", 2)}
    names = {"w1": "w_gate", "w2": "w_out", "w3": "w_in"}
    rows = _rows(n_expert, "block_sparse_moe.gate", "block_sparse_moe.experts.{}", names)
    more = window_fields(theirs, range(1_000)) | {"experts": experts}
    return ImportPlan(llama_fields(theirs, turning=rope_config.RopeConfigFormat(base=1e6)) | more, rows)


def _qwen(theirs: Config, *, renormalize: bool, **block: Any) -> tuple[dict[str, Any], tuple[TensorMapping, ...]]:
    """Return the fields and rows that Qwen's mixtures share. Every block must have experts."""
    check_supported_settings({**theirs, "mlp_only_layers": theirs.get("mlp_only_layers") or []},
            {"decoder_sparse_step": 1, "mlp_only_layers": []})  # fmt: skip
    n_expert = theirs.get("num_local_experts") or required_setting(theirs, "num_experts")
    found = llama_fields(theirs, **block) | qwen_window_fields(theirs) | {
        "d_ff": required_setting(theirs, "moe_intermediate_size"),
        "experts": {
            "n_expert": n_expert,
            "n_active": required_setting(theirs, "num_experts_per_tok"),
            "renormalize": theirs.get("norm_topk_prob", renormalize),
        },
    }  # fmt: skip
    names = {"gate_proj": "w_gate", "down_proj": "w_out", "up_proj": "w_in"}
    return found, _rows(n_expert, "mlp.gate", "mlp.experts.{}", names)


def _qwen2_moe(theirs: Config, shapes: Shapes) -> ImportPlan:
    found, rows = _qwen(theirs, renormalize=False, bias="qkv" if theirs.get("qkv_bias", True) else False)
    found["experts"]["d_shared"] = required_setting(theirs, "shared_expert_intermediate_size")
    gate = TensorMapping("layers.{n}.mlp.shared_expert_gate.weight", "blocks.{n}.mlp.w_shared.weight")
    return ImportPlan(found, (*rows, *SHARED, gate))


def _qwen3_moe(theirs: Config, shapes: Shapes) -> ImportPlan:
    check_supported_settings(theirs, {"attention_bias": False})
    found, rows = _qwen(theirs, renormalize=False, qk_norm="gain")
    return ImportPlan(found, rows)


MIXTRAL = ImportFamily(_mixtral, prefix="model.", ignored=ANGLES)
QWEN2_MOE = ImportFamily(_qwen2_moe, prefix="model.", ignored=ANGLES)
QWEN3_MOE = ImportFamily(_qwen3_moe, prefix="model.", ignored=ANGLES)
