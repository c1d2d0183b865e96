"""Mixtures of experts: Mixtral, and Qwen's (1.5, 2 and 3), as our GPT.

Mixtral (`mixtral`), compared with Mistral:

- Each block has several feed-forwards, the experts. A router sends each token to two of them and adds their outputs,
  weighted by the router's probabilities, which are made to sum to 1.
- The base of its rotary positions is 1,000,000.

Qwen1.5-MoE and Qwen2-MoE (`qwen2_moe`), compared with Qwen2:

- Each block has many small feed-forwards, the experts. A router sends each token to a few of them and adds their
  outputs, weighted by the router's probabilities, which don't have to sum to 1.
- One more expert processes every token. Its output passes a gate of its own.

Qwen3-MoE (`qwen3_moe`), compared with Qwen3:

- Each block has many small feed-forwards, the experts, of which a router chooses a few for each token.

Source: huggingface/transformers, models/mixtral, qwen2_moe and qwen3_moe; Jiang et al. 2024 (2401.04088).
"""

from typing import Any

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

MAX_EXPERTS = 1_000  # experts of a block
SHARED = tuple(
    TensorMapping(one.theirs.replace("mlp.", "mlp.shared_expert."), str(one.ours).replace("mlp.", "mlp.shared."))
    for one in FEED_FORWARD
)


def _rows(n_expert: Any, router: str, expert: str, names: dict[str, str]) -> tuple[TensorMapping, ...]:
    """Return the table of a model with n_expert experts per block; names: an expert's matrices, file -> ours."""
    if not is_count(n_expert) or not 1 <= n_expert <= MAX_EXPERTS:
        raise ImportRefused(f"{n_expert!s:.20} experts are not within 1 to {MAX_EXPERTS:,}")
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
