"""The block: a token's way through it, its norms, its feed-forward layer, and where the parameters are."""

import streamlit as st

from core.ui.frame import layout

layout.page_header(
    "The block",
    "Attention doesn't work alone: there are norms, a feed-forward part and the residual path. Follow one token "
    "through them all.",
)

from core.rooms.block.inputs import Looked, Place  # noqa: E402
from core.rooms.block.room import ROOM  # noqa: E402
from core.ui.exhibit.ask import ask  # noqa: E402
from core.ui.exhibit.contents import contents  # noqa: E402
from core.ui.frame import depth  # noqa: E402
from core.ui.frame.exhibit import show  # noqa: E402
from core.ui.training import live  # noqa: E402

contents(ROOM)


@st.fragment
def one_token(looked: Looked) -> None:
    """The sliders Layer and Token, and all that follows them: moving one leaves the exhibits below alone."""
    depth.note(
        r"Post-norm is $\mathrm{norm}(x + f(x))$ and pre-norm $x + f(\mathrm{norm}(x))$, where $f$ is attention or the "
        "feed-forward part.",
        "formula",
    )
    place = ask(Place, looked)
    show(ROOM["through-the-block"], place)
    show(ROOM["units"], place)


looked = ask(Looked)
if looked is not None:
    layout.prose(
        "Each token travels as a vector, the **residual stream**. Attention reads from other tokens, the "
        "**feed-forward part** works on each token separately, and both add what they find. A **norm** keeps the "
        "numbers at a standard size. In 2017 it came after each sum: **post-norm**. Most models since GPT-2 have it "
        "before attention and feed-forward: **pre-norm**. The stream itself is then never normed on its way, so one "
        "more norm follows the last block."
    )
    one_token(looked)
layout.section(
    "The norm",
    "A norm works on each token's vector separately. **LayerNorm** subtracts the mean and divides by the standard "
    "deviation; **RMSNorm** only divides by the root mean square. A learned gain follows, in LayerNorm a learned bias "
    "too.",
)
show(ROOM["shape-stays"])
layout.section(
    "The nonlinearity",
    "Two **linear layers** in a row, which only multiply and add, are no more than one. What makes the difference is "
    "the **nonlinearity** between them, a function applied to every number: **ReLU** in the 2017 transformer, which "
    "sets negative numbers to 0, and its smoother cousin **GELU** in GPT-2 and the stories model.",
)
show(ROOM["nonlinearity"])
layout.section(
    "The depth",
    "A deep stack learns only if the **gradient**, the signal that tells each weight which way to change, reaches the "
    "first layer, and if the tokens stay different on their way up. The residual path helps with both.",
)
show(ROOM["gradients-with-depth"], every=live.pace("depth"))
show(ROOM["tokens-become-identical"], every=live.pace("depth"))
show(ROOM["slips"])
if looked is not None:
    layout.section(
        "The size",
        "Most parameters are in the linear layers and in the **embedding**, the table with a vector for each token; "
        "norms have a few. All are counted here.",
    )
    show(ROOM["where"], looked)
