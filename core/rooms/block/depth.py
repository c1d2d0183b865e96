"""Gradients and depth: what arrives at the first layer, at the start and while four models learn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.decades import DecadeCurve, decades
from core.exhibit import Inputs as Base
from core.exhibit import seed, segmented
from core.nn.block import Block
from core.rooms.block.compute import gradients
from core.rooms.block.compute.gradients import DEPTHS, NORMS, PATHS, Stacks
from core.rooms.block.experiments.depth import FULL, WITHOUT, arriving_gradients
from core.rooms.block.sizes_in_words import size_in_words
from core.train.experiments.live import Live

STARTS = {"narrow": "GPT-2's, narrow", "wide": "wide, variance 1/n"}
TRAINED = "depth"
CODE = (gradients.stack, gradients.arriving, Block.forward, arriving_gradients)


class Inputs(Base, prefix="grad_"):
    """How the stacks are drawn, and which of them is looked into."""

    start: str = segmented("Start of the weights", STARTS, "narrow")
    layers: int = segmented("Layer by layer in a stack of", DEPTHS[3:], 16)
    seed: int = seed()


@dataclass(frozen=True)
class Gradients:
    """What arrives where."""

    stacks: Stacks  # just drawn, by kind and depth
    layers: int  # depth of those that are looked into
    # of a gradient of length 1, through blocks that write against the stream: -x, and -x/2
    through: tuple[float, float]
    record: dict[str, NDArray[Any]]  # of the trained models

    @property
    def first_layer(self) -> list[tuple[str, str, str]]:
        """Norm, and what arrives with residual paths and without."""
        sizes = {kind: size_in_words(float(found[self.layers][0])) for kind, found in self.stacks.items()}
        return [(name, sizes[norm, True], sizes[norm, False]) for norm, name in NORMS.items()]

    @property
    def formula(self) -> str:
        """What one layer does to the gradient on average, with and without the path, in the pre-norm stacks."""
        lines = []
        for path, name in ((True, "with"), (False, "without")):
            first, *_, last = map(float, self.stacks["pre", path][self.layers])
            if first > 0 and np.isfinite(first):
                factor = f"{(first / last) ** (1 / self.layers):.3f}"
                lines.append(rf"\text{{{name}: }} {_latex(first)} = {_latex(last)} \cdot {factor}^{{{self.layers}}}")
            else:
                lines.append(rf"\text{{{name}: {size_in_words(first)}, from }} {_latex(last)}")
        return r"\begin{gathered} " + r" \\ ".join(lines) + r" \end{gathered}"

    def arrays(self) -> dict[str, NDArray[Any]]:
        found = {
            f"start.{norm}.{'with' if path else 'without'}.{n_layer}": values
            for (norm, path), by_depth in self.stacks.items()
            for n_layer, values in by_depth.items()
        }
        return found | self.record

    def table(self) -> dict[str, list[Any]]:
        """One line for each layer of each stack."""
        rows = [
            (NORMS[norm], PATHS[path], n_layer, layer, float(value))
            for (norm, path), by_depth in self.stacks.items()
            for n_layer, values in by_depth.items()
            for layer, value in enumerate(values)
        ]
        names = ("norm", "residual", "layers", "layers below", "gradient")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def warm_up() -> None:
    """Follow the gradients of the default stacks once, so that the first visitor need not wait a second."""
    gradients.all_stacks("narrow", 0)


def compute(inputs: Inputs, run: Live) -> Gradients:
    """The gradients of stacks that were just drawn, and those of the models that learn."""
    all_of_it, half = (gradients.against_itself(share, inputs.layers) for share in (1.0, 0.5))
    record = {name: values for name, values in run.record.items() if name == "look" or name.startswith("gradient")}
    return Gradients(gradients.all_stacks(inputs.start, inputs.seed), inputs.layers, (all_of_it, half), record)


def draw(result: Gradients, inputs: Inputs, run: Live) -> None:
    """Two charts of stacks that were just drawn, a counter-example, and the gradients of the trained models."""
    stacks, n_layer = result.stacks, inputs.layers
    how: Any = {"height": 230, "y_title": "length of the gradient", "mode": ui.color_mode()}
    inside = decades(
        [_curve(kind, range(n_layer + 1), found[n_layer]) for kind, found in stacks.items()],
        title=f"Inside stacks of {n_layer} layers",
        x_title="layers below (the loss is on the right)",
        **how,
    )
    by_depth = decades(
        [_curve(kind, DEPTHS, [values[0] for values in found.values()]) for kind, found in stacks.items()],
        title="What arrives at the first layer",
        x_title="number of layers",
        doubling=True,
        **how,
    )
    deepest = ", ".join(
        f"{NORMS[norm]}, {PATHS[path]}: {size_in_words(float(found[DEPTHS[-1]][0]))}"
        for (norm, path), found in stacks.items()
    )
    left, right = ui.pair("gradients")
    with left:
        ui.chart(by_depth, alt=f"The gradient at the first layer by depth, 1 to 64. At 64 layers, {deepest}.")
    with right:
        ui.chart(inside, alt=f"The gradient at each layer of stacks of {n_layer}.")
    ui.say("reaches", at_first=result.first_layer[0])
    ui.say("no-guarantee", all=size_in_words(result.through[0]), half=size_in_words(result.through[1]))
    if not ui.at_least("numbers"):
        return
    ui.say("first-layer")
    ui.say("training")
    curves = [
        DecadeCurve(name, run.record["look"], run.record[f"gradient.{v}"][:, 0], look=i, dashed=v in WITHOUT)
        for i, (v, name) in enumerate(FULL.items())
    ]
    ends = ", ".join(f"{curve.name}: {size_in_words(float(curve.y[-1]))}" for curve in curves)
    ui.chart(
        decades(
            curves,
            title="At the first layer, while four models learn",
            x_title="training step",
            x_limits=(0, run.n_step),
            lowest=1e-6,
            **how,
        ),
        alt=f"The gradient at the first layer by training step. After step {run.step}, {ends}.",
    )


def _curve(kind: tuple[str, bool], x: Sequence[int], y: Any) -> DecadeCurve:
    norm, path = kind
    return DecadeCurve(f"{NORMS[norm]}{' +x' if path else ''}", x, y, look=list(NORMS).index(norm), dashed=not path)


def _latex(value: float) -> str:
    if 1e-3 <= value < 1e4:
        return f"{value:.3f}"
    digits, power = f"{value:.1e}".split("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"
