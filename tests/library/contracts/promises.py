"""What contract tests of several kinds of models share."""

import json
from typing import Any

import torch

from core.models import registry


def lively(config: Any) -> Any:
    """The model with larger random weights: at the start nearly all heads look alike and biases are 0."""
    model = registry.build(config).double()
    generator = torch.Generator().manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
    return model


def check_seed_and_json(config: Any) -> None:
    """The seed alone decides the weights, and the config comes back from JSON as it was."""
    before = torch.get_rng_state()
    first, second, other = (registry.build(config, seed).state_dict() for seed in (1, 1, 2))
    assert torch.equal(torch.get_rng_state(), before)
    assert all(torch.equal(first[name], second[name]) for name in first)
    random = [name for name in first if first[name].ndim > 1]
    assert random and not any(torch.equal(first[name], other[name]) for name in random)
    assert registry.from_dict(json.loads(json.dumps(registry.to_dict(config)))) == config
