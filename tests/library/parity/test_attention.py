"""Our attention, block, norms and activations equal torch's, which share no line with ours."""

import ast
import inspect
import math
import textwrap
from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from core.nn import masks
from core.nn.attention import MultiHeadAttention, attend, attention_scores, masked_softmax
from core.nn.block import Block, BlockStyle
from core.nn.feed_forward import gelu, gelu_tanh, relu, relu2, silu
from core.nn.norms import LayerNorm, RMSNorm, make_norm
from core.nn.tap import Trace

ATOL = {torch.float64: 1e-10, torch.float32: 1e-6}
BOTH = pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
LENGTHS = torch.tensor([7, 3])


def normal(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def randomise(module: nn.Module, seed: int = 0) -> nn.Module:
    """Every parameter random: biases of 0 and gains of 1 would hide mistakes."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0.3, 0.4, generator=generator)
    return module.double().eval()


def same(ours: Tensor, theirs: Tensor, dtype: torch.dtype = torch.float64) -> None:
    torch.testing.assert_close(ours, theirs, atol=ATOL[dtype], rtol=0.0)


# name -> (mask, n_query, n_key); every row of these may attend something
MASKS: dict[str, tuple[Tensor | None, int, int]] = {
    "none": (None, 7, 7),
    "full": (masks.full(7), 7, 7),
    "causal": (masks.causal(7), 7, 7),
    "padding": (masks.padding(LENGTHS, 7), 7, 7),
    "prefix": (masks.prefix(7, 3), 7, 7),
    "window": (masks.sliding_window(7, 3), 7, 7),
    "window to both sides": (masks.sliding_window(7, 2, causal=False), 7, 7),
    "causal and padding": (masks.causal(7) & masks.padding(LENGTHS, 7), 7, 7),
    "prefix and padding": (masks.prefix(7, 5) & masks.padding(LENGTHS, 7), 7, 7),
    "window or prefix": (masks.sliding_window(7, 2) | masks.prefix(7, 2), 7, 7),
    "newest queries": (masks.causal(2, 7), 2, 7),
    "newest queries and padding": (masks.causal(2, 7) & masks.padding(LENGTHS, 7), 2, 7),
    "cross": (masks.full(7, 4), 7, 4),
    "cross with padding": (masks.full(7, 5) & masks.padding(torch.tensor([5, 2]), 5), 7, 5),
}


@BOTH
@pytest.mark.parametrize("name", MASKS)
def test_attend_equals_torch(name: str, dtype: torch.dtype) -> None:
    mask, n_query, n_key = MASKS[name]
    q, k = normal(2, 3, n_query, 8, seed=1, dtype=dtype), normal(2, 3, n_key, 8, seed=2, dtype=dtype)
    v = normal(2, 3, n_key, 5, seed=3, dtype=dtype)
    output, weights = attend(q, k, v, mask)
    same(output, F.scaled_dot_product_attention(q, k, v, attn_mask=mask), dtype)
    torch.testing.assert_close(weights.sum(-1), torch.ones(2, 3, n_query, dtype=dtype))
    same(weights, F.scaled_dot_product_attention(q, k, torch.eye(n_key, dtype=dtype).expand(2, 3, -1, -1), mask), dtype)
    if mask is not None:
        assert not weights.masked_select(~mask.expand_as(weights)).any()  # exactly 0


@BOTH
def test_scale_and_bias_equal_torch(dtype: torch.dtype) -> None:
    q, k, v = (normal(2, 3, 6, 8, seed=seed, dtype=dtype) for seed in range(3))
    bias = normal(3, 6, 6, seed=4, dtype=dtype)
    output, _ = attend(q, k, v, bias=bias, scale=0.7)
    same(output, F.scaled_dot_product_attention(q, k, v, attn_mask=bias, scale=0.7), dtype)
    output, _ = attend(q, k, v, masks.causal(6), bias)
    blocked = bias.masked_fill(~masks.causal(6), -math.inf)
    same(output, F.scaled_dot_product_attention(q, k, v, attn_mask=blocked), dtype)
    same(attention_scores(q, k), q @ k.mT / math.sqrt(8), dtype)


@pytest.mark.parametrize("size", [1.0, 1e4])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_row_that_may_attend_nothing_is_zero_and_its_gradient_finite(dtype: torch.dtype, size: float) -> None:
    mask = masks.causal(5) & masks.padding(torch.tensor([0, 5]), 5)
    q, k, v = ((size**0.5 * normal(2, 1, 5, 4, seed=seed)).to(dtype).requires_grad_() for seed in range(3))
    output, weights = attend(q, k, v, mask)
    assert not output[0].any() and not weights[0].any() and bool(output.isfinite().all())
    (output.float().square().sum() / size).backward()  # within the range of float16
    for x in (q, k, v):
        assert x.grad is not None and bool(x.grad.isfinite().all()) and not x.grad[0].any()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_blocked_keys_get_exactly_nothing_however_well_they_match(dtype: torch.dtype) -> None:
    high = 3e4 if dtype == torch.float16 else 1e30
    scores = torch.tensor([[-high, high], [-high, -high]], dtype=dtype, requires_grad=True)
    weights = masked_softmax(scores, torch.tensor([[True, False], [False, False]]))
    assert weights.tolist() == [[1.0, 0.0], [0.0, 0.0]]
    weights.float().square().sum().backward()
    assert scores.grad is not None and scores.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_the_masked_softmax_that_learners_read_has_three_lines() -> None:
    """Catches a special case (a number format, a device, a sink) that comes back among the lines under *Code*."""
    (function,) = ast.parse(textwrap.dedent(inspect.getsource(masked_softmax))).body
    assert isinstance(function, ast.FunctionDef) and len(function.body) == 1 + 3  # the docstring before them
    assert not any(isinstance(one, ast.If | ast.IfExp | ast.For) for one in ast.walk(function))


@pytest.mark.parametrize("mask", [None, masks.causal(3, 4), masks.full(3, 4) & masks.padding(torch.tensor([0]), 4)])
def test_gradients_are_those_of_finite_differences(mask: Tensor | None) -> None:
    q, k, v = normal(1, 2, 3, 2, seed=1), normal(1, 2, 4, 2, seed=2), normal(1, 2, 4, 3, seed=3)
    bias = normal(2, 3, 4, seed=4)
    inputs = tuple(x.requires_grad_() for x in (q, k, v, bias))
    assert torch.autograd.gradcheck(lambda q, k, v, bias: attend(q, k, v, mask, bias), inputs)


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_multi_head_attention_equals_torch(cross: bool, masked: bool) -> None:
    theirs = randomise(nn.MultiheadAttention(12, 3, batch_first=True))
    ours = MultiHeadAttention(12, 3).double()
    copy_attention(theirs, ours)
    x, memory = normal(2, 5, 12, seed=1), normal(2, 7 if cross else 5, 12, seed=2)
    memory = memory if cross else x
    lengths = torch.tensor([memory.shape[1], 2])
    mask = masks.padding(lengths, memory.shape[1]) if masked else None
    blocked = None if mask is None else ~mask[:, 0, 0]  # torch: True means "blocked" here
    expected, expected_weights = theirs(x, memory, memory, key_padding_mask=blocked, average_attn_weights=False)
    with Trace(ours) as trace:
        got = ours(x, memory if cross else None, mask=mask)
    same(got, expected)
    same(trace["weights"], expected_weights)


def copy_attention(theirs: nn.Module, ours: MultiHeadAttention) -> None:
    with torch.no_grad():
        for letter, weight, bias in zip(
            "qkv", theirs.in_proj_weight.chunk(3), theirs.in_proj_bias.chunk(3), strict=True
        ):
            getattr(ours, f"w_{letter}").weight.copy_(weight)
            getattr(ours, f"w_{letter}").bias.copy_(bias)
    ours.w_o.load_state_dict(theirs.out_proj.state_dict())


@pytest.mark.parametrize("cross", [False, True])
@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize(("activation", "function"), [("relu", F.relu), ("gelu", F.gelu)])
def test_block_equals_torch(
    cross: bool, norm_first: bool, activation: str, function: Callable[[Tensor], Tensor]
) -> None:
    layer = nn.TransformerDecoderLayer if cross else nn.TransformerEncoderLayer
    theirs = randomise(layer(12, 3, 20, 0.0, function, batch_first=True, norm_first=norm_first))
    ours = Block(12, 3, 20, BlockStyle(norm_first=norm_first, activation=activation), cross=cross).double()
    copy_attention(theirs.self_attn, ours.attn)
    norms = [ours.norm_1, ours.norm_cross, ours.norm_2] if cross else [ours.norm_1, ours.norm_2]
    pairs = {f"norm{i}": norm for i, norm in enumerate(norms, 1)} | {
        "linear1": ours.mlp.w_in,
        "linear2": ours.mlp.w_out,
    }
    for name, mine in pairs.items():
        mine.load_state_dict(getattr(theirs, name).state_dict())
    x, memory, later = normal(2, 6, 12), normal(2, 4, 12, seed=1), ~masks.causal(6)
    if cross:
        copy_attention(theirs.multihead_attn, ours.cross_attn)
        mask = masks.padding(torch.tensor([4, 2]), 4)
        expected = theirs(x, memory, tgt_mask=later, memory_key_padding_mask=~mask[:, 0, 0])
        same(ours(x, mask=~later, memory=memory, memory_mask=mask), expected)
    else:
        same(ours(x), theirs(x))
        same(ours(x, mask=~later), theirs(x, src_mask=later))


@BOTH
def test_norms_equal_torch(dtype: torch.dtype) -> None:
    x = 3 * normal(4, 5, 8, dtype=dtype) + 2
    ours, theirs = LayerNorm(8), nn.LayerNorm(8)
    theirs.load_state_dict(randomise(ours).state_dict())
    same(ours.to(dtype)(x), theirs.to(dtype)(x), dtype)
    same(LayerNorm(8, bias=False).to(dtype)(x), F.layer_norm(x, (8,)), dtype)
    gain = RMSNorm(8)
    randomise(gain)
    same(gain.to(dtype)(x), F.rms_norm(x, (8,), gain.weight, 1e-6), dtype)
    same(RMSNorm(8, gain=False)(x), F.rms_norm(x, (8,), None, 1e-6), dtype)


def test_a_constant_vector_gives_the_bias() -> None:
    norm = randomise(LayerNorm(8))
    same(norm(torch.full((2, 8), 3.0, dtype=torch.float64)), norm.bias.expand(2, 8))


def test_norms_by_name() -> None:
    assert isinstance(make_norm("layer", 4), LayerNorm) and make_norm("layer", 4, bias=False).bias is None
    assert make_norm("rms", 4).weight is not None and make_norm("rms_plain", 4).weight is None
    with pytest.raises(ValueError, match="'batch' is none of"):
        make_norm("batch", 4)


@BOTH
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (relu, F.relu),
        (gelu, F.gelu),
        (gelu_tanh, lambda x: F.gelu(x, approximate="tanh")),
        (relu2, lambda x: F.relu(x) ** 2),
        (silu, F.silu),
    ],
)
def test_activations_equal_torch(ours: Callable, theirs: Callable, dtype: torch.dtype) -> None:
    x = torch.linspace(-8, 8, 2001, dtype=dtype)
    torch.testing.assert_close(ours(x), theirs(x), atol=ATOL[dtype], rtol=1e-6 if dtype == torch.float32 else 0.0)


def test_the_two_gelus_differ_by_what_is_said() -> None:
    x = torch.linspace(-8, 8, 200_001, dtype=torch.float64)
    assert 4.6e-4 < float((gelu(x) - gelu_tanh(x)).abs().max()) <= 4.8e-4


def test_heads_must_divide_the_width() -> None:
    with pytest.raises(ValueError, match="d_model=30 is not divisible by n_head=4"):
        MultiHeadAttention(30, 4)
    assert MultiHeadAttention(30, 4, d_head=5)(torch.zeros(1, 2, 30)).shape == (1, 2, 30)
    assert MultiHeadAttention(1, 1, d_head=1)(torch.zeros(1, 2, 1)).shape == (1, 2, 1)  # the smallest there is
