"""One optimizer step for one weight, with its numbers: the gradient twice, and then AdamW's arithmetic."""

import math
from typing import TYPE_CHECKING

import streamlit as st

from core.cache import MAX_TRACES, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.decoder.compute import one_step
from core.rooms.decoder.finite_difference_chart import check
from core.rooms.decoder.inputs import MOST_WEIGHTS, content, model_of, n_weight
from core.train.optimizers import AdamW
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.numbers import power_of_ten

if TYPE_CHECKING:
    from core.rooms.decoder.compute.one_step import GradientCheck, Update

N_STEP = 8
RATES = {"0.0001": 1e-4, "0.001": 1e-3, "0.01": 1e-2}
DEFAULT = "blocks.0.mlp.w_in.weight"
BETAS = (0.9, 0.99)


@memoize(MAX_TRACES)
def checked(key: ModelKey, packed: str, name: str, row: int, column: int) -> "GradientCheck":
    """The gradient of one weight, both ways."""
    model = model_of(key)
    return one_step.check_gradient(model, models.unpack(packed), name, _place(model.get_parameter(name), row, column))


@memoize(MAX_TRACES)
def followed(
    key: ModelKey, packed: str, name: str, row: int, column: int, rate: float, decay: float
) -> tuple["Update", ...]:
    """AdamW's first steps, seen from one weight."""
    model = model_of(key)
    place = _place(model.get_parameter(name), row, column)
    return one_step.follow(
        model, models.unpack(packed), name, place, n_step=N_STEP, learning_rate=rate, betas=BETAS, weight_decay=decay
    )


@exhibit(
    title="One optimizer step, with its numbers",
    look_for="two ways to one number, the **gradient**: how fast the loss changes when a weight grows. "
    "**Backpropagation** finds it for all weights in one pass; moving a single weight a little to both sides and "
    "measuring the loss gives the same for that one.",
    try_this=[
        (
            "Follow the curve of the error from right to left.",
            "While h is large, the loss isn't a straight line, and a tenth of h makes the error a hundred times "
            "smaller. Then rounding takes over: the difference of two nearly equal losses, divided by less and less.",
            "numbers",
        ),
        (
            "Look at step 1 of the table, for one weight and another.",
            "Each moves by the learning rate, whatever its gradient: both memories start at 0, and corrected for that "
            "they are g and g², so g / √g² is 1 or −1. Only a weight that the text doesn't use stays where it is.",
            "numbers",
        ),
        (
            "Read down the column of losses.",
            "After eight steps on the same few tokens, the model nearly knows them by heart. That isn't learning to "
            "write, and it's why training takes other texts at each step.",
        ),
    ],
    code=(one_step.check_gradient, one_step.follow, AdamW.step),
    formula=r"\begin{aligned} m &\leftarrow \beta_1 m + (1 - \beta_1)\, g & \hat m &= m / (1 - \beta_1^t) \\ "
    r"v &\leftarrow \beta_2 v + (1 - \beta_2)\, g^2 & \hat v &= v / (1 - \beta_2^t) \\ "
    r"w &\leftarrow w - \eta\, \hat m / (\sqrt{\hat v} + \epsilon) - \eta \lambda w \hspace{-4em} \end{aligned}",
)
def optimizer_step(looked: ModelAndText) -> Shown | None:
    """Choose a weight; its gradient, checked; its way through eight steps."""
    key, packed = looked.key, looked.encoded.packed
    if n_weight(key) > MOST_WEIGHTS:
        st.info(
            f"The model has {n_weight(key):,} parameters. Training a copy in 64-bit numbers takes 32 bytes for each, "
            f"so this is only done for models of at most {MOST_WEIGHTS:,}. Choose a smaller one."
        )
        return None
    name, row, column = _choose(key)
    left, right = st.columns(2, gap="medium")
    with left:
        rate = RATES[controls.segmented("adam_rate", "Learning rate", list(RATES), "0.001")]
    with right:
        decay = float(controls.slider("adam_decay", "Weight decay", 0.0, 1.0, 0.0, step=0.1))
    one = checked(key, packed, name, row, column)
    best = int(one.errors.argmin())
    deep = depth.at_least("numbers")
    chart_side, text_side = layout.pair("adam-sides") if deep else (st.empty(), st.container())
    spec = check(one.steps.tolist(), one.errors.tolist(), mode=layout.color_mode())
    if deep:
        chart_side.vega_lite_chart(
            spec,
            width="stretch",
            alt=f"Error of the finite difference against h; the smallest is {power_of_ten(one.errors[best], 2)} at h = "
            f"{power_of_ten(one.steps[best])}.",
            key="adam-check",
        )
    with text_side:
        st.markdown(
            f"The loss of your text is {one.loss:.6f}{depth.unit('nats')}. If this weight grows, the loss changes "
            f"at this rate:\n\n"
            f"| gradient | |\n|---|---|\n"
            f"| by backpropagation | **{one.gradient:.10f}** |\n"
            f"| {_by_moving(one.steps[best], deep)} | **{one.differences[best]:.10f}** |\n"
            + (f"| they differ by | {power_of_ten(one.errors[best], 2)} |\n" if deep else "")
        )
        depth.note("In 64-bit numbers. h is how far the weight is moved to each side.")
    way = followed(key, packed, name, row, column, rate, decay)
    st.markdown(f"**What {'AdamW' if deep else 'training'} does to it in {N_STEP} steps on this text**")
    st.dataframe(_table(way, deep), hide_index=True, key=f"adam-{content(looked)}")
    st.caption(
        "The **optimizer** moves all weights at each step, so the loss falls and the gradient changes. It trains a "
        "copy; the model itself stays as it is."
    )
    depth.note("g is the gradient, m and v are the memories; with a hat they're corrected for their start at 0.")
    first = way[0]
    return Shown(
        numbers=one.table,
        arrays={
            "h": one.steps, "finite_difference": one.differences, "error": one.errors,
        },
        figure=spec,
        formula=_in_numbers(first, rate, decay),
        script=lambda: _script(looked, name, _place(model_of(key).get_parameter(name), row, column)),
    )  # fmt: skip


