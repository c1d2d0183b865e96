"""The nonlinearities: GELU exact and by tanh, ReLU, squared ReLU and SiLU, and how far the two GELUs differ."""

import math

import streamlit as st

from core.cache import memoize
from core.nn import feed_forward
from core.rooms.block.compute import activations
from core.rooms.block.compute.activations import BENDS
from core.rooms.block.units_chart import functions
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode

FIRST = ("GELU, exact", "GELU by tanh", "ReLU")


@memoize(1)
def gap() -> tuple[float, float]:
    """The largest difference between the two GELUs, and where it is."""
    return activations.gelu_gap()


@exhibit(
    title="The nonlinearity",
    look_for="the two GELUs, an exact one and a close formula “by tanh”. On the left you can't tell them apart; on the "
    "right is their difference, enlarged thousands of times.",
    try_this=[
        (
            "Move x to −0.8.",
            "GELU dips below 0 there and comes back: unlike ReLU, it isn't monotone, and it doesn't fully stop what's "
            "a little below 0.",
        ),
        (
            "Read the largest difference of the two GELUs.",
            "It's 0.00047, near x = 2.7. Train a model with one and run it with the other, and its outputs differ "
            "slightly: enough to fail a comparison, hardly visible in the text.",
        ),
        (
            "Add squared ReLU, which the stories model with ALiBi uses.",
            "It starts flat at 0 and has no corner: its slope grows from 0.",
            "numbers",
        ),
    ],
    code=(
        feed_forward.gelu,
        feed_forward.gelu_tanh,
        feed_forward.quick_gelu,
        feed_forward.relu,
        feed_forward.relu2,
        feed_forward.silu,
    ),
    formula=r"\mathrm{GELU}(x) = x\,\Phi(x) \approx \tfrac12\,x\left(1 + \tanh\!\left(\sqrt{\tfrac{2}{\pi}}"
    r"\,(x + 0.044715\,x^3)\right)\right)",
)
def nonlinearity() -> Shown:
    """The curves, the difference of the two GELUs, and both at the chosen x."""
    left, right = st.columns([3, 2], gap="medium", vertical_alignment="bottom")
    with left:
        names = controls.several("bend", "Show", list(BENDS), FIRST)
    with right:
        at = controls.slider("bend_x", "x", -activations.REACH, activations.REACH, 1.0, step=0.1)
    x, all_curves = activations.curves(BENDS)
    exact, by_tanh = all_curves["GELU, exact"], all_curves["GELU by tanh"]
    here = {name: float(values[_place(at, len(x))]) for name, values in all_curves.items()}
    largest, where = gap()
    st.markdown(
        f"At x = {at:.1f}: GELU is **{here['GELU, exact']:.5f}** exactly and **{here['GELU by tanh']:.5f}** by tanh, "
        f"ReLU **{here['ReLU']:.1f}**. The two GELUs differ by at most **{largest:.5f}**, at x = ±{where:.2f}."
    )
    curve_side, gap_side = layout.pair("bends")
    with curve_side:
        st.markdown("**The functions**")
        if names:
            st.vega_lite_chart(
                functions(
                    x.tolist(),
                    {name: all_curves[name].tolist() for name in names},
                    at=at,
                    y_title="f(x)",
                    y_limits=(-1.0, 6.0),
                    order=BENDS,
                    mode=color_mode(),
                ),
                key="bends-curves",
                alt=f"Curves of {', '.join(names)} from −6 to 6.",
            )
        else:
            st.caption("Choose a function.")
    with gap_side:
        st.markdown("**GELU by tanh minus the exact one**")
        st.vega_lite_chart(
            functions(
                x.tolist(),
                {"difference": (by_tanh - exact).tolist()},
                at=at,
                y_title="difference",
                mode=color_mode(),
                format=".6f",
            ),
            key="bends-gap",
            alt=f"The difference is never larger than {largest:.5f}.",
        )
    share = 0.5 * (1 + math.erf(at / math.sqrt(2)))
    return Shown(
        numbers=activations.curve_table,
        formula=rf"\mathrm{{GELU}}({at:.1f}) = {at:.1f} \cdot {share:.4f} = {here['GELU, exact']:.5f}",
        script=_script,
    )


def _script() -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.block.compute import activations

        # One column for each nonlinearity of core.nn.feed_forward, from -6 to 6.
        print_table(activations.curve_table())
        """
    )


def _place(x: float, n_point: int) -> int:
    return round((x + activations.REACH) / (2 * activations.REACH) * (n_point - 1))
