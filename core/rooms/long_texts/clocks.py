"""RoPE's dimension pairs ("clocks"): how far each turns in training and beyond, and what each method changes."""

import math

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, segmented_control
from core.nn.positions import RotarySettings
from core.rooms.long_texts.compute import reading_ways
from core.rooms.long_texts.compute.reading_ways import FREQUENCY_WAYS, WAY_NAMES, scaled_rotary

LABELS = module_labels(__name__)

OURS, LLAMA = "ours", "llama2"
# d_head and trained length; Touvron et al. 2023 (2307.09288), table 1 and appendix A.2.1. Both have base 10,000.
MODEL_SHAPES = {OURS: (32, 64), LLAMA: (128, 4096)}
CODE = (reading_ways.scaled_rotary, RotarySettings.speeds)


class Inputs(Base, prefix="turn_"):
    factor: int = segmented_control((2, 4, 8, 32), 8)
    model: str = segmented_control((OURS, LLAMA), OURS)


class RotaryFrequencies(Result):
    """The frequency of each dimension pair, by way of reading."""

    speeds: dict[str, NDArray[np.float64]]  # (pairs,) radians per position
    reach: dict[str, NDArray[np.float64]]  # (pairs,) how far each turns in the long text, relative to training
    turns: NDArray[np.float64]  # (pairs,) turns of each within a training text
    trained: int  # tokens of a training text
    n_pair: int
    n_round: int  # pairs that make at least one full turn within such a text, so that they have seen every angle
    slowest: float  # degrees that the slowest pair turns within such a text

    def table(self) -> Table:
        """Return one row per pair."""
        found = {LABELS("times_as_far", way=WAY_NAMES[way]): one.round(4) for way, one in self.reach.items()}
        lengths = (2 * math.pi / self.speeds["plain"]).round(2)
        return {
            LABELS["pair"]: range(self.n_pair),
            LABELS["turn_length"]: lengths,
            LABELS["turns"]: self.turns.round(4),
            **found,
        }


def compute(inputs: Inputs) -> RotaryFrequencies:
    """Compute the frequencies of all pairs with the functions that the model itself uses."""
    d_head, trained = MODEL_SHAPES[inputs.model]
    speeds = {
        way: scaled_rotary(way, float(inputs.factor), trained, d_head).speeds(d_head, dtype=torch.float64).numpy()
        for way in FREQUENCY_WAYS
    }
    turns = speeds["plain"] * trained / (2 * math.pi)
    return RotaryFrequencies(
        speeds=speeds,
        reach={way: inputs.factor * speed / speeds["plain"] for way, speed in speeds.items()},
        turns=turns,
        trained=trained,
        n_pair=len(turns),
        n_round=int((turns >= 1).sum()),
        slowest=float(np.degrees(speeds["plain"][-1] * trained)),
    )


def draw(result: RotaryFrequencies, inputs: Inputs) -> None:
    """Draw how far each pair turns, compared with training."""
    ui.curves(
        {WAY_NAMES[way]: (range(result.n_pair), reach) for way, reach in result.reach.items()},
        x=LABELS["pair_axis"],
        y=ui.Axis(LABELS["reach_axis"], (0, 1.05 * inputs.factor)),
        at=result.n_round - 0.5,
        height=320,
    )