def _script(looked: ModelAndText, name: str, place: tuple[int, ...]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.models.pretrained import load
        from core.rooms.decoder.compute import one_step

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        window = $ids

        # The gradient of one weight, by backpropagation and by moving it by h to both sides, on a 64-bit copy of the
        # model. `one_step.follow` gives AdamW's steps.
        checked = one_step.check_gradient(found.model, window, $name, $place)
        print_table(checked.table())
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        name=name,
        place=place,
    )


def _choose(key: ModelKey) -> tuple[str, int, int]:
    """Which weight: a matrix or vector by its name, and its row and column."""
    parameters = dict(model_of(key).named_parameters())
    names = list(parameters)
    first, second, third = st.columns([2, 1, 1], gap="medium")
    with first:
        name = controls.select("adam_weight", "Matrix", names, DEFAULT if DEFAULT in names else names[-1])
    shape = parameters[name].shape
    with second:
        row = controls.number(
            "adam_row", "Row" if len(shape) > 1 else "Number", 0, shape[0] - 1, min(3, shape[0] - 1), step=1,
            reason=f"as it has {shape[0]:,} of them",
        )  # fmt: skip
    if len(shape) < 2:
        return name, int(row), 0
    with third:
        column = controls.number(
            "adam_column", "Column", 0, shape[1] - 1, min(5, shape[1] - 1), step=1,
            reason=f"as it has {shape[1]:,} of them",
        )  # fmt: skip
    return name, int(row), int(column)


def _place(weights: object, row: int, column: int) -> tuple[int, ...]:
    return (row, column)[: getattr(weights, "ndim", 2)]


def _by_moving(h: float, deep: bool) -> str:
    return f"by finite difference, h = {power_of_ten(h)}" if deep else "by moving the weight"


def _table(way: tuple["Update", ...], deep: bool) -> dict[str, list[object]]:
    def digits(values: list[float]) -> list[object]:
        # Two digits and not three, so that the table fits beside the list of rooms.
        return [power_of_ten(value, 3) for value in values]

    plain: dict[str, list[object]] = {"step": [one.t for one in way], "loss": [f"{one.loss:.4f}" for one in way]}
    after: dict[str, list[object]] = {"weight after": [f"{one.after:.7f}" for one in way]}
    if not deep:
        return plain | after
    memories = {
        "g": digits([one.gradient for one in way]),
        "m": digits([one.m for one in way]),
        "v": digits([one.v for one in way]),
        "m̂": digits([one.m_hat for one in way]),
        "v̂": digits([one.v_hat for one in way]),
        "move": digits([-one.move for one in way]),
        "decay": digits([-one.decay for one in way]),
    }
    return plain | memories | after


def _in_numbers(one: "Update", rate: float, decay: float) -> str:
    """The first step with its numbers, in lines that fit a phone."""
    root = math.sqrt(one.v_hat)
    change = rf"&\quad - {_tex(one.decay)} \\" if decay else ""
    return (
        rf"\begin{{aligned}} t = 1:\quad m &= {1 - BETAS[0]:.1f} \cdot {_tex(one.gradient)} = {_tex(one.m)} \\ "
        rf"v &= {1 - BETAS[1]:.2f} \cdot ({_tex(one.gradient)})^2 = {_tex(one.v)} \\ "
        rf"\hat m / \sqrt{{\hat v}} &= {_tex(one.m_hat)} / {_tex(root)} \\ "
        rf"w &= {one.before:.6f} - {_tex(one.move)} \\ {change} &= {one.after:.6f} \end{{aligned}}"
    )


def _tex(value: float) -> str:
    """A number as it is set: 2.3 · 10^-5, in brackets where it is negative."""
    if value == 0:
        return "0"
    digits, power = f"{value:.2e}".split("e")
    text = digits if int(power) == 0 else rf"{digits} \cdot 10^{{{int(power)}}}"
    return rf"({text})" if value < 0 else text
