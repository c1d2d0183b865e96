"""An induction head is born: two heads, one above the other, learn together to continue what was there before."""

from typing import Any

import streamlit as st
from numpy.typing import NDArray

from core.charts.curves import Reference
from core.charts.race import race
from core.rooms.heads_at_work.compute import knockouts
from core.rooms.heads_at_work.compute.induction import Birth, birth, induction_scores, previous_scores
from core.rooms.heads_at_work.experiments import induction as task
from core.rooms.heads_at_work.induction_off import BLIND, SIGNS, switch_off
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told
from core.ui.training import live
from core.ui.widgets import widgets

NAME = "induction"
GUESSES = {"none": "near 0", "between": "in between", "blind": "as bad as guessing blindly"}
AT_WORK = 0.5  # a score from which a head is said to do it, as in the room of heads
CLOSE = 0.3  # nats


@exhibit(
    title="An induction head is born",
    look_for="the moment when the **loss** of the two-layer model falls: its average **surprise** at each repeated "
    "token. Two **scores** rise then: how much a first-layer head reads the token before, and how much a "
    "second-layer head reads what followed last time.",
    try_this=[
        (
            "Scrub through the film below the curves, around the moment of the fall.",
            "In the second layer a stripe appears, parallel to the diagonal: the second time round, each token reads "
            "the one that followed it the first time.",
        ),
        (
            "Switch off the starred head of layer 0 (with the example: 0.0).",
            "The loss on the repeat comes back, worse than blind guessing: the heads of layer 1 look for notes that "
            "are no longer written.",
        ),
        (
            "Switch off one head of layer 1, then both.",
            "Without one of them hardly anything changes, because both do the same job. Without both, the loss is "
            "back.",
        ),
    ],
    code=(task.Induction, task.repeat_loss, previous_scores, induction_scores, knockouts.logits_without),
)
def induction() -> Shown | None:
    """A guess, the race, the two scores, the film, and heads switched off."""
    answer = guess(
        "born_guess", f"Before you look: where will one layer end? A blind guess has a loss of {BLIND:.2f}.", GUESSES
    )
    left, right = st.columns([1, 1], gap="medium")
    with left:
        seed = controls.seed(name="born_seed")
    with right:
        n_head = controls.segmented("born_heads", "Heads in each layer", list(task.N_HEAD), 2)
    shown = live.train(NAME, {"n_head": n_head}, seed, label="Train both", about="300 steps take some five seconds.")
    if shown is None:
        return None
    two, one = (shown.record[f"frames.{variant}.weights"] / 255 for variant in ("two", "one"))
    heads = birth(shown.record["step"], two, one, task.N_PROBE)
    told_of = ("two",) if answer == NOT_YET else tuple(task.NAMES)
    spec = _losses(shown, told_of)
    loss_side, score_side = layout.pair("born-curves")
    with loss_side:
        st.vega_lite_chart(spec, alt=_in_words(shown, told_of), key="born-losses")
    with score_side:
        st.vega_lite_chart(_scores(shown, heads), alt=_scores_in_words(heads), key="born-scores")
    _verdict(shown, heads, answer)
    _film(shown, heads)
    rises = switch_off(shown, two.shape[2], ((0, heads.writer), (1, heads.reader)))
    return Shown(
        numbers=lambda: heads.table(task.losses(shown.record, told_of)),
        arrays=None if answer == NOT_YET else lambda: _arrays(shown, rises),
        figure=spec,
        script=lambda: _script(shown, told_of),
    )


