"""Our GPT with its options computes what Hugging Face's Llama, Qwen2 and Qwen3 compute, given the same weights.

Grouped queries, the base and the scaling of rotary positions, biases of queries, keys and values alone, learned gains
of queries and keys, heads of any width. No weight is left at its start value.
"""

import re
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedModel,
    Qwen2Config,
    Qwen2ForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

from core.generate.decode import generate
from core.inspect.second_pass.numpy_forward import forward
from core.models import registry
from core.models.gpt import GPT, GPTConfig
from core.nn.block import BlockStyle
from core.nn.positions import Rotary
from core.nn.tap import Trace

NAMES = {
    "model.embed_tokens": "tok_emb", "model.layers": "blocks", "model.norm": "norm", "lm_head": "unembed",
    "self_attn": "attn", "q_proj": "w_q", "k_proj": "w_k", "v_proj": "w_v", "o_proj": "w_o", "q_norm": "norm_q",
    "k_norm": "norm_k", "input_layernorm": "norm_1", "post_attention_layernorm": "norm_2", "gate_proj": "w_gate",
    "up_proj": "w_in", "down_proj": "w_out",
}  # fmt: skip
SIZES = {"vocab_size": 31, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2,
         "max_position_embeddings": 64, "attn_implementation": "eager"}  # fmt: skip
OURS = {"vocab_size": 31, "context_length": 64, "n_layer": 2, "d_model": 24, "d_ff": 40, "positions": "rotary"}
LLAMA = BlockStyle(norm="rms", activation="swiglu", bias=False, eps=1e-6)
QWEN_2 = BlockStyle(norm="rms", activation="swiglu", bias="qkv", eps=1e-6)
QWEN_3 = BlockStyle(norm="rms", activation="swiglu", bias=False, qk_norm="gain", eps=1e-5)


def rope(kind: str = "default", base: float = 10_000.0, **options: float) -> dict[str, Any]:
    return {"rope_parameters": {"rope_type": kind, "rope_theta": base, **options}}


PAIRS: dict[str, tuple[PreTrainedModel, GPTConfig]] = {
    "Llama, grouped queries, another base": (
        LlamaForCausalLM(LlamaConfig(**SIZES, num_attention_heads=6, num_key_value_heads=2, **rope(base=500_000.0))),
        GPTConfig(**OURS, n_head=6, n_kv_head=2, tied=False, rotary=Rotary(base=500_000.0), block=LLAMA),
    ),
    "Llama, one head of keys, linear scaling": (
        LlamaForCausalLM(
            LlamaConfig(**SIZES, num_attention_heads=3, num_key_value_heads=1, **rope("linear", factor=4.0))
        ),
        GPTConfig(**OURS, n_head=3, n_kv_head=1, tied=False, rotary=Rotary(factor=4.0), block=LLAMA),
    ),
    "Llama 3, scaling by parts": (
        LlamaForCausalLM(
            LlamaConfig(**SIZES, num_attention_heads=2, num_key_value_heads=2, head_dim=16, tie_word_embeddings=True,
                        **rope("llama3", 1_000.0, factor=8.0, original_max_position_embeddings=32,
                               low_freq_factor=1.0, high_freq_factor=4.0))
        ),
        GPTConfig(**OURS, n_head=2, d_head=16, block=LLAMA,
                  rotary=Rotary(base=1_000.0, factor=8.0, trained_length=32)),
    ),
    "Qwen2, biases of queries, keys and values": (
        Qwen2ForCausalLM(Qwen2Config(**SIZES, num_attention_heads=4, num_key_value_heads=2)),
        GPTConfig(**OURS, n_head=4, n_kv_head=2, tied=False, block=QWEN_2),
    ),
    "Qwen3, gains of queries and keys, wide heads": (
        Qwen3ForCausalLM(
            Qwen3Config(**SIZES, num_attention_heads=4, num_key_value_heads=2, head_dim=10, rms_norm_eps=1e-5)
        ),
        GPTConfig(**OURS, n_head=4, n_kv_head=2, d_head=10, tied=False, block=QWEN_3),
    ),
}  # fmt: skip


@pytest.fixture(params=PAIRS.values(), ids=PAIRS, scope="module")
def pair(request: pytest.FixtureRequest) -> tuple[PreTrainedModel, GPT]:
    """One set of random weights in both programs."""
    theirs, config = request.param
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in theirs.named_parameters():
            parameter.normal_(1.0 if "norm" in name else 0.0, 0.25, generator=generator)
    weights = {
        re.sub("|".join(NAMES), lambda found: NAMES[found[0]], name): one for name, one in theirs.named_parameters()
    }
    ours = registry.empty(config)
    assert set(weights) == {name for name, _ in ours.named_parameters()}
    registry.fill(ours, weights)
    return theirs.eval().requires_grad_(False), ours.eval()


def ids(n_token: int = 40) -> Tensor:
    return torch.randint(31, (2, n_token), generator=torch.Generator().manual_seed(2))


def test_logits_hidden_states_and_attention_maps(pair: tuple[PreTrainedModel, GPT]) -> None:
    theirs, ours = pair
    expected = theirs(ids(), output_hidden_states=True, output_attentions=True)
    with Trace(ours) as trace:
        ours(ids())
    assert expected.logits.std() > 0.3  # the bar means something
    close = {"atol": 2e-5, "rtol": 0.0}
    torch.testing.assert_close(trace["logits"], expected.logits, **close)
    states = [trace["embed"], trace["blocks.0.resid_out"], trace["final"]]
    for mine, other in zip(states, expected.hidden_states, strict=True):
        torch.testing.assert_close(mine, other, **close)
    for n, other in enumerate(expected.attentions):
        torch.testing.assert_close(trace[f"blocks.{n}.attn.weights"], other, **close)


def test_the_second_pass(pair: tuple[PreTrainedModel, GPT]) -> None:
    theirs, ours = pair
    weights = {name: one.detach().numpy() for name, one in ours.named_parameters()}
    again = forward(registry.to_dict(ours.config), weights, ids=ids()[0].tolist())
    torch.testing.assert_close(torch.from_numpy(again["logits"]).float(), theirs(ids()).logits[0], atol=2e-5, rtol=0.0)


def test_greedy_tokens_with_the_cache(pair: tuple[PreTrainedModel, GPT]) -> None:
    theirs, ours = pair
    prompt = ids(4)
    expected = theirs.generate(prompt, max_new_tokens=20, do_sample=False, pad_token_id=0, eos_token_id=None,
                               attention_mask=torch.ones_like(prompt))  # fmt: skip
    written = torch.stack([step.token for step in generate(ours, prompt, 20, greedy=True)], 1)
    assert torch.equal(written, expected[:, 4:])
    assert len(set(written[0].tolist())) > 2
