"""What an edit does to the next token and to the loss of the text: the pictures of both experiments."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.before_after import before_after, top_of_either
from core.data.printable import visible
from core.inspect.reading.model_and_text import vocabulary
from core.rooms.heads.compute.ablation import Intervention


def draw_effect(result: Intervention, inputs: Any, *, key: str, changed: bool) -> None:
    """The next token before and after, the size of the change, and the loss of each token of the text."""
    tokens, nats = vocabulary(inputs.given.key), ui.unit("nats")
    before, after = result.probabilities_before[-1], result.probabilities_after[-1]
    top, told = top_of_either(before, after), in_words(tokens, before, after)
    left, right = ui.st.columns([3, 2], gap="large")
    with left:
        ui.st.markdown("**The next token, before and after**")
        labels = [visible(tokens[i]) for i in top]
        ui.chart(before_after(labels, before[top], after[top], mode=ui.color_mode()), alt=told, key=f"{key}-bars")
    with right:
        with ui.st.container(horizontal=True):
            if ui.at_least("numbers"):
                moved = "How far the distribution of the next token moved."
                ui.st.metric("KL divergence", f"{result.kl[-1]:.3f}{nats}", help=moved)
            ui.st.metric(
                "Loss of the text",
                "–" if np.isnan(result.loss_after.mean) else f"{result.loss_after.mean:.3f}{nats}",
                None if not abs(result.loss_change) >= 5e-4 else f"{result.loss_change:+.3f}",
                delta_color="inverse",
                help="Average over its tokens, each predicted from those before it. Lower is better.",
            )
        ui.st.markdown(told) if changed else ui.say("nothing")
    change = result.loss_after.loss - result.loss_before.loss
    limit = max(0.5, float(np.abs(np.nan_to_num(change)).max()))  # noise must not look like an effect
    ui.token_row(
        inputs.given.tokens,
        key=f"{key}-losses",
        values=change,
        kind="signed",
        limits=(-limit, limit),
        value_title="change of loss",
        title="Which tokens of the text became harder to predict",
    )


def in_words(tokens: Sequence[str], before: NDArray[np.floating], after: NDArray[np.floating]) -> str:
    """What the model expects before and after."""
    first, then = int(before.argmax()), int(after.argmax())
    names = [f"**“{ui.escape_markdown(visible(tokens[i]))}”**" for i in (first, then)]
    told = f"Before, the model expects {names[0]} with {before[first]:.1%}"
    if first == then:
        return f"{told}; afterwards it still does, with {after[first]:.1%}."
    return f"{told}; afterwards {names[1]} with {after[then]:.1%}, and {names[0]} is at {after[first]:.1%}."
