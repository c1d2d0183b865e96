"""A multi-scale ViT and two plain ones of equal cost learn digits, live."""

from collections.abc import Mapping
from typing import Any

import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.curves import Spec
from core.charts.race import race
from core.data.images import N_HELD_OUT_OF_EACH
from core.inspect.costs import model_cost, parameters
from core.models.multiscale import Merge, MultiScale, MultiScaleConfig, Stage
from core.rooms.multiscale.compute import stages
from core.rooms.multiscale.experiments import scales as task
from core.rooms.multiscale.experiments.scales import CONFIGS, TITLES
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import percent
from core.ui.training import live

NAME = "scales"
STEPS = (125, 250, 500)
LOWEST = 0.6  # accuracy at the foot of the charts: what is below is passed through in seconds
N_HELD = 10 * N_HELD_OUT_OF_EACH


@memoize(1)
def costs() -> dict[str, tuple[int, int, int]]:
    """Of each model: tokens of the first block, multiply-adds of one picture, parameters."""
    found = {}
    for name, one in CONFIGS.items():
        if isinstance(one, MultiScaleConfig):
            n_token, total = one.side(0) ** 2, stages.count(one).total
        else:
            n_token, total = 1 + one.n_patch, model_cost.forward(one, 0).total
        found[name] = (n_token, total, parameters.count_config(one).total)
    return found


@exhibit(
    title="A race at equal cost",
    look_for="which of three models rises first. All need the same number of multiply-adds for a picture, within a "
    "few percent, but a plain ViT must choose between small patches with few channels and large ones with many.",
    try_this=[
        (
            "Compare the two charts of the example.",
            "Step by step the multi-scale model is ahead. By seconds of processor time the plain ViT with large "
            "patches catches up: its few, large products run faster than many small ones. Equal multiply-adds aren't "
            "equal time.",
        ),
        (
            "Train with another seed.",
            "The order early in training stays. At the end all three are close together: a digit in 360 is 0.3%, so "
            "don't read much into the last points.",
        ),
        (
            "Train for 125 steps, then for 500.",
            "With little training the difference is larger. The more there is, the less the wiring matters here.",
        ),
    ],
    code=(MultiScale.forward, Stage.forward, Merge.forward, task.upsampled, task.Scales.advance, stages.count),
)
def training() -> Shown | None:
    """The race by step and by second, and what each model costs."""
    left, right = st.columns([1, 1], gap="medium")
    with left:
        seed = controls.seed(name="scales_seed")
    with right:
        n_step = controls.segmented("scales_steps", "Training steps", list(STEPS), 250)
    shown = live.train(NAME, {"n_step": n_step}, seed, about="250 steps of all three take about twenty seconds.")
    if shown is None:
        return None
    record = shown.record
    accuracy = {name: record[f"curve.{name}.accuracy"] for name in TITLES}
    seconds = {name: record[f"seconds.{name}"] for name in TITLES}
    done = max(shown.step, 1) / shown.n_step
    longest = max(float(seconds[name][-1]) for name in TITLES) / done

    def chart(places: Mapping[str, NDArray[Any]], longest: float, x_title: str, x_format: str) -> Spec:
        return race(
            {TITLES[name]: (places[name], accuracy[name]) for name in TITLES},
            y_title="accuracy", n_step=longest, x_title=x_title, x_format=x_format, mode=layout.color_mode(),
            y_limits=(LOWEST, 1.0), height=260,
        )  # fmt: skip

    by_step = chart(dict.fromkeys(TITLES, record["step"]), shown.n_step, "training step", ",d")
    by_second = chart(seconds, longest or 1.0, "seconds of processor time", ".1f")
    best = max(accuracy, key=lambda name: float(accuracy[name][-1]))
    first, second = layout.pair("scales-race", alike=True)
    with first:
        st.vega_lite_chart(
            by_step,
            width="stretch",
            alt=f"Accuracy by training step of three models; at step {int(record['step'][-1])} {TITLES[best]} is best.",
            key="scales-steps",
        )
    with second:
        st.vega_lite_chart(
            by_second,
            width="stretch",
            alt="The same by seconds of processor time.",
            key="scales-time",
        )
    st.markdown(_table(shown))
    st.caption(
        f"Accuracy: the share of {N_HELD} **held-out** digits, which none of them learns from, that is read right; "
        f"the charts begin at {percent(LOWEST)}. Small patches are 2 × 2 pixels of the enlarged digits, large ones 4 "
        "× 4."
    )
    depth.note(
        "The digits were brought from 8 × 8 to 16 × 16 pixels bilinearly, which adds nothing to what is on them; in "
        "training each is turned, slanted, stretched and moved a little. All three read the same batches, each with "
        "the better of two learning rates tried. Equal multiply-adds aren't equal parameters: the wide last stage has "
        "many, and uses each for only four tokens."
    )
    return Shown(
        numbers=lambda: task.table(record),
        arrays=lambda: dict(record),
        figure=by_step,
        script=lambda: _script(shown),
    )


def _script(shown: Live) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.multiscale.experiments import scales

        # Three models on the same batches; with the settings that ship, the record that ships. Trained anew, all is
        # the same but the seconds.
        print_table(scales.table($record))
        """,
        record=scripts.record(NAME, shown),
    )


def _table(shown: Live) -> str:
    """A Markdown table: what each model is, its cost and its accuracy: a column for each, so that a phone shows all."""
    columns: list[list[str]] = [
        ["", "---", "blocks × width", "tokens", "multiply-adds", "parameters", "accuracy", "seconds"]
    ]
    for name, (n_token, total, n_parameter) in costs().items():
        accuracy = float(shown.record[f"curve.{name}.accuracy"][-1])
        seconds = float(shown.record[f"seconds.{name}"][-1])
        columns.append(
            [TITLES[name], "---:", _widths(name), _tokens(name, n_token), f"{total:,}", f"{n_parameter:,}",
             f"{accuracy:.1%}", f"{seconds:.1f}"]
        )  # fmt: skip
    return "\n".join("| " + " | ".join(row) + " |" for row in zip(*columns, strict=True))


def _widths(name: str) -> str:
    one = CONFIGS[name]
    if isinstance(one, MultiScaleConfig):
        steps = [f"{n} × {one.width(stage)}" for stage, n in enumerate(one.n_layer)]
        return ", ".join(steps)
    return f"{one.n_layer} × {one.d_model}"


def _tokens(name: str, n_token: int) -> str:
    one = CONFIGS[name]
    if isinstance(one, MultiScaleConfig):
        return ", ".join(str(one.side(stage) ** 2) for stage in range(len(one.n_layer)))
    return str(n_token)
