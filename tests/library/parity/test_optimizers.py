"""Our optimizers against torch's."""

import pytest
import torch
from torch import nn

from core.train.optimizers import JORDAN, AdamW, Muon


def twins(*shape: int) -> tuple[nn.Parameter, nn.Parameter]:
    w = torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return nn.Parameter(w.clone()), nn.Parameter(w.clone())


def gradients(n: int, *shape: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randn(shape, generator=generator, dtype=torch.float64) for _ in range(n)]


@pytest.mark.parametrize(("betas", "weight_decay"), [((0.9, 0.99), 0.1), ((0.8, 0.95), 0.0)])
def test_adamw_equals_torchs(betas: tuple[float, float], weight_decay: float) -> None:
    ours, theirs = twins(5, 7)
    mine = AdamW({"w": ours}, learning_rate=0.01, betas=betas, weight_decay=weight_decay)
    torchs = torch.optim.AdamW([theirs], lr=0.01, betas=betas, weight_decay=weight_decay, eps=1e-8)
    for gradient in gradients(20, 5, 7):
        ours.grad, theirs.grad = gradient.clone(), gradient.clone()
        mine.step()
        torchs.step()
    torch.testing.assert_close(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("shape", [(16, 16), (32, 8), (8, 32)])
def test_muon_equals_torchs(shape: tuple[int, int]) -> None:
    """torch orthogonalizes in bfloat16: the directions agree to its three digits."""
    ours, theirs = (nn.Parameter(w.detach().float()) for w in twins(*shape))
    start = ours.detach().clone()
    mine = Muon({"w": ours}, learning_rate=0.02, momentum=0.95, rounds=JORDAN, dtype=torch.bfloat16)
    torchs = torch.optim.Muon(
        [theirs], lr=0.02, momentum=0.95, nesterov=True, weight_decay=0.0, ns_coefficients=JORDAN[0], ns_steps=5
    )
    for gradient in gradients(10, *shape):
        ours.grad, theirs.grad = gradient.float(), gradient.float()
        mine.step()
        torchs.step()
    distance = (ours - theirs).norm() / (theirs - start).norm()
    assert distance < 0.05
