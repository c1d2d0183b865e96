"""Gradients and depth: what arrives at the first layer, at the start and while four models learn."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st
from jaxtyping import Float
from numpy.typing import NDArray

from core.cache import MAX_FIGURES, memoize
from core.charts.decades import DecadeCurve, decades
from core.nn.block import Block
from core.rooms.block.compute import gradients
from core.rooms.block.compute.gradients import NORMS, PATHS, Stacks
from core.rooms.block.experiments.depth import arriving_gradients
from core.rooms.block.sizes_in_words import told
from core.rooms.block.variants import FULL, NAME, WITHOUT
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training import live

STARTS = {"narrow": "GPT-2's, narrow", "wide": "wide, variance 1/n"}


def warm_up() -> None:
    """Follow the gradients of the default stacks once, so that the first visitor need not wait a second."""
    _all_stacks("narrow", 0)


@memoize(MAX_FIGURES)
def by_depth(norm: str, residual: bool, start: str, seed: int) -> dict[int, Float[NDArray[np.float64], "L1"]]:
    """Seven stacks of one kind, 1 to 64 blocks deep: about a fifth of a second."""
    return gradients.by_depth(norm, residual, start, seed)


@exhibit(
    title="Gradients and depth",
    look_for="the dashed lines, stacks without residual paths; solid ones (+x) have them. How much of the gradient "
    "reaches the first layer?",
    try_this=[
        (
            "Keep the narrow start and compare solid with dashed lines.",
            "With residual paths the first of 64 layers gets as much as a single layer would. Without them it gets "
            "less than a hundred thousandth at 16 layers, and exactly 0 at 64.",
        ),
        (
            "Switch to the wide start.",
            "Without residual paths but with norms, the gradient no longer fades. With residual paths but without "
            "norms, the gradient explodes: it's past ten million at 32 layers, and at 64 too large to store. Starting "
            "weights, norms and paths work together.",
        ),
        (
            "In the last chart, follow the eight layers without residual paths.",
            "At the start their first layer gets about twenty times as much gradient as with residual paths. Ten steps "
            "later it's below a thousandth, so a healthy start proves little. Nor does a small gradient at the end: "
            "once the task is solved, there's nothing left to correct.",
        ),
    ],
    code=(gradients.stack, gradients.arriving, Block.forward, arriving_gradients),
    formula=r"\begin{gathered} \frac{\partial L}{\partial x_0} = \frac{\partial L}{\partial x_n} "
    r"\prod_{l=n}^{1} (I + J_l) \quad \text{with paths} \\ \frac{\partial L}{\partial x_0} = "
    r"\frac{\partial L}{\partial x_n} \prod_{l=n}^{1} J_l \quad \text{without} \end{gathered}",
)
def gradients_with_depth() -> Shown:
    """Two charts of stacks that were just drawn, a counter-example, and the gradients of the trained models."""
    left, middle, right = st.columns([3, 3, 2], gap="medium")
    with left:
        start = controls.segmented("grad_start", "Start of the weights", list(STARTS), "narrow", labels=STARTS)
    with middle:
        n_layer = controls.segmented("grad_layers", "Layer by layer in a stack of", [8, 16, 32, 64], 16)
    with right:
        seed = controls.seed(name="grad_seed")
    with st.spinner("Drawing 42 stacks, up to 64 layers deep …"):
        stacks = _all_stacks(start, seed)
    spec, inside = _by_depth_chart(stacks), _by_layer_chart(stacks, n_layer)
    one, two = layout.pair("gradients")
    with one:
        st.vega_lite_chart(spec, alt=_in_words(stacks), key="grad-depth")
    with two:
        st.vega_lite_chart(inside, alt=f"The gradient at each layer of stacks of {n_layer}.", key="grad-layers")
    st.markdown(_table(stacks, n_layer))
    st.markdown(_no_guarantee(n_layer))
    shown = live.current(NAME)
    if shown is not None:
        _while_training(shown)
    return Shown(
        numbers=lambda: gradients.depth_table(stacks),
        arrays=lambda: _arrays(stacks, shown),
        figure=spec,
        formula=_formula(stacks, n_layer),
        script=lambda: _script(start, seed),
    )


def _script(start: str, seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.block.compute import gradients

        # For each norm, with residual paths and without: stacks of 1 to 64 blocks are drawn, not trained, and the
        # gradient of their loss is followed down to the first block. About a second.
        stacks = gradients.all_stacks(start=$start, seed=$seed)
        print_table(gradients.depth_table(stacks))
        """,
        start=start,
        seed=seed,
    )


def _all_stacks(start: str, seed: int) -> Stacks:
    return {(norm, path): by_depth(norm, path, start, seed) for norm in NORMS for path in PATHS}


def _by_depth_chart(stacks: Stacks) -> dict[str, Any]:
    """The first layer's gradient by the number of layers."""
    curves = [
        _curve(kind, gradients.DEPTHS, [float(one[0]) for one in found.values()]) for kind, found in stacks.items()
    ]
    return decades(
        curves,
        title="What arrives at the first layer",
        x_title="number of layers",
        y_title="length of the gradient",
        doubling=True,
        mode=layout.color_mode(),
    )


