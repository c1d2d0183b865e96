"""What the room of the cache counts and breaks: work, memory, wrong positions, stale keys."""

import math

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from core.generate import block_functions
from core.generate.cache import CachedModel
from core.generate.keys_values import KeyValues
from core.inspect.costs.model_cost import decoding_step_cost
from core.models import registry
from core.models.gpt import GPT
from core.nn.block import BlockStyle
from core.rooms.cache.memory import CacheShape
from core.rooms.cache.same_words import compare_cache
from tests.configs import gpt

SIZES = {"vocab_size": 23, "context_length": 24, "n_layer": 2, "n_head": 2, "d_model": 8}
STYLES = [BlockStyle(), BlockStyle(activation="swiglu", norm="rms"), BlockStyle(feed_forward=False)]


def lively(seed: int = 3, **changes: object) -> GPT:
    model: GPT = registry.build(gpt(**SIZES | changes))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.5 * torch.randn(parameter.shape, generator=generator)
    return model.eval().requires_grad_(False)


@pytest.mark.parametrize("style", STYLES)
def test_the_count_is_what_torch_counts(style: BlockStyle) -> None:
    model = lively(block=style, d_ff=20, tied=False)
    text = list(range(10))
    with FlopCounterMode(display=False) as counter:
        model(torch.tensor([text]))
    assert (
        counter.get_total_flops() == 2 * decoding_step_cost(model.config, 10, 0, n_logit=10).total
    )  # a multiply and an add
    cached = CachedModel(model)
    for new, kept in ((8, 0), (1, 8), (1, 9)):
        with FlopCounterMode(display=False) as counter:
            cached.next_logits([text[: new + kept]])
        assert counter.get_total_flops() == 2 * decoding_step_cost(model.config, new, kept).total


def test_a_race_writes_the_same_words_with_less_work() -> None:
    model, prompt = lively(), [1, 2, 3]
    found = compare_cache(model, prompt, 30, n_repeat=2, most_seconds=math.inf)
    assert np.array_equal(found.tokens, found.tokens_anew) and len(found.tokens) == 30
    assert found.difference.max() < 2e-5
    assert (found.n_token, found.n_token_anew) == (3 + 21 + 8 * 24, sum(min(n, 24) for n in range(3, 33)))
    assert found.work[0] < found.work_anew[0] and found.work[1] < found.work_anew[1] / 3
    inside = found.work[1:22]  # one token more is read at each step: 2 layers x 2 x 8 multiply-adds
    assert set(np.diff(inside)) == {2 * 2 * 8}
    assert found.work[-1] > 0.8 * found.work_anew[-1]  # past the context everything is read anew
    assert (found.seconds > 0).all() and (found.seconds_anew > 0).all()


def test_a_slow_model_is_stopped_after_two_tokens_at_least() -> None:
    assert len(compare_cache(lively(), [1], 10, most_seconds=0.0).tokens) == 2


def test_memory_is_the_size_of_the_tables() -> None:
    cached = CachedModel(lively())
    cached.next_logits([list(range(10))] * 3)
    assert isinstance(cached.memory, KeyValues)
    numbers = cached.memory.keys[..., :10].numel() + cached.memory.values[:, :, :, :10].numel()
    assert CacheShape(2, 2, 2, 4, 24).needs(10, 4, n_text=3) == 4 * numbers


def test_a_linear_layer_does_without_the_private_operation(monkeypatch: pytest.MonkeyPatch) -> None:
    linear, x = torch.nn.Linear(1024, 1024), torch.randn(2, 1024, generator=torch.Generator().manual_seed(0))
    assert linear.weight.numel() > block_functions.MAX_COPIED_WEIGHTS
    with torch.inference_mode():
        torch.testing.assert_close(block_functions.plain_linear_function(linear)(x), linear(x), atol=1e-5, rtol=1e-5)
        block_functions._one_dnn.cache_clear()
        monkeypatch.setattr(torch.ops, "mkldnn", object())
        assert block_functions._one_dnn() is None
        assert torch.equal(block_functions.plain_linear_function(linear)(x), linear(x))
    block_functions._one_dnn.cache_clear()
