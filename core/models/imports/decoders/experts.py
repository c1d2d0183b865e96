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

from core.models.imports.decoders import rope
from core.models.imports.decoders.llama import ANGLES, BODY, FEED_FORWARD, fields, qwen_windows, windows
from core.models.imports.tensor_plan import Config, Family, Plan, Row, Shapes, need, require
from core.models.imports.weights_file import ImportRefused, is_count

MOST = 1_000  # experts of a block
SHARED = tuple(Row(one.theirs.replace("mlp.", "mlp.shared_expert."), str(one.ours).replace("mlp.", "mlp.shared."))
               for one in FEED_FORWARD)  # fmt: skip


def _rows(n_expert: Any, router: str, expert: str, names: dict[str, str]) -> tuple[Row, ...]:
    """Return the table of a model with n_expert experts per block; names: an expert's matrices, file -> ours."""
    if not is_count(n_expert) or not 1 <= n_expert <= MOST:
        raise ImportRefused(f"{n_expert!s:.20} experts are not within 1 to {MOST:,}")
    experts = (
        Row(f"layers.{{n}}.{expert.format(n)}.{theirs}.weight", f"blocks.{{n}}.mlp.experts.{n}.{ours}.weight")
        for n in range(n_expert)
        for theirs, ours in names.items()
    )
    rows = (row for row in BODY if row not in FEED_FORWARD)
    return (*rows, Row(f"layers.{{n}}.{router}.weight", "blocks.{n}.mlp.w_router.weight"), *experts)


def _mixtral(theirs: Config, shapes: Shapes) -> Plan:
    n_expert = theirs.get("num_local_experts", 8)
    experts = {"n_expert": n_expert, "n_active": theirs.get("num_experts_per_tok", 2)}
    names = {"w1": "w_gate", "w2": "w_out", "w3": "w_in"}
    rows = _rows(n_expert, "block_sparse_moe.gate", "block_sparse_moe.experts.{}", names)
    more = windows(theirs, range(1_000)) | {"experts": experts}
    return Plan(fields(theirs, turning=rope.Spelling(base=1e6)) | more, rows)


def _qwen(theirs: Config, *, renormalize: bool, **block: Any) -> tuple[dict[str, Any], tuple[Row, ...]]:
    """Return the fields and rows that Qwen's mixtures share. Every block must have experts."""
    require({**theirs, "mlp_only_layers": theirs.get("mlp_only_layers") or []},
            {"decoder_sparse_step": 1, "mlp_only_layers": []})  # fmt: skip
    n_expert = theirs.get("num_local_experts") or need(theirs, "num_experts")
    found = fields(theirs, **block) | qwen_windows(theirs) | {
        "d_ff": need(theirs, "moe_intermediate_size"),
        "experts": {
            "n_expert": n_expert,
            "n_active": need(theirs, "num_experts_per_tok"),
            "renormalize": theirs.get("norm_topk_prob", renormalize),
        },
    }  # fmt: skip
    names = {"gate_proj": "w_gate", "down_proj": "w_out", "up_proj": "w_in"}
    return found, _rows(n_expert, "mlp.gate", "mlp.experts.{}", names)


def _qwen2_moe(theirs: Config, shapes: Shapes) -> Plan:
    found, rows = _qwen(theirs, renormalize=False, bias="qkv" if theirs.get("qkv_bias", True) else False)
    found["experts"]["d_shared"] = need(theirs, "shared_expert_intermediate_size")
    gate = Row("layers.{n}.mlp.shared_expert_gate.weight", "blocks.{n}.mlp.w_shared.weight")
    return Plan(found, (*rows, *SHARED, gate))


def _qwen3_moe(theirs: Config, shapes: Shapes) -> Plan:
    require(theirs, {"attention_bias": False})
    found, rows = _qwen(theirs, renormalize=False, qk_norm="gain")
    return Plan(found, rows)


MIXTRAL = Family(_mixtral, prefix="model.", ignored=ANGLES)
QWEN2_MOE = Family(_qwen2_moe, prefix="model.", ignored=ANGLES)
QWEN3_MOE = Family(_qwen3_moe, prefix="model.", ignored=ANGLES)