def _script(shown: Live, told_of: tuple[str, ...]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.heads_at_work.compute.induction import birth
        from core.train.experiment import record_of
        from core.rooms.heads_at_work.experiments import induction

        # Two layers and one. With the settings that ship, the record that ships is read; else they are trained now.
        record = $record
        # Their attention to twelve random tokens that come twice, at each look: (looks, layers, heads, 24, 24).
        two, one = record["frames.two.weights"] / 255, record["frames.one.weights"] / 255
        heads = birth(record["step"], two, one, period=induction.N_PROBE)
        print_table(heads.table(induction.losses(record, $told_of)))
        """,
        record=scripts.record(NAME, shown),
        told_of=told_of,
    )


def _scores(shown: Live, heads: Birth) -> dict[str, Any]:
    return race(
        {name: (heads.steps, values) for name, values in heads.curves.items()},
        y_title="score (mean weight)",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
    )


def _scores_in_words(heads: Birth) -> str:
    return "Scores by training step. Now: " + ", ".join(f"{n} {v[-1]:.2f}" for n, v in heads.curves.items()) + "."


def _losses(shown: Live, told_of: tuple[str, ...]) -> dict[str, Any]:
    return race(
        {name: (shown.record["step"], losses) for name, losses in task.losses(shown.record).items()},
        [Reference(BLIND, "guessing blindly"), Reference(_bag(shown), "knowing which tokens there are")],
        y_title=depth.measured("loss on the repeat", "nats per token"),
        n_step=shown.n_step,
        mode=layout.color_mode(),
        hidden=[name for variant, name in task.NAMES.items() if variant not in told_of],
    )


def _bag(shown: Live) -> float:
    """What it costs to guess among the tokens of the period: the mean of ln(period) over all places that count."""
    return task.bag_loss(task.held_out(shown.seed)[1])


def _final(shown: Live, variant: str) -> float:
    return float(shown.record[f"curve.{variant}.loss"][-1])


def _in_words(shown: Live, told_of: tuple[str, ...]) -> str:
    now = ", ".join(f"{task.NAMES[variant]} {_final(shown, variant):.2f}" for variant in told_of)
    return f"Loss on the repeat by training step. After step {shown.step}: {now}; guessing blindly: {BLIND:.2f}."


def _verdict(shown: Live, heads: Birth, answer: str) -> None:
    """Where both models are, and what their heads do by now."""
    writes, reads = heads.previous[-1, 0, heads.writer], heads.induction[-1, 1, heads.reader]
    if min(writes, reads) > AT_WORK:
        pair = (
            f"Head 0.{heads.writer} reads the token before ({writes:.2f} of its weight), so each position then knows "
            f"what came before it. Head 1.{heads.reader} looks for the position whose previous token was the current "
            f"one, and reads what came there ({reads:.2f})."
        )
    else:
        pair = f"Its heads don't work together yet: the best scores are {writes:.2f} and {reads:.2f} of 1."
    one, bag = _final(shown, "one"), _bag(shown)
    if answer == NOT_YET:
        single = "Its curve and number appear once you've made your guess above."
    else:
        close = one < bag + CLOSE
        knows = "It knows which tokens have been there" if close else "It is learning which tokens have been there"
        single = (
            f"**{one:.2f}**.{told(answer, GUESSES, f'{one:.2f}')} {knows}; guessing among those gives {bag:.2f}. It "
            "can't know which of them comes next: a single layer reads each earlier token separately, and none of them "
            "says what came before it."
        )
    st.markdown(
        f"Loss after step {shown.step}, on tokens that come again (guessing blindly: {BLIND:.2f}):\n"
        f"- **Two layers**: **{_final(shown, 'two'):.2f}**. {pair}\n"
        f"- **One layer**: {single}"
    )


def _film(shown: Live, heads: Birth) -> None:
    """The attention of the probe over the training, scrubbed in the browser."""
    signs = [SIGNS[i] for i in shown.record["probe"]]
    frames = [
        {"step": int(step), "loss": None, "val_loss": float(loss), "tokens": signs, "attention": weights}
        for step, loss, weights in zip(
            shown.record["step"], shown.record["curve.two.loss"], shown.record["frames.two.weights"], strict=True
        )
    ]
    widgets.scrubber(
        frames,
        key="born-film",
        chance=BLIND,
        head=(1, heads.reader),
        held_out="on the repeat",
        label="Two layers: twelve random tokens, twice",
        takeaway=f"{len(frames)} frames of the attention of two layers while they learn. At the end, for each token "
        f"that comes again, head 1.{heads.reader} reads the one that followed it the first time.",
    )


def _arrays(shown: Live, rises: NDArray[Any]) -> dict[str, NDArray[Any]]:
    return dict(shown.record) | {"rise_without_each_head": rises}
