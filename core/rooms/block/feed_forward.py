"""The units of a feed-forward layer: which are on for a token, and for each token of the text."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.nn.feed_forward import FeedForward
from core.rooms.block.compute import activations, moments, residual_stream
from core.rooms.block.compute.residual_stream import BlockRecord
from core.rooms.block.units_chart import histogram, units_on_their_bend
from core.ui.controls import picks
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.widgets import widgets

MOST_DOTS = 4_096  # more dots cannot be told apart
ROW = "residual_stream.text"
BEND_NAMES_PLAIN = {
    "relu": "ReLU: 0 below 0, unchanged above",
    "relu2": "the squared ReLU: 0 below 0, squared above",
    "gelu": "GELU",
    "gelu_tanh": "GELU, computed by a close formula",
    "swiglu": "SwiGLU, in which one layer gates another",
    "geglu": "GEGLU, in which one layer gates another",
    "quick_gelu": "GELU, computed by a rough formula",
}
BEND_NAMES = {
    "relu": "ReLU, max(0, x)",
    "relu2": "squared ReLU",
    "gelu": "the exact GELU",
    "gelu_tanh": "GELU by tanh",
    "swiglu": "SwiGLU, a SiLU that gates a second layer",
    "geglu": "GEGLU, a GELU that gates a second layer",
    "quick_gelu": "GELU by a sigmoid",
}


@memoize(MAX_TRACES)
def bend_of(key: ModelKey, packed: str, layer: int, token: int) -> float:
    """How far a block's feed-forward layer is from a linear one, on what it reads at this token and at the first."""
    model: Any = models.reader(key)
    record = residual_stream.record(model, models.unpack(packed), layer)
    reads = record.stage("normed for feed-forward" if record.norm_first else "stream after attention")
    return activations.bend_size(model.blocks[layer].mlp, reads[token], reads[0])


def picked(looked: ModelAndText) -> int | None:
    """The token that was clicked in the colored text since the last look."""
    return picks.news(ROW, _content(looked))


@exhibit(
    title="Inside the feed-forward part",
    look_for="how few units are on. A feed-forward part is two linear layers with a nonlinearity between them, which "
    "lets some units through and holds the others back, afresh for each token.",
    try_this=[
        (
            "On the stories model, compare layer 0 and layer 1.",
            "Over the text 16% and 12% of the units are on: in both layers, most stay off for every token.",
        ),
        (
            "Click another token in the colored text.",
            "Other units are on. The layer looks at each token separately: only attention mixes tokens.",
        ),
        (
            "Look at the dots left and right of 0.",
            "They trace the nonlinearity itself. On the stories model it's GELU: a little below 0 just left of 0, "
            "almost 0 further left, nearly a straight line on the right.",
        ),
    ],
    code=(FeedForward, activations.units_on, activations.bend_size),
    formula=r"\mathrm{FF}(x) = W_\text{out}\,\sigma(W_\text{in}\,x)",
)
def units(looked: ModelAndText, record: BlockRecord, layer: int, token: int) -> Shown | None:
    """Before and after the nonlinearity at one token; the share of units that are on at every token."""
    if record.pre is None or record.act is None:
        st.info("This model's blocks have no feed-forward part, only attention. Choose another model.")
        return None
    if picks.has_news(ROW, _content(looked)):
        st.rerun()  # the sliders above follow the click
    pre, act = record.pre, record.act
    found = activations.units_on(pre)
    n_unit, n_on = pre.shape[1], int((pre[token] > 0).sum())
    style = models.load(looked.key).config.block
    names = BEND_NAMES if depth.at_least("numbers") else BEND_NAMES_PLAIN
    never = f"; {found.never} are never on" if found.never else ""
    st.markdown(
        f"At token {token}, **{n_on} of {n_unit}** units are on (**{found.share[token]:.0%}**): their number before "
        f"the nonlinearity is above 0. Over the whole text it's **{found.share.mean():.0%}**{never}. This model's "
        f"nonlinearity is {names.get(style.activation, style.activation)}."
    )
    counted = moments.histogram(pre[token].astype(np.float64))
    left, right = layout.pair("units")
    with left:
        st.markdown("**Before the nonlinearity**")
        st.vega_lite_chart(
            histogram(
                counted.edges.tolist(),
                counted.counts.tolist(),
                title="before the nonlinearity",
                mode=color_mode(),
                height=260,
            ),
            key="units-histogram",
            alt=f"{n_on} of {n_unit} numbers are above 0.",
        )
    with right:
        st.markdown("**Each unit, before and after**")
        st.vega_lite_chart(
            units_on_their_bend(
                pre[token, :MOST_DOTS].tolist(), act[token, :MOST_DOTS].tolist(), mode=color_mode(), height=260
            ),
            key="units-dots",
            alt=f"{n_unit} units; {n_on} are on, the largest after the nonlinearity is {act[token].max():.2f}.",
        )
    off_line = bend_of(looked.key, looked.encoded.packed, layer, token)
    _text(looked, found.share, layer, token)
    st.markdown(
        "A lecture note calls this part “a linear layer”. "
        + (
            f"For one linear layer, FF(a + b) would be FF(a) + FF(b) − FF(0). With a what it reads at token {token} "
            f"and b at token 0, that's off by **{off_line:.0%}** of the length of FF(a + b)."
            if depth.at_least("numbers")
            else "Give it the sum of what two tokens bring: what it writes is "
            f"**{off_line:.0%}** off what one linear layer would write."
        )
    )
    return Shown(
        numbers=lambda: record.units_table(token),
        arrays={"pre": pre, "act": act, "share_on": found.share},
        script=lambda: _script(looked, layer, token),
    )


def _script(looked: ModelAndText, layer: int, token: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.block.compute import residual_stream
        from core.inspect.readers import reader_of
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        ids = $ids

        # One block of the model; a unit of its feed-forward part is on where its number "before" is above 0.
        record = residual_stream.record(model, ids, layer=$layer)
        print_table(record.units_table(token=$token))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        layer=layer,
        token=token,
    )


def _text(looked: ModelAndText, share: NDArray[np.float64], layer: int, token: int) -> None:
    most = int(share.argmax())
    widgets.token_row(
        looked.encoded.tokens,
        key=picks.key(ROW, _content(looked), token),
        values=share,
        limits=(0.0, 1.0),
        value_title="share of units on",
        selected=token,
        title=f"How many units of layer {layer} each token switches on",
        takeaway=f"Token {most} switches on most units of layer {layer}: {share[most]:.0%}.",
    )


def _content(looked: ModelAndText) -> str:
    return content_key(looked.key, looked.encoded.packed)[:12]
