"""Forgetting: how strongly the last state still follows each earlier input, by distance."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from core.cache import MAX_FIGURES, memoize
from core.charts.decades import DecadeCurve, decades, told
from core.rooms.recurrent.compute import forgetting
from core.rooms.recurrent.experiments import remember as task
from core.train import experiment
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.training import live

N_TEXT = 2
LENGTHS = (10, 20, 40, 80)
FORGET_BIASES = (0, 1, 2, 3, 5)
TITLE = "How much the last state depends on an earlier input"
MODELS = {"fresh": "Fresh", "trained": "Trained"}
RACE = "Remember the first token"


@memoize(MAX_FIGURES)
def fresh_sizes(variant: str, distance: int, seed: int, forget_bias: int) -> NDArray[np.float64]:
    """By distance, of a model that has just been drawn."""
    import torch

    ids, _ = task.draw(N_TEXT, distance, torch.Generator().manual_seed(seed))
    model = task.fresh(variant, distance, seed, forget_bias).eval().requires_grad_(False)
    return forgetting.by_distance(model, ids)


def trained_sizes(shown: Live, variant: str, distance: int) -> NDArray[np.float64]:
    """By distance, of a model of the race, on texts that measure it."""
    model = experiment.rebuild(shown.record, task.model_name(variant, distance), task.config(variant, distance))
    return forgetting.by_distance(model, task.held_out(distance, shown.seed)[0][:N_TEXT])


@exhibit(
    title="Forgetting, measured",
    look_for="straight lines that fall: on this scale, every step back loses the same factor. A line shows how far the "
    "last state moves when an earlier input is nudged (the size of a *derivative*). Before training, attention's line "
    "is flat: every earlier token is one step away.",
    try_this=[
        (
            "Compare the LSTM with the plain net, both fresh, at 40 letters.",
            "At each step back the plain net keeps less than half, the LSTM about two thirds. That's better, and still "
            "next to nothing: after 41 steps less than one ten-millionth is left. As usually started, its forget gates "
            "are near one half.",
        ),
        (
            "Raise the bias of the forget gate to 2, 3 and 5.",
            "The dashed line gets flatter: at 3 it loses about 1% a step, at 5 it even rises. One number at the start "
            "decides how far back the LSTM can learn from.",
        ),
        (
            "Switch to the trained models and go through the distances.",
            "In the example, at 20: the GRU has learned the task, and its line no longer falls like that of the LSTM, "
            "which hasn't. Attention depends on the first letter, on the right, and on hardly anything between.",
        ),
    ],
    code=(forgetting.by_distance, task.fresh),
    formula=r"\begin{gathered} \left\lVert \frac{\partial h_n}{\partial x_{n-k}} \right\rVert_F \Big/ \sqrt{D} \\[1ex] "
    r"\frac{\partial h_n}{\partial h_{n-k}} = \prod_{t} \frac{\partial h_t}{\partial h_{t-1}} \end{gathered}",
)
def forgetting_by_distance() -> Shown | None:
    """Fresh or trained, the curves, and what each step back costs."""
    left, right = st.columns(2, gap="medium")
    with left:
        which = controls.segmented("forget_models", "Models", list(MODELS), "fresh", labels=MODELS)
    found = _fresh(right) if which == "fresh" else _trained()
    if found is None:
        return None
    curves, script = found
    length = len(next(iter(curves.values())))
    spec = decades(
        [
            DecadeCurve(name, np.arange(length), sizes, min(i, 3) if i < len(task.NAMES) else 1, i >= len(task.NAMES))
            for i, (name, sizes) in enumerate(curves.items())
        ],
        x_title="distance: tokens before the last one",
        y_title="size of the derivative",
        title=TITLE,
        x_limits=(0, length - 1),
        mode=color_mode(),
        height=480,
    )
    st.markdown(f"**{TITLE}**")  # above the chart and not in it: a phone has to break it
    st.vega_lite_chart(
        {name: part for name, part in spec.items() if name != "title"}, alt=_in_words(curves), key="forget-chart"
    )
    if depth.at_least("numbers"):
        st.markdown(_table(curves, is_fresh=which == "fresh"))
    st.caption(
        "The point on the far right is the first letter. At 1, the last state moves as far as the nudged input, on "
        "average over all directions. A small value means that little can be learned from that far away; it doesn't "
        "prove that nothing is kept."
    )
    depth.note(
        f"Each net has one layer, {task.WIDTH} wide, and reads {N_TEXT} texts of {length - 1} random letters and a "
        "question mark. All derivatives are computed, none is estimated. At distance 0 attention also has its residual "
        "path, past all weights."
    )
    return Shown(
        numbers=lambda: forgetting.table(curves),
        script=script,
        arrays=dict(curves),
        figure=spec,
    )


Found = tuple[dict[str, NDArray[np.float64]], Callable[[], str]]  # curves by name, and their script


def _fresh(place: DeltaGenerator) -> Found:
    with place:
        seed = controls.seed(name="forget_seed")
    left, right = st.columns(2, gap="medium")
    with left:
        distance = controls.segmented("forget_length", "Letters after the first one", list(LENGTHS), 40)
    with right:
        bias = controls.segmented(
            "forget_bias",
            "Bias of the LSTM's forget gate",
            list(FORGET_BIASES),
            1,
            help="Added at the start. With 0, 1, 2, 3 or 5 the gate begins near 0.5, 0.73, 0.88, 0.95 or 0.99.",
        )
    curves = {name: fresh_sizes(variant, distance, seed, 0) for variant, name in task.NAMES.items()}
    if bias:
        curves[f"LSTM, bias {bias}"] = fresh_sizes("lstm", distance, seed, bias)
    return curves, lambda: _script_of_fresh(distance, seed, int(bias))


def _script_of_fresh(distance: int, seed: int, bias: int) -> str:
    nets = [(name, variant, 0) for variant, name in task.NAMES.items()]
    return scripts.script(
        """
        import torch

        from core.data.csv_table import print_table
        from core.rooms.recurrent.compute import forgetting
        from core.rooms.recurrent.experiments import remember

        # Random letters, and how far the last state follows each of them in nets that were just drawn.
        ids, _ = remember.draw($n_text, $distance, torch.Generator().manual_seed($seed))
        curves = {}
        for name, variant, forget_bias in $nets:
            model = remember.fresh(variant, $distance, $seed, forget_bias).eval().requires_grad_(False)
            curves[name] = forgetting.by_distance(model, ids)
        print_table(forgetting.table(curves))
        """,
        n_text=N_TEXT,
        distance=distance,
        seed=seed,
        nets=nets + ([(f"LSTM, bias {bias}", "lstm", bias)] if bias else []),
    )


def _trained() -> Found | None:
    shown = live.current("remember")
    if shown is None:
        st.info(f"Nothing is trained yet: train the nets in “{RACE}”.")
        return None
    distances = [int(one) for one in shown.record["distances"]]
    distance = controls.segmented(
        "forget_distance", "Letters after the first one, as trained", distances, distances[min(2, len(distances) - 1)]
    )
    accuracies = {v: float(shown.record[f"curve.{task.model_name(v, distance)}.accuracy"][-1]) for v in task.VARIANTS}
    st.caption(
        f"Right answers of the nets from “{RACE}”, after "
        f"{shown.step:,} steps: {', '.join(f'{task.NAMES[v]} {right:.0%}' for v, right in accuracies.items())}."
    )
    curves = {name: trained_sizes(shown, variant, distance) for variant, name in task.NAMES.items()}
    return curves, lambda: _script_of_trained(shown, distance)


def _script_of_trained(shown: Live, distance: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.recurrent.compute import forgetting
        from core.train.experiment import rebuild, record_of
        from core.rooms.recurrent.experiments import remember

        record = $record
        # The nets of this distance, on letters that measured them.
        ids = remember.held_out($distance, $seed)[0][:$n_text]
        curves = {}
        for variant, name in remember.NAMES.items():
            model = rebuild(record, remember.model_name(variant, $distance), remember.config(variant, $distance))
            curves[name] = forgetting.by_distance(model, ids)
        print_table(forgetting.table(curves))
        """,
        record=scripts.record("remember", shown),
        distance=distance,
        seed=shown.seed,
        n_text=N_TEXT,
    )


def _table(curves: dict[str, NDArray[np.float64]], is_fresh: bool) -> str:
    length = len(next(iter(curves.values())))
    far = length - 1
    lines = [
        f"| net | distance 1 | distance {far} | mean factor per step back |",
        "|---|--:|--:|--:|",
    ]
    for name, sizes in curves.items():
        factor = forgetting.kept_per_step(sizes)
        # What attention has learned to look at does not lie on a line.
        has_none = math.isnan(factor) or (name == task.NAMES["attention"] and not is_fresh)
        factor_told = "–" if has_none else f"× {factor:.3f}"
        lines.append(f"| {name} | {told(sizes[1])} | {told(sizes[far])} | {factor_told} |")
    return "\n".join(lines)


def _in_words(curves: dict[str, NDArray[Any]]) -> str:
    far = len(next(iter(curves.values()))) - 1
    ends = ", ".join(f"{name} {told(float(sizes[-1]))}" for name, sizes in curves.items())
    return f"Size of the derivative of the last state by distance. At distance {far}: {ends}."
