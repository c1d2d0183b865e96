"""What ImageGPT promises: all that a GPT does, with one more token to read than to write."""

import json
import math

import pytest
import torch
from torch import Tensor, nn

from core.generate.decode import generate
from core.models import registry
from core.models.image_gpt import ImageGPTConfig
from core.nn.block import BlockStyle
from core.nn.tap import Trace
from tests.library.contracts.promises import lively

V, T, D, H = 9, 6, 8, 2
CONFIGS = {
    "as published": ImageGPTConfig(vocab_size=V, context_length=8, n_head=H, d_model=D),
    "narrow, post-norm": ImageGPTConfig(
        vocab_size=V, context_length=8, n_head=H, d_model=D, d_ff=5, block=BlockStyle(norm="rms", norm_first=False)
    ),
}
every = pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)


def ids(seed: int = 0) -> Tensor:
    return torch.randint(V, (2, T), generator=torch.Generator().manual_seed(seed))


@every
def test_shapes_and_a_later_pixel_changes_nothing_before(config: ImageGPTConfig) -> None:
    for model in (lively(config), lively(config).float()):
        first = ids()
        assert model(first).shape == (2, T, V - 1) and model.mask(3).tolist()[0] == [True, False, False]
        for t in range(1, T):
            second = first.clone()
            second[:, t] = (second[:, t] + 1) % V
            with torch.no_grad():
                before, after = model(first), model(second)
            assert torch.equal(before[:, :t], after[:, :t]) and not torch.equal(before[:, t:], after[:, t:])


@every
def test_tracing_and_editing(config: ImageGPTConfig) -> None:
    model = lively(config)
    with Trace(model) as trace:
        plain = model(ids())
    assert torch.equal(plain, model(ids())) and trace["final"].shape == (2, T, D)
    assert trace["blocks.1.attn.weights"].shape == (2, H, T, T)
    for key in trace:
        with Trace(model, {key: lambda x: x * torch.linspace(0.5, 2.0, x.shape[-1], dtype=x.dtype)}):
            assert not torch.equal(model(ids()), plain), key


@every
def test_start_seed_names_and_json(config: ImageGPTConfig) -> None:
    before = torch.get_rng_state()
    first, second = registry.build(config, 1), registry.build(config, 1)
    assert torch.equal(torch.get_rng_state(), before)
    weights = dict(first.named_parameters())
    assert all(torch.equal(weights[name], other) for name, other in second.named_parameters())
    assert {name: p.shape for name, p in registry.empty(config).named_parameters()} == {
        name: p.shape for name, p in weights.items()
    }
    assert not list(first.buffers())
    assert {name.split(".")[0] for name in weights} >= {"tok_emb", "pos_emb", "blocks", "unembed"}
    assert registry.from_dict(json.loads(json.dumps(registry.to_dict(config)))) == config
    logits = first(ids())
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids(1).clamp(max=V - 2).flatten())
    assert abs(loss.item() - math.log(V - 1)) < 0.1
    loss.backward()
    for name, parameter in first.named_parameters():
        assert parameter.grad is not None and bool(parameter.grad.isfinite().all()) and bool(parameter.grad.any()), name


def test_a_picture_is_drawn_pixel_by_pixel_and_the_start_never_comes_again() -> None:
    config = CONFIGS["as published"]
    model = lively(config)
    steps = list(generate(model, [config.start_id], 7, seed=1))
    assert len(steps) == 7 and all(0 <= int(step.token) < config.start_id for step in steps)
    with pytest.raises(ValueError, match="9 tokens do not fit context_length=8"):
        model(torch.zeros(1, 9, dtype=torch.long))


@pytest.mark.parametrize(
    ("change", "words"),
    [({"vocab_size": 1}, "at least 2"), ({"n_head": 3}, "not divisible by n_head=3"), ({"d_ff": 0}, "d_ff=0"),
     ({"context_length": 0}, "context_length=0")],
)  # fmt: skip
def test_impossible_configs_are_refused(change: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ImageGPTConfig(**{"d_model": 8, **change})
