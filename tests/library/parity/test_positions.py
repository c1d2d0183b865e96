"""Position schemes against Hugging Face's models and against arithmetic of any precision."""

import mpmath
import pytest
import torch
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as gptj_rotate, create_sinusoidal_positions
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb as llama_rotate
from transformers.models.t5.configuration_t5 import T5Config
from transformers.models.t5.modeling_t5 import T5Attention

from core.nn.positions import RelativeBias, alibi_bias, alibi_slopes, relative_buckets, rotate, sinusoidal

X = torch.randn(2, 3, 50, 8, generator=torch.Generator().manual_seed(0))  # (B, H, T, K)
PLACES = torch.arange(50)


@pytest.mark.parametrize("base", [100.0, 10_000.0, 500_000.0])
@pytest.mark.parametrize("d_head", [2, 6, 64])
def test_rotary_of_other_bases_and_widths_equals_llama(base: float, d_head: int) -> None:
    q, k = torch.randn(2, 1, 3, 50, d_head, generator=torch.Generator().manual_seed(1))
    config = LlamaConfig(
        hidden_size=3 * d_head,
        num_attention_heads=3,
        head_dim=d_head,
        rope_parameters={"rope_type": "default", "rope_theta": base},
    )
    cos, sin = LlamaRotaryEmbedding(config)(q, PLACES[None])
    for mine, theirs in zip((q, k), llama_rotate(q, k, cos, sin), strict=True):
        # Both compute angles up to 49 in float32, by different steps: some 1e-6 rad apart, times numbers up to 4.
        torch.testing.assert_close(rotate(mine, PLACES, base), theirs, atol=3e-5, rtol=0)


def test_interleaved_rotary_equals_gpt_j() -> None:
    sin, cos = create_sinusoidal_positions(50, 8).chunk(2, dim=-1)
    expected = gptj_rotate(X.transpose(1, 2), sin[None], cos[None]).transpose(1, 2)
    torch.testing.assert_close(rotate(X, PLACES, interleaved=True), expected, atol=1e-5, rtol=0)


@pytest.mark.parametrize(
    ("n_bucket", "max_distance"), [(32, 128), (8, 20), (32, 256), (8, 40), (16, 64), (64, 128), (64, 256)]
)
@pytest.mark.parametrize("bidirectional", [True, False])
def test_buckets_equal_t5(n_bucket: int, max_distance: int, bidirectional: bool) -> None:
    offsets = torch.arange(-300, 301)
    expected = T5Attention._relative_position_bucket(offsets, bidirectional, n_bucket, max_distance)
    assert torch.equal(relative_buckets(offsets, bidirectional, n_bucket, max_distance), expected)


@pytest.mark.parametrize("is_decoder", [False, True])
@pytest.mark.parametrize("n_query", [1, 5, 12])
def test_relative_bias_equals_t5(is_decoder: bool, n_query: int) -> None:
    config = T5Config(
        d_model=12, d_kv=4, num_heads=3, relative_attention_num_buckets=8, relative_attention_max_distance=20
    )
    config.is_decoder = is_decoder
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    ours = RelativeBias(3, bidirectional=not is_decoder, n_bucket=8, max_distance=20)
    with torch.no_grad():
        ours.table.weight.copy_(theirs.relative_attention_bias.weight)
        expected = theirs.compute_bias(12, 12)[0][:, 12 - n_query :]  # the last queries of twelve keys
        torch.testing.assert_close(ours(n_query, 12), expected)


@pytest.mark.parametrize("n_head", [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 20])
def test_alibi_equals_bloom(n_head: int) -> None:
    theirs = build_alibi_tensor(torch.ones(1, 10), n_head, torch.float32)[:, 0]  # slope times the key's position
    torch.testing.assert_close(alibi_slopes(n_head), theirs[:, 1])
    # Bloom counts from the first key, the paper from the query: a softmax sees no constant within a row.
    mask = torch.ones(10, 10).tril().bool()
    ours = alibi_bias(n_head, 10, 10).masked_fill(~mask, -torch.inf).softmax(-1)
    bloom = theirs[:, None].expand(n_head, 10, 10).masked_fill(~mask, -torch.inf).softmax(-1)
    torch.testing.assert_close(ours, bloom)


@pytest.mark.parametrize("d_model", [4, 16, 7])
def test_sinusoidal_equals_a_table_of_fifty_digits(d_model: int) -> None:
    table = sinusoidal(101, d_model, dtype=torch.float64)
    with mpmath.workdps(50):
        for place in (0, 1, 2, 17, 100):
            for j in range(d_model):
                angle = place / mpmath.mpf(10000) ** (mpmath.mpf(2 * (j // 2)) / d_model)
                exact = mpmath.sin(angle) if j % 2 == 0 else mpmath.cos(angle)
                assert abs(float(table[place, j]) - float(exact)) < 1e-13
