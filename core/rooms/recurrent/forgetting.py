"""Forgetting: how strongly the last state still depends on each earlier input, by distance."""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core import ui
from core.charts.axis import format_scientific
from core.data.localization.labels import module_labels
from core.exhibit import MAX_FIGURES, Inputs as Base, NothingToShow, Result, memoize, seed, segmented_control
from core.nn.tap import Trace
from core.rooms.recurrent.experiments import remember as task
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

N_TEXT = 2
FRESH_ONLY: dict[str, Any] = {"when": lambda i: i.models == "fresh"}


def TRAINED(inputs: "Inputs") -> str:
    """Return the required experiment; fresh nets need none."""
    return "remember" if inputs.models == "trained" else ""


def influence_by_distance(model: nn.Module, ids: Int[Tensor, "B T"]) -> NDArray[np.float64]:
    """Return the size of the derivative of the last state with respect to the input at each distance.

    That is ||d h_n / d x_(n-k)|| / sqrt(D): how far the last state moves, on average over all directions, when the
    input k tokens earlier moves by one. All D x D derivatives are computed exactly.

    Args:
        model: a model that taps `embed` (B, T, D), its input, and `final` (B, T, D), its states.
        ids: texts of one length; the result is the root mean square over them.

    Returns:
        (T,) entry k is for distance k; entry 0 is the last token itself.

    Source: Bengio et al. 1994; Pascanu et al. 2012 (1211.5063), section 2.1.
    """
    width = int(model.tok_emb.weight.shape[1])  # type: ignore[union-attr, index]
    rows = ids.repeat_interleave(width, 0)  # (B D, T): one copy per dimension of the last state
    asked = torch.eye(width).repeat(len(ids), 1)  # (B D, D)

    def follow(x: Tensor) -> Tensor:
        return x.detach().requires_grad_()

    with torch.enable_grad(), Trace(model, edits={"embed": follow}) as trace:
        model(rows)
        last = (trace["final"][:, -1] * asked).sum()
        (gradient,) = torch.autograd.grad(last, trace["embed"])  # (B D, T, D): each row is one row of the Jacobian
    squares = gradient.double().square().sum(-1).reshape(len(ids), width, -1)  # (B, D, T)
    return np.sqrt(squares.mean(1).mean(0).flip(0).numpy())


def decay_per_step(sizes: NDArray[np.float64], first: int = 1) -> float:
    """Return the factor by which the size changes per step back, averaged from distance `first` to the furthest.

    It is 0 if the size at the furthest distance is exactly 0.
    """
    n_step = len(sizes) - 1 - first
    if n_step < 1 or sizes[first] == 0:
        return float("nan")
    return float((sizes[-1] / sizes[first]) ** (1 / n_step))


CODE = (influence_by_distance, task.untrained_net)


class Inputs(Base, prefix="forget_"):
    models: str = segmented_control(("fresh", "trained"), "fresh")
    seed: int = seed(**FRESH_ONLY)
    length: int = segmented_control((10, 20, 40, 80), 40, **FRESH_ONLY)
    bias: int = segmented_control(
        (0, 1, 2, 3, 5),
        1,
        **FRESH_ONLY,
    )
    distance: int = segmented_control(task.DISTANCES, 20, when=lambda i: i.models == "trained")


@memoize(MAX_FIGURES)
def untrained_influence(variant: str, distance: int, seed: int, forget_bias: int) -> NDArray[np.float64]:
    """Return the sizes by distance for an untrained model."""
    ids, _ = task.draw(N_TEXT, distance, torch.Generator().manual_seed(seed))
    model = task.untrained_net(variant, distance, seed, forget_bias).eval().requires_grad_(False)
    return influence_by_distance(model, ids)


class ForgettingCurves(Result):
    """The curves of the nets."""

    curves: dict[str, NDArray[np.float64]]  # name -> (T,) sizes by distance
    accuracies: dict[str, float]  # accuracies of trained nets; empty for fresh ones
    n_step: int  # training steps of those
    far: int  # the furthest distance
    factors: dict[str, float | None]  # mean factor per step back; None if the curve is not a line

    def powers(self, name: str) -> float:
        """Return by how many powers of ten the influence grows from one step back to the furthest; below 0 it fades."""
        sizes = self.curves[name]
        return math.log10(sizes[-1] / sizes[1])

    def table(self) -> dict[str, list[float]]:
        """Return one row per distance."""
        return {
            LABELS["table.distance"]: list(range(self.far + 1)),
            **{name: sizes.tolist() for name, sizes in self.curves.items()},
        }


def compute(inputs: Inputs, run: ExperimentRun | None = None) -> ForgettingCurves:
    """Compute the derivatives of four nets, fresh or trained."""
    if run is None:
        curves = {name: untrained_influence(v, inputs.length, inputs.seed, 0) for v, name in task.NAMES.items()}
        if inputs.bias:
            curves[LABELS("lstm_with_bias", bias=inputs.bias)] = untrained_influence(
                "lstm", inputs.length, inputs.seed, inputs.bias
            )
        return _forgetting(curves)
    distance = inputs.distance
    if distance not in run.record["distances"]:
        raise NothingToShow(LABELS("not_trained", distance=distance))
    ids, curves, accuracies = task.held_out_sequences(distance, run.seed)[0][:N_TEXT], {}, {}
    for variant, name in task.NAMES.items():
        model = task.record_name(variant, distance)
        curves[name] = influence_by_distance(
            experiment.rebuild_model(run.record, model, task.config(variant, distance)), ids
        )
        accuracies[name] = float(run.record[f"curve.{model}.accuracy"][-1])
    return _forgetting(curves, accuracies, run.step)


def _forgetting(
    curves: dict[str, NDArray[np.float64]], accuracies: Mapping[str, float] = MappingProxyType({}), n_step: int = 0
) -> ForgettingCurves:
    factors = {name: decay_per_step(sizes) for name, sizes in curves.items()}
    # Attention has learned where to look, which doesn't lie on a line.
    learned = {task.NAMES["attention"]} if accuracies else set()
    return ForgettingCurves(
        curves=curves,
        accuracies=dict(accuracies),
        n_step=n_step,
        far=len(next(iter(curves.values()))) - 1,
        factors={name: None if math.isnan(one) or name in learned else one for name, one in factors.items()},
    )


def draw(result: ForgettingCurves, inputs: Inputs, run: ExperimentRun | None = None) -> None:
    """Draw the curves."""
    ui.add_template_values(size_text=format_scientific, width=task.WIDTH, n_text=N_TEXT)
    n = len(task.NAMES)
    ui.curves(
        {name: (range(len(sizes)), sizes) for name, sizes in result.curves.items()},
        x=ui.Axis(LABELS["distance_axis"], (0, result.far)),
        y=ui.Axis(LABELS["size_axis"], is_log=True),
        looks={name: (min(i, 3) if i < n else 1, i) for i, name in enumerate(result.curves)},
        has_dots=True,
        height=340,
    )
