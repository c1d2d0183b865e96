"""Heads switched off for a batch: by what a head writes."""

import pytest
import torch

from core.inspect import knockouts
from core.models import registry
from core.models.gpt import GPTConfig
from core.nn.tap import Trace

CONFIG = GPTConfig(vocab_size=11, context_length=8, n_layer=2, n_head=2, d_model=8)
IDS = torch.randint(11, (3, 8), generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def model() -> torch.nn.Module:
    return registry.build(CONFIG, 4)


def test_the_rise_without_each_head(model: torch.nn.Module) -> None:
    def loss(logits: torch.Tensor) -> torch.Tensor:
        return logits.square().mean()

    rises = knockouts.rise_without_each(model, IDS, loss)
    assert rises.shape == (2, 2)
    with torch.no_grad():
        assert torch.equal(knockouts.logits_without(model, IDS), model(IDS))
    with Trace(model) as trace:
        logits = knockouts.logits_without(model, IDS, [(1, 0)])
    heads = trace["blocks.1.attn.heads"]
    assert not heads[:, 0].any() and heads[:, 1].any()
    assert rises[1, 0] == pytest.approx(float(loss(logits) - loss(knockouts.logits_without(model, IDS))))


@pytest.mark.parametrize("head", [(2, 0), (0, 2), (-1, 0)])
def test_a_head_that_is_not_there_is_refused(model: torch.nn.Module, head: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="there is no head"):
        knockouts.logits_without(model, IDS, [head])
