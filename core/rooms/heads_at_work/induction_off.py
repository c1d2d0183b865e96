"""The induction heads switched off: what the trained two-layer model then still continues."""

import math

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.before_after import ranking
from core.rooms.heads_at_work.compute import knockouts
from core.rooms.heads_at_work.experiments import induction as task
from core.train.experiment import rebuild
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained
from core.ui.widgets import widgets

# Thirty-two signs for tokens that mean nothing.
SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
BLIND = math.log(task.VOCAB_SIZE)
Heads = tuple[tuple[int, int], ...]


@memoize(MAX_RESULTS)
def loss_without(models: Trained, n_head: int, seed: int, heads: Heads) -> float:
    """The two-layer model's loss on the repeat, nats per token, with these heads switched off."""
    model = rebuild(models.record, "two", task.config(2, n_head))
    ids, periods = task.held_out(seed)
    return float(task.repeat_loss(knockouts.logits_without(model, ids, heads), ids, periods))


@memoize(MAX_RESULTS)
def rise_without_each(models: Trained, n_head: int, seed: int) -> NDArray[np.float64]:
    """By how much that loss rises when one head alone is off: (2, H)."""
    model = rebuild(models.record, "two", task.config(2, n_head))
    ids, periods = task.held_out(seed)
    return knockouts.rise_without_each(model, ids, lambda logits: task.repeat_loss(logits, ids, periods))


@memoize(MAX_RESULTS)
def expected(models: Trained, n_head: int, heads: Heads) -> NDArray[np.float64]:
    """Probability that the two-layer model gives to each token of the probe that really comes: (T - 1,)."""
    model = rebuild(models.record, "two", task.config(2, n_head))
    ids = torch.tensor(models.record["probe"])
    logits = knockouts.logits_without(model, ids[None], heads)[0, :-1]
    return logits.double().softmax(-1).gather(1, ids[1:, None])[:, 0].numpy()


def switch_off(shown: Live, n_head: int, starred: Heads) -> NDArray[np.float64]:
    """Heads switched off in the trained model: the loss on the repeat, and what is still expected of the probe.

    Args:
        shown: the experiment.
        n_head: heads in each layer of its models.
        starred: the heads that do the work.

    Returns:
        (2, H) by how much the loss rises without each head alone.
    """
    models = trained(shown)
    names = {(layer, head): f"{layer}.{head}" for layer in range(2) for head in range(n_head)}
    name = f"born_off.{n_head}"
    is_left_out = controls.is_hidden(name)
    if not is_left_out:
        st.markdown("**Switch heads off**")
    chosen = controls.several(
        name,
        "Heads of the two-layer model (layer.head)",
        list(names.values()),
        help="1.0 is head 0 of layer 1. Press again to switch it back on.",
    )
    rises = rise_without_each(models, n_head, shown.seed)
    if is_left_out:
        return rises
    off: Heads = tuple(place for place, name in names.items() if name in chosen)
    before, after = (loss_without(models, n_head, shown.seed, which) for which in ((), off))
    after_probabilities = expected(models, n_head, off)
    row_side, bars_side = layout.pair("born-off")
    with row_side:
        st.metric(
            "Loss on the repeat",
            f"{after:.2f}{depth.unit('nats')}",
            f"{after - before:+.2f}" if off else None,
            delta_color="inverse",
            help=f"On 64 sequences never seen in training, with these heads off. Guessing blindly: {BLIND:.2f}.",
        )
        signs = [SIGNS[i] for i in shown.record["probe"]]
        widgets.token_row(
            signs,
            key="born-row",
            values=np.concatenate([[np.nan], after_probabilities]),
            kind="probability",
            value_title="probability given to it",
            title="How well each token was expected",
            takeaway=f"Second time: {after_probabilities[task.N_PROBE :].mean():.2f} on average.",
        )
        st.caption(
            "Strong color: the model expected it. The first time, what comes can't be known; the second time begins "
            f"after {task.N_PROBE} tokens. Average over its last {task.N_PROBE - 1} tokens: "
            f"{after_probabilities[task.N_PROBE :].mean():.2f}."
        )
    with bars_side:
        st.vega_lite_chart(
            ranking(
                [
                    f"{'★ ' if place in starred else ''}head {name}{' (off)' if place in off else ''}"
                    for place, name in names.items()
                ],
                [float(rises[place]) for place in names],
                mode=layout.color_mode(),
                value_title=depth.measured("rise of the loss without it", "nats"),
                marked=[place in off for place in names],
            ),
            alt="Rise of the loss without each head: "
            + ", ".join(f"{name} {rises[place]:.2f}" for place, name in names.items()),
            key="born-ranking",
        )
        st.caption("★ marks the two heads with the highest scores, whose curves are above.")
    return rises
