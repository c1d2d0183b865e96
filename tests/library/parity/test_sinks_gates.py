"""Attention with sinks, or with gates after its heads, equals transformers' gpt-oss and Qwen3-Next."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import GptOssConfig, Qwen3NextConfig
from transformers.models.gpt_oss.modeling_gpt_oss import GptOssAttention
from transformers.models.qwen3_next.modeling_qwen3_next import Qwen3NextAttention

from core.nn.attention import MultiHeadAttention, masked_softmax
from core.nn.masks import causal
from core.nn.tap import Trace

T, D, K, H, G = 7, 24, 8, 4, 2  # tokens, width, width of a head, heads, heads of keys
SIZES = {"hidden_size": D, "head_dim": K, "num_attention_heads": H, "num_key_value_heads": G, "attention_bias": True,
         "attn_implementation": "eager"}  # fmt: skip
CLOSE = {"atol": 1e-10, "rtol": 0.0}
MASK = causal(T)


def normal(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


X = normal(2, T, D, seed=99)


def lively(theirs: nn.Module) -> nn.Module:
    for n, parameter in enumerate(theirs.double().eval().parameters()):
        parameter.data = normal(*parameter.shape, seed=n) * 0.5
    return theirs


def asked(theirs: nn.Module, n_turned: int) -> tuple[Tensor, Tensor]:
    """Their output and weights, with positions that turn nothing."""
    blocked = torch.zeros(T, T, dtype=torch.float64).masked_fill(~MASK, torch.finfo(torch.float64).min)
    still = torch.ones(1, T, n_turned, dtype=torch.float64)
    return theirs(X, position_embeddings=(still, 0 * still), attention_mask=blocked[None, None])


def ours(weights: dict[str, Tensor], **options: Any) -> MultiHeadAttention:
    made = MultiHeadAttention(D, H, K, n_kv_head=G, **options).double()
    made.load_state_dict({name: one for name, one in weights.items() if name in made.state_dict()})
    return made


def renamed(theirs: nn.Module) -> dict[str, Tensor]:
    names = {f"{letter}_proj": f"w_{letter}" for letter in "qkvo"} | {"q_norm": "norm_q", "k_norm": "norm_k"}
    parts = ((name.partition("."), one) for name, one in theirs.state_dict().items())
    return {names.get(first, first) + dot + last: one for (first, dot, last), one in parts}


def test_a_learned_sink_is_that_of_gpt_oss() -> None:
    theirs = lively(GptOssAttention(GptOssConfig(**SIZES), 0))
    weights = renamed(theirs)
    expected, read = asked(theirs, K // 2)
    with Trace(mine := ours(weights, sink=True)) as trace:
        torch.testing.assert_close(mine(X, mask=MASK), expected, **CLOSE)
    torch.testing.assert_close(trace["weights"], read, **CLOSE)
    assert (trace["weights"].sum(-1) < 0.99).any()  # the rest is read from nowhere
    for wrong in ("zero", False):
        assert (ours(weights, sink=wrong)(X, mask=MASK) - expected).abs().max() > 1e-2
    swapped = weights | {"sinks": weights["sinks"].flip(0)}
    assert (ours(swapped, sink=True)(X, mask=MASK) - expected).abs().max() > 1e-2


def test_gates_are_those_of_qwen3_next() -> None:
    theirs = lively(Qwen3NextAttention(Qwen3NextConfig(**SIZES), 0))
    weights = renamed(theirs)
    for kind in ("weight", "bias"):  # theirs makes queries and gates by one layer, head by head
        q, gate = weights[f"w_q.{kind}"].unflatten(0, (H, 2, K)).unbind(1)
        weights |= {f"w_q.{kind}": q.flatten(0, 1), f"w_g.{kind}": gate.flatten(0, 1)}
    weights |= {f"norm_{one}.weight": 1 + weights[f"norm_{one}.weight"] for one in "qk"}  # their gains are beside 1
    expected, read = asked(theirs, K)
    with Trace(mine := ours(weights, gate=True, qk_norm="gain")) as trace:
        torch.testing.assert_close(mine(X, mask=MASK), expected, atol=1e-5, rtol=0.0)  # their norms have 32 bits
    torch.testing.assert_close(trace["weights"], read, atol=1e-5, rtol=0.0)
    assert trace["gate"].shape == (2, H, T, K)
    assert (ours(weights, qk_norm="gain")(X, mask=MASK) - expected).abs().max() > 1e-2


def test_one_gate_for_each_head_is_the_same_for_all_of_its_numbers() -> None:
    weights = renamed(lively(GptOssAttention(GptOssConfig(**SIZES), 0)))
    few = {"w_g.weight": normal(H, D, seed=7), "w_g.bias": normal(H, seed=8)}
    with Trace(mine := ours(weights | few, gate="head")) as trace:
        found = mine(X, mask=MASK)
    assert trace["gate"].shape == (2, H, T, 1)
    many = {name: one.repeat_interleave(K, 0) for name, one in few.items()}
    torch.testing.assert_close(ours(weights | many, gate=True)(X, mask=MASK), found, **CLOSE)


def test_a_sink_of_0_is_the_softmax_off_by_one() -> None:
    """Xiao et al. 2023, section 3.3: e^x over 1 more than the sum of all of them."""
    scores = 3 * normal(2, 3, T, T)
    grown = scores.exp() * MASK
    expected = grown / (1 + grown.sum(-1, keepdim=True))
    torch.testing.assert_close(masked_softmax(scores, MASK, torch.zeros(())), expected, **CLOSE)
    broad = masked_softmax(scores, torch.ones(T, 1, dtype=torch.bool), torch.zeros(3, 1, 1))
    torch.testing.assert_close(1 - broad.sum(-1), 1 / (1 + scores.exp().sum(-1)), **CLOSE)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_masked_keys_get_exactly_zero_weight_with_a_sink(dtype: torch.dtype) -> None:
    mask = torch.tensor([[False] * 3, [True, False, False], [True] * 3])
    scores, sinks = (one.to(dtype).requires_grad_() for one in (normal(1, 2, 3, 3), torch.tensor([-9.0, 9.0])))
    weights = masked_softmax(scores, mask, sinks[:, None, None])
    assert not weights.masked_select(~mask).any() and bool(weights.isfinite().all())
    weights.float().square().sum().backward()
    for one in (scores, sinks):
        assert one.grad is not None and bool(one.grad.isfinite().all()) and one.grad.any()
