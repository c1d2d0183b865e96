"""Heads switched off for a batch: by what a head writes."""

import numpy as np
import pytest
import torch

from core.inspect import patch
from core.models import registry
from core.models.gpt import GPTConfig
from core.nn.tap import Trace

CONFIG = GPTConfig(vocab_size=11, context_length=8, n_layer=2, n_head=2, d_model=8)
IDS = torch.randint(11, (3, 8), generator=torch.Generator().manual_seed(1))


@pytest.fixture(scope="module")
def model() -> torch.nn.Module:
    return registry.build(CONFIG, 4)


def loss(logits: torch.Tensor) -> torch.Tensor:
    return logits.square().mean()


@pytest.mark.parametrize("mode", ["zero", "mean"])
@pytest.mark.parametrize("most", [1, 10**6])
def test_heads_that_share_a_pass_are_off_one_at_a_time(
    model: torch.nn.Module, mode: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patch, "_MAX_LOGITS", most)
    before = loss(patch.ablate_heads(model, IDS))
    rises = patch.loss_rise_per_head(model, IDS, loss, mode)
    assert rises.shape == (2, 2)
    for head in np.ndindex(2, 2):
        alone = loss(patch.ablate_heads(model, IDS, [head], mode))
        assert rises[head] == pytest.approx(float(alone - before), abs=1e-6)


def test_a_head_that_is_off_writes_nothing(model: torch.nn.Module) -> None:
    with torch.no_grad():
        assert torch.equal(patch.ablate_heads(model, IDS), model(IDS))
    with Trace(model) as trace:
        logits = patch.ablate_heads(model, IDS, [(1, 0)])
    heads = trace["blocks.1.attn.heads"]
    assert not heads[:, 0].any() and heads[:, 1].any()
    assert not torch.equal(logits, patch.ablate_heads(model, IDS))


@pytest.mark.parametrize("head", [(2, 0), (0, 2), (-1, 0)])
def test_a_head_that_is_not_there_is_refused(model: torch.nn.Module, head: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="there is no head"):
        patch.ablate_heads(model, IDS, [head])


def test_patching_the_stream_recovers_all_and_a_vector_of_the_own_run_nothing(model: torch.nn.Module) -> None:
    clean, corrupted = IDS[:2], IDS[1:]

    def metric(logits: torch.Tensor) -> torch.Tensor:
        return logits[:, -1, 3] - logits[:, -1, 7]

    everywhere, last = patch.Site("embed"), patch.residual_sites(model)[-1].at(-1)
    for site in (everywhere, last):
        assert patch.patch(model, clean, corrupted, site, metric).tolist() == pytest.approx([1, 1], abs=1e-5)
    assert patch.patch(model, clean, corrupted, last.at(0), metric).tolist() == [0, 0]
    each = patch.patch(model, clean, corrupted, last.at(torch.tensor([-1, 0])), metric)
    assert each.tolist() == pytest.approx([1, 0], abs=1e-5)
    with pytest.raises(ValueError, match="nothing to restore"):
        patch.patch(model, clean, clean, last, metric)
    with pytest.raises(KeyError):
        patch.patch(model, clean, corrupted, patch.Site("blocks.7.resid_out"), metric)
