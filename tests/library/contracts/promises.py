"""What contract tests of several kinds of models share."""

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
