"""What the heads of three models look at, against what is lost without them: a scatter, and what both sides say."""

from typing import Any

import numpy as np
import streamlit as st

from core.rooms.heads_at_work.compute import rank_agreement
from core.rooms.heads_at_work.compute.naming import Weighed
from core.rooms.heads_at_work.experiments import explanation as task
from core.rooms.heads_at_work.scatter_chart import Points, scatter
from core.train.live import Live
from core.ui.frame import depth, layout
from core.ui.frame.guess import NOT_YET, told
from core.ui.text import percent

NAMES = {name: f"model {name}" for name in task.MODELS}
GUESSES = {
    "weight": "one that reads the right noun most",
    "other": "one that reads it less",
    "none": "it makes no difference",
}


def final(shown: Live, name: str) -> float:
    """Share of right answers of one of the models by now."""
    return float(shown.record[f"curve.{name}.accuracy"][-1])


def weight_against_effect(measured: dict[str, Weighed], answer: str, shown: Live) -> dict[str, Any] | None:
    """The scatter with its correlation, and what both sides of the dispute say to it."""
    st.markdown("**Does the weight tell what a head does?**")
    if answer == NOT_YET:
        st.caption("The picture appears once you've made your guess above.")
        return None
    spec = scatter(
        {NAMES[name]: _points(name, one) for name, one in measured.items()},
        x_title="weight of “it” on the right noun",
        y_title=depth.measured("rise of the loss without this head", "nats"),
        x_limits=(0, 1),
        mode=layout.color_mode(),
    )
    right = np.concatenate([one.right.ravel() for one in measured.values()])
    other = np.concatenate([one.other.ravel() for one in measured.values()])
    rise = np.concatenate([one.rise.ravel() for one in measured.values()])
    tau = rank_agreement.kendall(right, rise)
    worst = int(rise.argmax())
    names = [name for one, each in measured.items() for name in _points(one, each).names]
    chart_side, text_side = layout.pair("explain-scatter")
    with chart_side:
        st.vega_lite_chart(
            spec,
            alt=f"{len(right)} heads: weight on the right noun against what is lost without them; Kendall's tau "
            f"{tau:.2f}. Missed most: {names[worst]}, weight {right[worst]:.2f}, rise {rise[worst]:.2f}.",
            key="explain-scatter",
        )
    with text_side:
        strong = right > 0.9
        without = ", ".join(f"{name} {percent(one.accuracy_without_layer[1])}" for name, one in measured.items())
        harmless = (
            f" **{int(strong.sum())} of {len(right)}** heads put more than 0.9 of their weight on the right noun; "
            f"without any one of these the loss rises by at most {max(rise[strong].max(), 0):.2f}{depth.unit('nats')}."
            if strong.any()
            else ""
        )
        came = f"{names[worst]}, which reads it with {right[worst]:.2f}"
        learned = all(final(shown, name) > 0.99 for name in measured)
        on = ", ".join(percent(final(shown, name)) for name in measured)
        layer = (
            f"Yet the weights aren't idle. With **all** heads of layer 1 off, right answers fall to {without} "
            f"(with all heads on: {on})."
            if learned
            else f"So far the three are right in {on} of the sentences: too early to say what their heads do."
        )
        st.markdown(
            f"Missed most is head **{names[worst]}**: without it the loss of the answer rises by {rise[worst]:.2f}"
            f"{depth.unit('nats')}. Its weight on the right noun is {right[worst]:.2f}, on the other "
            f"{other[worst]:.2f}."
            f"{told(answer, GUESSES, came)}{harmless}\n\n"
            f"Kendall's rank correlation between weight and effect is **{tau:.2f}** (1: they rank the heads alike, 0: "
            f"no relation, −1: in opposite order).\n\n{layer}"
        )
    layout.prose(
        "**Two sides.** Jain and Wallace (2019, *Attention is not Explanation*) found that weights often agree poorly "
        "with other measures of importance, and that other weights can give the same answer. Wiegreffe and Pinter "
        "(2019, *Attention is not not Explanation*) reply that weights made up after training say little about those a "
        "model learned, and that one explanation of several is still one. They compared words, mostly in networks that "
        "read word by word; here it's heads, in small transformers. Either way, a map shows where to look. To find out "
        "what a head does, take it away."
    )
    return spec


def _points(name: str, one: Weighed) -> Points:
    n_layer, n_head = one.right.shape
    names = [f"{name} {layer}.{head}" for layer in range(n_layer) for head in range(n_head)]
    return Points(names, one.right.ravel().tolist(), one.rise.ravel().tolist())