def _by_layer_chart(stacks: Stacks, n_layer: int) -> dict[str, Any]:
    """The gradient at the input of every layer, and after the last one."""
    return decades(
        [_curve(kind, range(n_layer + 1), found[n_layer]) for kind, found in stacks.items()],
        title=f"Inside stacks of {n_layer} layers",
        x_title="layers below (the loss is on the right)",
        y_title="length of the gradient",
        mode=layout.color_mode(),
    )


def _curve(kind: tuple[str, bool], x: Sequence[int], y: Any) -> DecadeCurve:
    norm, path = kind
    return DecadeCurve(f"{NORMS[norm]}{' +x' if path else ''}", x, y, look=list(NORMS).index(norm), dashed=not path)


def _in_words(stacks: Stacks) -> str:
    deepest = ", ".join(
        f"{NORMS[norm]}, {PATHS[path]}: {told(float(found[gradients.DEPTHS[-1]][0]))}"
        for (norm, path), found in stacks.items()
    )
    return f"The gradient at the first layer by depth, 1 to 64. At 64 layers, {deepest}."


def _table(stacks: Stacks, n_layer: int) -> str:
    lines = [f"| at the first of {n_layer} layers | with residual paths | without |", "|:--|--:|--:|"]
    for norm, name in NORMS.items():
        cells = [told(float(stacks[norm, path][n_layer][0])) for path in PATHS]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _no_guarantee(n_layer: int) -> str:
    """The sentence often written about I + J, and blocks for which it does not hold."""
    none, half = (gradients.against_itself(share, n_layer) for share in (1.0, 0.5))
    if not depth.at_least("formula"):
        return (
            "It's often said that residual paths keep the gradient from fading away. They help a lot but guarantee "
            "nothing. Take blocks whose attention writes exactly the opposite of the stream: of a gradient of length "
            f"1, {n_layer} of them let **{told(none)}** through. If it writes half the opposite, {told(half)} gets "
            "through. And in post-norm the path itself runs through the norms."
        )
    return (
        "It's often written that the gradient has the form $I + J$ “and so is not going to vanish”. The path helps a "
        "lot, but it guarantees nothing. Take blocks with residual paths whose attention writes $-x$: of a gradient of "
        f"length 1, {n_layer} of them let **{told(none)}** through. If they write $-x/2$, it's {told(half)}. And in "
        "post-norm the path itself runs through the norms."
    )


def _while_training(shown: Live) -> None:
    """The gradient at the first layer of the four trained models, step by step."""
    steps = shown.record["look"]
    curves = [
        DecadeCurve(name, steps, shown.record[f"gradient.{v}"][:, 0], look=i, dashed=v in WITHOUT)
        for i, (v, name) in enumerate(FULL.items())
    ]
    st.markdown(
        "**While training.** Four models learn which noun “it” stands for. The two without paths get the wide start, "
        "because from the narrow one hardly any gradient would reach their first layer."
    )
    ends = ", ".join(f"{curve.name}: {told(float(curve.y[-1]))}" for curve in curves)
    st.vega_lite_chart(
        decades(
            curves,
            title="At the first layer, while four models learn",
            x_title="training step",
            y_title="length of the gradient",
            x_limits=(0, shown.n_step),
            lowest=1e-6,
            mode=layout.color_mode(),
            height=320,
        ),
        alt=f"The gradient at the first layer by training step. After step {shown.step}, {ends}.",
        key="grad-training",
    )


def _formula(stacks: Stacks, n_layer: int) -> str:
    """What one layer does to the gradient on average, with and without the path, in the pre-norm stacks."""
    lines = []
    for path in PATHS:
        found = stacks["pre", path][n_layer]
        first, last = float(found[0]), float(found[-1])
        name = "with" if path else "without"
        if first > 0 and np.isfinite(first):
            factor = f"{(first / last) ** (1 / n_layer):.3f}"
            lines.append(rf"\text{{{name}: }} {_latex(first)} = {_latex(last)} \cdot {factor}^{{{n_layer}}}")
        else:
            lines.append(rf"\text{{{name}: {told(first)}, from }} {_latex(last)}")
    both = r" \\ ".join(lines)
    return rf"\begin{{gathered}} {both} \end{{gathered}}"


def _latex(value: float) -> str:
    if 1e-3 <= value < 1e4:
        return f"{value:.3f}"
    digits, power = f"{value:.1e}".split("e")
    return rf"{digits} \cdot 10^{{{int(power)}}}"


def _arrays(stacks: Stacks, shown: Live | None) -> dict[str, NDArray[Any]]:
    found = {
        f"start.{norm}.{'with' if path else 'without'}.{n_layer}": values
        for (norm, path), by in stacks.items()
        for n_layer, values in by.items()
    }
    trained = (
        {} if shown is None else {n: a for n, a in shown.record.items() if n == "look" or n.startswith("gradient")}
    )
    return found | trained
