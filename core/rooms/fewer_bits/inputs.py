"""Inputs that the exhibits of the room share: a model and a text, the number of bits, and the kind of scale."""

from typing import NamedTuple

import torch
from torch import Tensor

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs
from core.inspect.model_inputs.model_and_text import ModelAndText, model_and_text_input

LABELS = module_labels(__name__)

N_BIN = 121  # odd, so that 0 is in the middle of a bin


class WeightHistograms(NamedTuple):
    """Histograms of weights before and after rounding."""

    limit: float  # the bins run from -limit to limit
    before: tuple[int, ...]  # before, after: counts of N_BIN bins
    after: tuple[int, ...]
    zeros: float  # fraction of the weights that are 0 after rounding


def bin_weights(before: Tensor, after: Tensor) -> WeightHistograms:
    """Count the weights of a matrix before and after rounding, in the same bins."""
    limit = float(before.abs().amax()) * (1 + 1 / N_BIN) or 1.0
    found = [tuple(map(int, torch.histc(one, N_BIN, -limit, limit).tolist())) for one in (before, after)]
    return WeightHistograms(limit, found[0], found[1], float((after == 0).float().mean()))


def draw_histograms(levels: object, *, names: tuple[str, str], key: str, label: object) -> None:
    """Draw both histograms, one above the other.

    Args:
        levels: a `WeightHistograms`; it may depend on choices of the page, and so may the label.
        names: of the two histograms.
        label: of the weights.
    """
    takeaway = ui.map_choices(lambda one, name: LABELS("zeros", weights=name, share=one.zeros), levels, label)
    bars = ui.map_choices(WeightHistograms._asdict, levels)
    ui.mount_widget("levels", bars=bars, names=names, label=label, takeaway=takeaway, key=key)


MAX_PROMPT = 40  # tokens of the text that are read
BIT_CHOICES = {32: "32", 16: "16", 8: "8", 4: "4", 3: "3", 2: "2"}
# which weights share a scale
SCALE_CHOICES = {"matrix": LABELS["scale.matrix"], "row": LABELS["scale.row"], "group": LABELS["scale.group"]}


class PromptInputs(Inputs):
    """A model that generates text, and a text."""

    given: ModelAndText = model_and_text_input(most=MAX_PROMPT)
