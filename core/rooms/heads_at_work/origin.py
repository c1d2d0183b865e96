"""The truth badge of the matrices of this room: one row of attention, from each head of several layers or models."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core.data.synthetic import BottleAndCup, referents
from core.inspect.tap_lines import tap_line
from core.train.live import Live
from core.ui.widgets.badge import Badge


@dataclass(frozen=True)
class Part:
    """The heads of one layer of one model.

    Attributes:
        model: the model.
        layer: which of its layers.
        name: before the tensor's name, where several models stand below each other.
    """

    model: nn.Module
    layer: int
    name: str = ""

    @property
    def tensor(self) -> str:
        """As the model taps it."""
        return f"blocks.{self.layer}.attn.weights"

    def again(self, sentence: BottleAndCup) -> NDArray[np.float64]:
        """(H, T, T) its weights by the second pass."""
        from core.inspect.second_pass.numpy_forward import forward
        from core.models.registry import to_dict

        weights = {name: parameter.detach().numpy() for name, parameter in self.model.named_parameters()}
        ids, _ = referents.encode([sentence])
        return forward(to_dict(self.model.config), weights, ids=ids[0].tolist())[self.tensor]


def of_it(parts: Sequence[Part], sentence: BottleAndCup, shown: Live, name: str) -> Badge:
    """The badge of a matrix whose rows are where "it" looks in each head, part after part.

    Args:
        parts: whose heads, from top to bottom.
        sentence: what the models read.
        shown: their training.
        name: what they are called.
    """
    names = [f"{part.name}{part.tensor}" for part in parts]
    configs: list[Any] = [part.model.config for part in parts]
    n_head = sum(config.n_head for config in configs)
    return Badge(
        tensor=names[0] if len(names) == 1 else f"concat({', '.join(names)})",
        index=("row", referents.IT, "column"),
        shape=(n_head, referents.N_TOKEN, referents.N_TOKEN),
        model=name,
        step=shown.step,
        seed=shown.seed,
        source=tap_line(parts[0].model, parts[0].tensor),
        identity=f"{name} {shown.step} {shown.seed} {sorted(shown.options.items())} {sentence}",
        again=lambda: np.concatenate([part.again(sentence) for part in parts]),
    )
