"""The truth badge of the matrices of this room: one row of attention, from each head of several layers or models."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data.synthetic import BottleAndCup, referents
from core.inspect.tap_lines import tap_line
from core.train.experiments.live import Live

Part = tuple[str, nn.Module, int]  # the heads of one layer of a model: its name before the tensor's, itself, the layer


def of_it(parts: Sequence[Part], sentence: BottleAndCup, run: Live, name: str) -> "ui.Badge":
    """The badge of a matrix whose rows are where "it" looks in each head, part after part.

    Args:
        parts: whose heads, from top to bottom.
        sentence: what the models read.
        run: their training.
        name: what they are called.
    """
    names = [f"{model_name}blocks.{layer}.attn.weights" for model_name, _, layer in parts]
    _, first, layer = parts[0]
    n_head = sum(model.config.n_head for _, model, _ in parts)  # type: ignore[union-attr, misc]
    return ui.Badge(
        tensor=names[0] if len(names) == 1 else f"concat({', '.join(names)})",
        index=("row", referents.IT, "column"),
        shape=(n_head, referents.N_TOKEN, referents.N_TOKEN),
        model=name,
        step=run.step,
        seed=run.seed,
        source=tap_line(first, f"blocks.{layer}.attn.weights"),
        identity=f"{name} {run.step} {run.seed} {sorted(run.options.items())} {sentence}",
        again=lambda: np.concatenate([_again(model, layer, sentence) for _, model, layer in parts]),
    )


def _again(model: nn.Module, layer: int, sentence: BottleAndCup) -> NDArray[np.float64]:
    """(H, T, T) the weights of a layer by the second pass."""
    from core.inspect.second_pass.numpy_forward import forward
    from core.models.registry import to_dict

    weights = {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}
    ids, _ = referents.encode([sentence])
    return forward(to_dict(model.config), weights, ids=ids[0].tolist())[f"blocks.{layer}.attn.weights"]
