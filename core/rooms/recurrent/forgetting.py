"""Forgetting: how strongly the last state still follows each earlier input, by distance."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.cache import MAX_FIGURES, memoize
from core.charts.decades import DecadeCurve, decades, told
from core.inputs import Inputs as Base
from core.inputs import NothingToShow, seed, segmented
from core.rooms.recurrent.compute import forgetting
from core.rooms.recurrent.experiments import remember as task
from core.train import experiment
from core.train.experiments.live import Live

N_TEXT = 2
TITLE = "How much the last state depends on an earlier input"
CODE = (forgetting.by_distance, task.fresh)
FRESH: dict[str, Any] = {"when": lambda i: i.models == "fresh"}


def TRAINED(inputs: "Inputs") -> str:
    """Fresh nets need no training."""
    return "remember" if inputs.models == "trained" else ""


class Inputs(Base, prefix="forget_"):
    """Which nets, and how far back."""

    models: str = segmented("Models", {"fresh": "Fresh", "trained": "Trained"}, "fresh")
    seed: int = seed(**FRESH)
    length: int = segmented("Letters after the first one", (10, 20, 40, 80), 40, **FRESH)
    bias: int = segmented(
        "Bias of the LSTM's forget gate",
        (0, 1, 2, 3, 5),
        1,
        help="Added at the start. With 0, 1, 2, 3 or 5 the gate begins near 0.5, 0.73, 0.88, 0.95 or 0.99.",
        **FRESH,
    )
    distance: int = segmented(
        "Letters after the first one, as trained", task.DISTANCES, 20, when=lambda i: i.models == "trained"
    )


@memoize(MAX_FIGURES)
def fresh_sizes(variant: str, distance: int, seed: int, forget_bias: int) -> NDArray[np.float64]:
    """By distance, of a model that has just been drawn."""
    ids, _ = task.draw(N_TEXT, distance, torch.Generator().manual_seed(seed))
    model = task.fresh(variant, distance, seed, forget_bias).eval().requires_grad_(False)
    return forgetting.by_distance(model, ids)


@dataclass(frozen=True)
class Result:
    """The curves of the nets.

    Args:
        curves: name -> (T,) sizes by distance.
        accuracies: of trained nets, right answers; empty for fresh ones.
        n_step: how long those were trained.
    """

    curves: Mapping[str, NDArray[np.float64]]
    accuracies: Mapping[str, float]
    n_step: int = 0

    @property
    def far(self) -> int:
        """The furthest distance."""
        return len(next(iter(self.curves.values()))) - 1

    def powers(self, name: str) -> float:
        """By how many powers of ten the influence grows from one step back to the furthest; below 0 it fades."""
        sizes = self.curves[name]
        return math.log10(sizes[-1] / sizes[1])

    @property
    def rights(self) -> str:
        return ", ".join(f"{name} {right:.0%}" for name, right in self.accuracies.items())

    def table(self) -> dict[str, list[float]]:
        """One line for each distance."""
        return forgetting.table(self.curves)


def compute(inputs: Inputs, run: Live | None = None) -> Result:
    """The derivatives of four nets, just drawn or trained."""
    if run is None:
        curves = {name: fresh_sizes(v, inputs.length, inputs.seed, 0) for v, name in task.NAMES.items()}
        if inputs.bias:
            curves[f"LSTM, bias {inputs.bias}"] = fresh_sizes("lstm", inputs.length, inputs.seed, inputs.bias)
        return Result(curves, {})
    distance = inputs.distance
    if distance not in run.record["distances"]:
        raise NothingToShow(f"No net was trained for {distance} letters. Choose fewer, or train again below.")
    names = {name: task.model_name(variant, distance) for variant, name in task.NAMES.items()}
    ids = task.held_out(distance, run.seed)[0][:N_TEXT]
    models = {
        name: experiment.rebuild(run.record, names[name], task.config(variant, distance))
        for variant, name in task.NAMES.items()
    }
    return Result(
        {name: forgetting.by_distance(model, ids) for name, model in models.items()},
        {name: float(run.record[f"curve.{model}.accuracy"][-1]) for name, model in names.items()},
        run.step,
    )


def draw(result: Result, inputs: Inputs, run: Live | None = None) -> None:
    """The curves, and what each step back costs."""
    if run is not None:
        ui.say("race")
    n = len(task.NAMES)
    spec = decades(
        [
            DecadeCurve(name, np.arange(len(sizes)), sizes, min(i, 3) if i < n else 1, i >= n)
            for i, (name, sizes) in enumerate(result.curves.items())
        ],
        x_title="distance: tokens before the last one",
        y_title="size of the derivative",
        title=TITLE,
        x_limits=(0, result.far),
        mode=ui.color_mode(),
        height=480,
    )
    ends = ", ".join(f"{name} {told(float(sizes[-1]))}" for name, sizes in result.curves.items())
    ui.st.markdown(f"**{TITLE}**")  # above the chart and not in it: a phone has to break it
    ui.chart(
        {name: part for name, part in spec.items() if name != "title"},
        alt=f"Size of the derivative of the last state by distance. At distance {result.far}: {ends}.",
        key="forget-chart",
    )
    if ui.at_least("numbers"):
        ui.st.markdown(_table(result))
    ui.say("scale")
    ui.say("nets", width=task.WIDTH, n_text=N_TEXT)


def _table(result: Result) -> str:
    lines = [f"| net | distance 1 | distance {result.far} | mean factor per step back |", "|---|--:|--:|--:|"]
    for name, sizes in result.curves.items():
        factor = forgetting.kept_per_step(sizes)
        # What attention has learned to look at does not lie on a line.
        has_none = math.isnan(factor) or (name == task.NAMES["attention"] and bool(result.accuracies))
        mean = "–" if has_none else f"× {factor:.3f}"
        lines.append(f"| {name} | {told(sizes[1])} | {told(sizes[-1])} | {mean} |")
    return "\n".join(lines)
