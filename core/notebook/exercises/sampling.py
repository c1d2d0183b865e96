"""`sample`: one token, drawn."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor

from core.notebook.exercises.exercise import Exercise, Outcome


def sample(logits: Tensor, temperature: float, generator: Generator) -> int:
    """A token, drawn by its probability."""
    return int(torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator))


N_DRAW = 2_000  # the share of a token is then right to 0.02, more or less


def _sample_trial(function: Callable[..., Any], generator: Generator) -> Outcome:
    logits = 1.5 * torch.randn(4, generator=generator)
    temperature = float(torch.rand((), generator=generator)) * 1.5 + 0.4
    drawn = torch.tensor([int(function(logits, temperature, generator)) for _ in range(N_DRAW)])
    return {f"the share of each token in {N_DRAW:,} draws": torch.bincount(drawn, minlength=4) / N_DRAW}


SAMPLE = Exercise(
    _sample_trial,
    sample,
    (
        ("it always takes the likeliest token; draw one by its probability.", lambda z, t, g: int(z.argmax())),
        ("temperature has no effect: divide the logits by it, before the softmax.", lambda z, t, g: sample(z, 1.0, g)),
        ("logits are multiplied by the temperature; divide by it.", lambda z, t, g: sample(z, 1 / t, g)),
    ),
    tolerance=0.06,
)
