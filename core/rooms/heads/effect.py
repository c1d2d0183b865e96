"""What an edit does to the next token and to the loss of the text: the pictures of both experiments."""

from typing import Any

import numpy as np

from core import ui
from core.charts.before_after import before_after, top_of_either
from core.data.printable import visible
from core.inspect.reading.model_and_text import vocabulary
from core.rooms.heads.compute.ablation import Intervention

MOST_TOKENS = 6  # of the next token, before and after


def draw_next(result: Intervention, inputs: Any, *, key: str, changed: bool) -> None:
    """The next token before and after; in words, too: "told" or "nothing"."""
    tokens = vocabulary(inputs.given.key)
    before, after = result.probabilities_before[-1], result.probabilities_after[-1]
    top, first, then = top_of_either(before, after, MOST_TOKENS), int(before.argmax()), int(after.argmax())
    told = {
        "first": tokens[first],
        "then": tokens[then],
        "had": before[first],
        "left": after[first],
        "likeliest": after[then],
    }
    ui.say("told" if changed else "nothing", **told)
    ui.write("**The next token, before and after**")
    labels = [visible(tokens[i]) for i in top]
    spec = before_after(labels, before[top], after[top], mode=ui.color_mode())
    ui.chart(spec, alt=ui.words("told", **told), key=f"{key}-bars")


def draw_losses(result: Intervention, inputs: Any, *, key: str) -> None:
    """The loss of each token of the text."""
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
