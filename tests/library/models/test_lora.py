"""LoRA against its formula: what is frozen, what is added, and what is merged."""

import numpy as np
import torch
from torch.nn import functional as F

from core.inspect.model_inputs.model_key import SHIPPED_MODELS
from core.models import lora, pretrained
from core.nn.tap import Trace

MODEL = SHIPPED_MODELS / "stories"
IDS = torch.randint(3, 400, (2, 17), generator=torch.Generator().manual_seed(3))


def adapted(rank: int = 3) -> tuple[torch.nn.Module, dict[str, lora.LoRA]]:
    """The stories model with updates that are not 0."""
    generator = torch.Generator().manual_seed(1)
    model = pretrained.load(MODEL).model
    placed = lora.add_lora(model, rank, generator)
    for one in placed.values():
        one.up.data.normal_(0, 0.1, generator=generator)
    return model, placed


def test_an_update_beside_is_the_formula_and_merging_it_gives_the_same() -> None:
    model, placed = adapted()
    with torch.no_grad(), Trace(model) as trace:
        beside = model(IDS)
    one, x = placed["blocks.0.attn.w_q"], trace["blocks.0.attn.q"]
    assert set(placed) == {name for name, _ in lora.target_matrices(pretrained.load(MODEL).model)} and len(placed) == 12
    by_hand = lora.ALPHA / 3 * one.up.detach().double() @ one.down.detach().double()
    np.testing.assert_allclose(lora.lora_update(one.up, one.down).detach(), by_hand, atol=1e-6)
    assert np.linalg.matrix_rank(by_hand.numpy()) == 3 and x.isfinite().all()
    merged = pretrained.load(MODEL).model
    lora.merge_updates(merged, {name: (one.up, one.down) for name, one in placed.items()})
    with torch.no_grad():
        np.testing.assert_allclose(merged(IDS), beside, atol=5e-5)
        lora.merge_updates(
            plain := pretrained.load(MODEL).model, {n: (one.up, one.down) for n, one in placed.items()}, 0.0
        )
        assert torch.equal(plain(IDS), pretrained.load(MODEL).model(IDS)), "at strength 0 it is the model as it was"


def test_only_the_updates_learn_and_at_first_they_change_nothing() -> None:
    plain, model = pretrained.load(MODEL).model, pretrained.load(MODEL).model
    placed = lora.add_lora(model, 2, torch.Generator().manual_seed(0))
    with torch.no_grad():
        assert torch.equal(model(IDS), plain(IDS))
    F.cross_entropy(model(IDS).mT, IDS).backward()
    moved = {name for name, weight in model.named_parameters() if weight.grad is not None}
    assert moved == {f"{name}.{part}" for name in placed for part in ("up", "down")}
