"""A sentence to test the models on, and the badge of the matrices that show where "it" looks in it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.exhibit import segmented_control, select
from core.inspect.tap_lines import find_tap_line
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

# One layer's heads of a model: prefix of the tensor's name, the model, the layer.
LayerHeads = tuple[str, nn.Module, int]


FIRST_NOUN = select(NOUNS, NOUNS[0], label=LABELS["first"])
SECOND_NOUN = select(NOUNS, NOUNS[1], label=LABELS["second"])
ENDING = segmented_control(referents.ENDINGS, "full", label=LABELS["ending"])


def sentence_of(inputs: Any, ending: str = "") -> BottleAndCup:
    """Return the sentence of the controls, or with a given ending; water can't be poured from a vessel into itself."""
    first, second = inputs.first, inputs.second
    if first == second:
        second = NOUNS[(NOUNS.index(first) + 1) % len(NOUNS)]
    return BottleAndCup(first, second, ending or inputs.ending)


def it_attention_badge(
    parts: Sequence[LayerHeads], sentence: BottleAndCup, run: ExperimentRun, name: str
) -> "ui.ProvenanceBadge":
    """Return the badge of a matrix of attention rows of "it": all heads of each part, of models with this name."""
    names = [f"{model_name}blocks.{layer}.attn.weights" for model_name, _, layer in parts]
    _, first, layer = parts[0]
    n_head = sum(model.config.n_head for _, model, _ in parts)  # type: ignore[union-attr, misc]
    return ui.ProvenanceBadge(
        tensor=names[0] if len(names) == 1 else f"concat({', '.join(names)})",
        index=("row", referents.IT_POSITION, "column"),
        shape=(n_head, referents.N_TOKEN, referents.N_TOKEN),
        model=name,
        step=run.step,
        seed=run.seed,
        source=find_tap_line(first, f"blocks.{layer}.attn.weights"),
        identity=f"{name} {run.step} {run.seed} {sorted(run.options.items())} {sentence}",
        recompute=lambda: np.concatenate([_again(model, layer, sentence) for _, model, layer in parts]),
    )


def _again(model: nn.Module, layer: int, sentence: BottleAndCup) -> NDArray[np.float64]:
    """Compute the weights of a layer (H, T, T) by the second pass."""
    from core.inspect.numpy_reference.numpy_forward import numpy_forward
    from core.models.registry import to_dict

    weights = {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}
    ids, _ = referents.encode_referent_sentences([sentence])
    return numpy_forward(to_dict(model.config), weights, ids=ids[0].tolist())[f"blocks.{layer}.attn.weights"]
