"""Heads switched off: what the model then expects to come next, and which heads this text needs at all."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_TRACES, memoize
from core.charts.before_after import before_after, ranking, top_of_either
from core.inspect.model_and_text import ModelAndText
from core.rooms.heads.compute import ablation
from core.rooms.heads.open_head import EDITING
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.text import escape_markdown, visible
from core.ui.widgets import widgets

if TYPE_CHECKING:
    from core.rooms.heads.compute.ablation import Intervention

EXPERIMENTS = ("Switch heads off", EDITING)
Heads = tuple[tuple[int, int], ...]
TWO_READ = "Ben had his new blue hat with him. The wind was strong. It took the"  # two heads read the hat
MODES = {"zero": "nothing", "mean": "its mean"}
# Each head alone costs a pass of the model; more heads than this are measured when somebody asks for it.
AT_ONCE = 32
LARGE = 512  # numbers of a token's vector, from which a pass takes some tenths of a second


@memoize(MAX_TRACES)
def knocked_out(key: ModelKey, packed: str, heads: Heads, mode: str) -> "Intervention":
    """One text with and without these heads."""
    return ablation.knock_out(models.load(key).model, models.unpack(packed), heads, mode)


@memoize(MAX_TRACES)
def loss_without_each(key: ModelKey, packed: str, mode: str) -> NDArray[np.float64]:
    """By how much the mean loss of the text rises when one head alone is switched off: (L, H), in nats per token."""
    with st.spinner("Switching off one head after the other …", show_time=True):
        return ablation.loss_without_each(models.load(key).model, models.unpack(packed), mode)


@exhibit(
    title="Switch heads off",
    look_for="how far the full bars (after) move from the hollow ones (before): that's what those heads did for the "
    "next token.",
    try_this=[
        (
            "On the stories model with its own text, switch off head 1.0. Switch it on again, and try the others.",
            "Without 1.0, “Mia” falls from 100% to 2%; without any other head it stays above 99%. Yet the **loss** of "
            "the text, its average **surprise** at each token, rises most without 0.0: different words need different "
            "heads.",
        ),
        (
            f"Now write “{TWO_READ}”. Switch off 1.1, then 1.2 instead, then both.",
            "Both read “hat”, which keeps 87% without 1.1, 99% without 1.2, but only 25% without both: while one is "
            "there, the other is hardly missed.",
        ),
        (
            "Change “hat” to “bell” and do the same.",
            "Both read “bell”, with more than 0.8 of their weight. Without 1.2 it stays at 100%, without 1.1 it falls "
            "to 8%. Where a head looks doesn't tell you whether it matters.",
        ),
        (
            "Back on the model's own text, switch off all heads of the first layer. Then choose “its mean”.",
            "The loss of the text jumps. With their mean it jumps less: part of what heads write is the same at every "
            "position, and only the rest is what they read.",
        ),
    ],
    code=(ablation.knock_out, ablation.intervene),
    formula=r"\mathrm{KL} = \sum_{w} p_\text{before}(w)\,\ln\frac{p_\text{before}(w)}{p_\text{after}(w)}",
)
def switch_off(looked: ModelAndText) -> Shown:
    """Before and after for a set of heads, and the ranking of all heads."""
    config = models.load(looked.key).config
    names = [_name(layer, head) for layer in range(config.n_layer) for head in range(config.n_head)]
    off = controls.several(
        "off", "Switch off (layer.head)", names, help="1.2 is head 2 of layer 1. Press again to switch it back on."
    )
    mode = controls.segmented("instead", "What it writes instead", list(MODES), "zero", labels=MODES)
    heads: Heads = tuple((int(one.split(".")[0]), int(one.split(".")[1])) for one in off)
    with models.patience(looked.key, "Reading the text with and without them …"):
        result = knocked_out(looked.key, looked.encoded.packed, heads, mode)
    show_intervention(
        looked,
        result,
        key="knockout",
        nothing="No head is off yet: before and after are the same.",
        changed=bool(heads),
    )
    importance = _importance(looked, mode, set(heads))
    return Shown(
        numbers=lambda: result.next_table(models.vocabulary(looked.key)),
        arrays=lambda: _arrays(result, importance),
        script=lambda: _script(looked, heads, mode),
    )


def _script(looked: ModelAndText, heads: Heads, mode: str) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.heads.compute import ablation
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # The text twice, untouched and with these (layer, head) silenced: what is expected after it?
        result = ablation.knock_out(model, ids, heads=$heads, mode=$mode)
        print_table(result.next_table(found.vocabulary))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        heads=list(heads),
        mode=mode,
    )


def show_intervention(looked: ModelAndText, result: "Intervention", *, key: str, nothing: str, changed: bool) -> None:
    """The next token before and after, the size of the change, and the loss of each token of the text."""
    vocabulary, mode = models.vocabulary(looked.key), color_mode()
    before, after = result.probabilities_before[-1], result.probabilities_after[-1]
    shown = top_of_either(before, after)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("**The next token, before and after**")
        st.vega_lite_chart(
            before_after([visible(vocabulary[i]) for i in shown], before[shown], after[shown], mode=mode),
            alt=_in_words(vocabulary, before, after),
            key=f"{key}-bars",
        )
    with right:
        with st.container(horizontal=True):
            if depth.at_least("numbers"):
                st.metric(
                    "KL divergence",
                    f"{result.kl[-1]:.3f}{depth.unit('nats')}",
                    help="How far the distribution of the next token moved.",
                )
            st.metric(
                "Loss of the text",
                "–" if np.isnan(result.loss_after.mean) else f"{result.loss_after.mean:.3f}{depth.unit('nats')}",
                None if not abs(result.loss_change) >= 5e-4 else f"{result.loss_change:+.3f}",
                delta_color="inverse",
                help="Average over its tokens, each predicted from those before it. Lower is better.",
            )
        st.markdown(_in_words(vocabulary, before, after) if changed else nothing)
    widgets.token_row(
        looked.encoded.tokens,
        key=f"{key}-losses",
        values=result.loss_after.loss - result.loss_before.loss,
        kind="signed",
        limits=_limits(result),
        value_title="change of loss",
        title="Which tokens of the text became harder to predict",
    )


def _importance(looked: ModelAndText, mode: str, off: set[tuple[int, int]]) -> NDArray[np.float64] | None:
    """Each head switched off alone, the most needed first."""
    config = models.load(looked.key).config
    n_head = config.n_layer * config.n_head
    if len(looked.encoded.ids) < 2:
        st.caption("Heads can't be compared on a single token: there's nothing before it to predict it from.")
        return None
    wait = "some seconds" if config.d_model < LARGE else "a minute or two with a model of this size"
    if n_head > AT_ONCE and not controls.toggle("all", f"Measure all {n_head} heads, one after the other ({wait})"):
        return None
    changes = loss_without_each(looked.key, looked.encoded.packed, mode)
    order = np.argsort(-changes.ravel(), kind="stable")[:24]
    places = [divmod(int(i), config.n_head) for i in order]
    best, worst = places[0], float(changes[places[0]])
    st.markdown(
        f"**Which heads does this text need?** Each was switched off on its own. Most needed: **layer {best[0]}, head "
        f"{best[1]}**; without it the loss rises by **{worst:.3f}**{depth.unit('nats')}. "
        f"{int((np.abs(changes) < 0.01).sum())} of {n_head} heads change it by less than 0.01."
    )
    st.vega_lite_chart(
        ranking(
            [f"head {_name(layer, head)}{' (off)' if (layer, head) in off else ''}" for layer, head in places],
            [float(changes[place]) for place in places],
            mode=color_mode(),
            value_title=depth.measured("rise of the loss", "nats per token"),
            marked=[place in off for place in places],
        ),
        alt=f"Bars: the rise of the loss without each head; largest {worst:.3f} for layer {best[0]}, head {best[1]}.",
        key="knockout-ranking",
    )
    return changes


def _name(layer: int, head: int) -> str:
    return f"{layer}.{head}"


def _in_words(vocabulary: Sequence[str], before: NDArray[np.floating], after: NDArray[np.floating]) -> str:
    first, then = int(before.argmax()), int(after.argmax())
    told = f"Before, the model expects {_bold(vocabulary[first])} with {before[first]:.1%}"
    if first == then:
        return f"{told}; afterwards it still does, with {after[first]:.1%}."
    now = f"afterwards {_bold(vocabulary[then])} with {after[then]:.1%}"
    return f"{told}; {now}, and {_bold(vocabulary[first])} is at {after[first]:.1%}."


def _bold(token: str) -> str:
    return f"**“{escape_markdown(visible(token))}”**"


def _limits(result: "Intervention") -> tuple[float, float]:
    """Symmetric, and not narrower than half a nat: noise must not look like an effect."""
    change = np.nan_to_num(result.loss_after.loss - result.loss_before.loss)
    limit = max(0.5, float(np.abs(change).max()))
    return -limit, limit


def _arrays(result: "Intervention", importance: NDArray[np.float64] | None) -> dict[str, NDArray[np.generic]]:
    arrays: dict[str, NDArray[np.generic]] = {
        "ids": result.ids,
        "probabilities_before": result.probabilities_before,
        "probabilities_after": result.probabilities_after,
        "kl": result.kl,
        "loss_before": result.loss_before.loss,
        "loss_after": result.loss_after.loss,
    }
    return arrays if importance is None else arrays | {"loss_without_each_head": importance}
