"""Gradients and depth: the gradient at the first layer, in untrained stacks and while four models learn.

The untrained stacks are built, their loss for predicting random tokens is computed, and the gradient is traced down
through the blocks.
"""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.axis import format_scientific
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed, segmented_control
from core.nn.block import Block
from core.rooms.block.compute.gradients import (
    DEPTHS,
    NORMS,
    PATHS,
    StackGradients,
    build_stack,
    gradient_norms,
    gradient_norms_by_kind,
    opposed_gradient,
)
from core.rooms.block.experiments.depth import FULL_NAMES, NO_RESIDUAL, input_gradient_norms
from core.rooms.block.sizes_in_words import describe_size
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
TRAINED = "depth"
CODE = (build_stack, gradient_norms, Block.forward, input_gradient_norms)


class Inputs(Base, prefix="grad_"):
    start: str = segmented_control(("narrow", "wide"), "narrow")
    layers: int = segmented_control(DEPTHS[3:], 16)
    seed: int = seed()


class DepthGradients(Result):
    """The norms of gradients, by layer and depth."""

    stacks: StackGradients  # untrained, by kind and depth
    # the norm of a gradient of norm 1 after blocks that write against the stream: -x, and -x/2
    through: tuple[float, float]
    record: dict[str, NDArray[np.generic]]  # recorded gradients of the trained models
    formula: str  # the gradient's mean factor per layer, with and without the path, pre-norm

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        found = {
            f"start.{norm}.{'with' if path else 'without'}.{n_layer}": values
            for (norm, path), by_depth in self.stacks.items()
            for n_layer, values in by_depth.items()
        }
        return found | self.record

    def table(self) -> Table:
        """Return one row for each layer of each stack."""
        rows = [
            (NORMS[norm], PATHS[path], n_layer, layer, float(value))
            for (norm, path), by_depth in self.stacks.items()
            for n_layer, values in by_depth.items()
            for layer, value in enumerate(values)
        ]
        names = LABELS.options("column", "norm", "residual", "layers", "below", "gradient")
        return dict(zip(names.values(), map(list, zip(*rows, strict=True)), strict=True))


def warm_up() -> None:
    """Compute the gradients of the default stacks once, so that the first visitor doesn't wait a second."""
    gradient_norms_by_kind("narrow", 0)


def compute(inputs: Inputs, run: ExperimentRun) -> DepthGradients:
    """Compute the gradients of untrained stacks, and read those of the models that learn."""
    all_of_it, half = (opposed_gradient(share, inputs.layers) for share in (1.0, 0.5))
    record = {name: values for name, values in run.record.items() if name == "look" or name.startswith("gradient")}
    stacks = gradient_norms_by_kind(inputs.start, inputs.seed)
    return DepthGradients(
        stacks=stacks, through=(all_of_it, half), record=record, formula=_formula(stacks, inputs.layers)
    )


def _formula(stacks: StackGradients, n_layer: int) -> str:
    lines = []
    for path in (True, False):
        first, *_, last = map(float, stacks["pre", path][n_layer])
        if first > 0 and np.isfinite(first):
            factor = f"{(first / last) ** (1 / n_layer):.3f}"
            name = LABELS["with_path"] if path else LABELS["without_path"]
            lines.append(rf"\text{{{name} }} {_latex(first)} = {_latex(last)} \cdot {factor}^{{{n_layer}}}")
        else:
            sizes = LABELS("with_path_from" if path else "without_path_from", size=format_scientific(first))
            lines.append(rf"\text{{{sizes} }} {_latex(last)}")
    return r"\begin{gathered} " + r" \\ ".join(lines) + r" \end{gathered}"


def _latex(value: float) -> str:
    if 1e-3 <= value < 1e4:
        return f"{value:.3f}"
    digits, power = f"{value:.1e}".split("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"


def draw(result: DepthGradients, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the gradients of untrained stacks, a counter-example, and the gradients of the trained models."""
    stacks, n_layer = result.stacks, inputs.layers
    length = ui.Axis(LABELS["gradient_axis"], is_log=True)
    names = {(norm, path): f"{name}{' +x' if path else ''}" for norm, name in NORMS.items() for path in PATHS}
    looks = {name: (list(NORMS).index(norm), not path) for (norm, path), name in names.items()}
    left, right = ui.two_columns("gradients")
    with left:
        ui.curves(
            {names[kind]: (DEPTHS, [values[0] for values in found.values()]) for kind, found in stacks.items()},
            x=ui.Axis(LABELS["depth_axis"], is_log=True, ticks=DEPTHS),
            y=length,
            title=LABELS["arrives"],
            looks=looks,
            height=230,
        )
    with right:
        ui.curves(
            {names[kind]: (range(n_layer + 1), found[n_layer]) for kind, found in stacks.items()},
            x=LABELS["below_axis"],
            y=length,
            title=LABELS("inside", n_layer=n_layer),
            looks=looks,
            height=230,
        )
    sizes = {kind: describe_size(float(found[n_layer][0])) for kind, found in stacks.items()}
    first_layer = [(name, sizes[norm, True], sizes[norm, False]) for norm, name in NORMS.items()]
    through, half = map(describe_size, result.through)
    ui.add_template_values(first_layer=first_layer, all=through, half=half)
    if ui.depth_at_least("numbers"):
        ui.show_text_section("first-layer")
        ui.curves(
            {name: (run.record["look"], run.record[f"gradient.{v}"][:, 0]) for v, name in FULL_NAMES.items()},
            y=length,
            n_step=run.n_step,
            title=LABELS["while_learning"],
            looks={name: (i, v in NO_RESIDUAL) for i, (v, name) in enumerate(FULL_NAMES.items())},
            height=230,
        )
