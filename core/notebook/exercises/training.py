"""`training_step`: one step down the loss."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor, nn

from core.models.gpt import GPTConfig
from core.models.registry import build
from core.notebook.exercises.exercise import Exercise, Outcome, size


def training_step(model: nn.Module, optimizer: torch.optim.Optimizer, ids: Tensor) -> float:
    """One step on texts (B, T + 1): each token is to foresee the one after it. Gives the loss before the step."""
    logits = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def _training_trial(function: Callable[..., Any], generator: Generator) -> Outcome:
    """Two steps, so that gradients which were not set back are seen."""
    config = GPTConfig(vocab_size=7, context_length=6, n_layer=1, n_head=1, d_model=4)
    model = build(config, size(generator, 0, 1000))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    losses = [function(model, optimizer, torch.randint(0, 7, (3, 6), generator=generator)) for _ in range(2)]
    if any(one is None for one in losses):
        return {"loss": None}
    weights = torch.cat([one.detach().flatten() for one in model.parameters()])
    return {"loss": torch.tensor([float(one) for one in losses]), "the new weights": weights}


def _step_as(
    *, shifted: bool = True, set_back: bool = True, steps: bool = True
) -> Callable[[nn.Module, torch.optim.Optimizer, Tensor], float]:
    def step(model: nn.Module, optimizer: torch.optim.Optimizer, ids: Tensor) -> float:
        read = ids[:, :-1]
        loss = nn.functional.cross_entropy(model(read).flatten(0, 1), (ids[:, 1:] if shifted else read).flatten())
        if set_back:
            optimizer.zero_grad()
        loss.backward()
        if steps:
            optimizer.step()
        return loss.item()

    return step


TRAINING_STEP = Exercise(
    _training_trial,
    training_step,
    (
        ("each token is compared with itself; its target is the one after it.", _step_as(shifted=False)),
        ("gradients add up over steps: call optimizer.zero_grad().", _step_as(set_back=False)),
        ("the weights never change: call optimizer.step().", _step_as(steps=False)),
    ),
)
