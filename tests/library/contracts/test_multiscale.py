"""What the multi-scale ViT promises, in every variant that its config allows."""

from typing import Any

import pytest
import torch
from torch import Tensor

from core.inspect.costs import parameters
from core.models import registry
from core.models.multiscale import MultiScaleConfig, from_windows, regions_mask, to_windows
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from tests.library.contracts.promises import lively

B = 3
SIZES: dict[str, Any] = {"image_size": 16, "patch_size": 2, "d_model": 8, "n_layer": (2, 1), "n_head": (2, 4)}
EVERY = {
    "windows of two": MultiScaleConfig(**SIZES, window=2),
    "windows of four, colors": MultiScaleConfig(**SIZES, window=4, n_channel=3, n_class=5),
    "one window": MultiScaleConfig(**SIZES, window=99),
    "never shifted": MultiScaleConfig(**SIZES, window=2, shifted=False),
    "without a head": MultiScaleConfig(**SIZES, window=4, n_class=0),
    "post-norm": MultiScaleConfig(**SIZES, window=2, block=BlockStyle(norm_first=False)),
    "one stage, odd windows": MultiScaleConfig(
        image_size=9, patch_size=1, d_model=4, n_layer=(3,), n_head=(1,), window=3
    ),
}
every = pytest.mark.parametrize("config", EVERY.values(), ids=EVERY)


def given(config: MultiScaleConfig) -> Tensor:
    size = (B, config.n_channel, config.image_size, config.image_size)
    return torch.randn(size, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


@every
def test_shapes_and_taps(config: MultiScaleConfig) -> None:
    model = lively(config)
    with Trace(model) as trace:
        logits = model(given(config))
    last = len(config.n_layer) - 1
    answer = (B, config.n_class or config.width(last))
    assert tuple(logits.shape) == answer and trace["logits"] is logits
    c, p = config.n_channel, config.patch_size
    expected: dict[str, tuple[int, ...]] = {
        "patches": (B, config.side(0) ** 2, c * p * p), "embed": (B, config.side(0) ** 2, config.width(0)),
        "final": (B, config.side(last) ** 2, config.width(last)), "mean": (B, config.width(last)), "logits": answer,
    }  # fmt: skip
    for s, (n_layer, h) in enumerate(zip(config.n_layer, config.n_head, strict=True)):
        d, w = config.width(s), config.window_of(s)
        n, k = B * (config.side(s) // w) ** 2, w * w
        expected[f"stages.{s}.out"] = (B, config.side(s) ** 2, d)
        if s:
            expected[f"stages.{s}.merged"] = (B, config.side(s) ** 2, d)
        for layer in range(n_layer):
            at = f"stages.{s}.blocks.{layer}"
            expected |= {f"{at}.{name}": (n, k, d) for name in ("resid_in", "resid_mid", "resid_out", "attn.out")}
            expected |= {f"{at}.attn.{name}": (n, h, k, d // h) for name in ("q", "k", "v", "heads")}
            expected |= {f"{at}.attn.{name}": (n, h, k, k) for name in ("scores", "weights")}
            expected |= {f"{at}.mlp.out": (n, k, d), f"{at}.mlp.pre": (n, k, 4 * d), f"{at}.mlp.act": (n, k, 4 * d)}
            rows = trace[f"{at}.attn.weights"].sum(-1)
            torch.testing.assert_close(rows, torch.ones_like(rows), atol=1e-12, rtol=0)
    assert {key: tuple(trace[key].shape) for key in trace} == expected
    assert all(len(trace.steps(key)) == 1 for key in trace)


@every
def test_the_names_are_those_of_the_design_and_the_empty_model_has_the_same(config: MultiScaleConfig) -> None:
    model, empty = registry.build(config), registry.empty(config)
    assert all(parameter.is_meta for parameter in empty.parameters()) and not list(model.buffers())
    shapes = {name: p.shape for name, p in model.named_parameters()}
    assert {name: p.shape for name, p in empty.named_parameters()} == shapes
    names = {name for name, _ in model.stages[0].blocks[0].named_modules()}
    assert {"norm_1", "attn", "attn.w_q", "attn.w_k", "attn.w_v", "attn.w_o", "norm_2", "mlp"} <= names
    counted = parameters.count_config(config)
    assert counted.total == sum(p.numel() for p in model.parameters())
    biases = sum(n * (2 * config.window_of(s) - 1) ** 2 * config.n_head[s] for s, n in enumerate(config.n_layer))
    assert counted.term("positions").count == biases
    merges = sum(4 * config.width(s - 1) * config.width(s) for s in range(1, len(config.n_layer)))
    assert sum(term.count for term in counted.terms if term.name == "other") == merges


@every
def test_windows_are_cut_and_put_back(config: MultiScaleConfig) -> None:
    side, w = config.side(0), config.window_of(0)
    x = torch.arange(2 * side**2).reshape(2, -1, 1)
    for shift in range(w):
        apart = to_windows(x, side, w, shift)
        assert apart.shape == (2 * (side // w) ** 2, w * w, 1)
        assert torch.equal(from_windows(apart, side, w, shift), x)
        first = [shift + row * side + column + shift * side for row in range(w) for column in range(w)]
        if shift + w <= side:
            assert apart[0, :, 0].tolist() == first
    mask = regions_mask(side, w, w // 2)
    assert mask.diagonal(dim1=2, dim2=3).all() and torch.equal(mask, mask.mT)
    assert not mask.all() and (side == w or mask[0].all())  # windows at the lower and right ends hold strangers


def test_a_window_reads_nothing_of_another_and_a_shifted_one_nothing_from_the_other_end() -> None:
    config = MultiScaleConfig(image_size=8, patch_size=1, d_model=4, n_layer=(2,), n_head=(2,), window=4)
    model = lively(config)
    x, other = given(config), given(config)
    other[:, :, 0, 0] += 1
    with torch.no_grad(), Trace(model) as first:
        model(x)
    with torch.no_grad(), Trace(model) as second:
        model(other)
    for layer, shift in ((0, 0), (1, 2)):
        key = f"stages.0.blocks.{layer}.resid_out"
        gap = from_windows(first[key] - second[key], 8, 4, shift).abs().amax(-1)[0].reshape(8, 8) > 0
        reached = torch.zeros(8, 8, dtype=torch.bool)
        end = 4 if layer == 0 else 6
        reached[:end, :end] = True  # its window; then the three shifted windows that begin within it
        assert torch.equal(gap, reached)


def test_pictures_of_another_size_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(1, 15, 16\) do not fit the model's \(1, 16, 16\)"):
        registry.build(EVERY["windows of two"])(torch.zeros(1, 1, 15, 16))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"patch_size": 3}, "image_size=16 is not divisible by patch_size=3"),
        ({"window": 3}, "stage 0 has 8 tokens a side, no multiple of window=3"),
        ({"window": 0}, "window=0 must be at least 1"),
        ({"n_head": (3, 4)}, "stage 0: the width 8 is not divisible by n_head=3"),
        ({"n_head": (2,)}, "must name the same stages"),
        ({"n_layer": (), "n_head": ()}, "at least one"),
        ({"n_layer": (2, 0)}, "at least 1 in every stage"),
        ({"image_size": 18, "window": 9}, "stage 0 has 9 tokens a side: 2 x 2 do not fit"),
        ({"n_class": -1}, "n_class=-1 must be at least 0"),
    ],
)
def test_impossible_configs_are_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        MultiScaleConfig(**SIZES | change)
