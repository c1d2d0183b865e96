"""Soft, sampled and arg-max attention: the same model, trained in each way, and then read in each way."""

from typing import Any

import numpy as np
import streamlit as st

from core.charts.curves import Reference
from core.charts.race import race
from core.rooms.hard_attention.common import NAME, NAMES
from core.rooms.hard_attention.compute import hard_attention as ways
from core.rooms.hard_attention.compute.card_model import FetchConfig
from core.rooms.hard_attention.compute.score_gradients import reading_cost
from core.rooms.hard_attention.experiments import choosing as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told, without
from core.ui.training import live

GUESSES = {"soft": "soft only", "both": "soft and sampled", "all": "all three"}
FOUND = 0.9  # mean weight on the right card from which a model is said to look at it
READ = {"soft": "the mixture", "sampled": "a drawn card", "argmax": "the best card"}


@exhibit(
    title="Soft, hard and arg-max: which can be trained?",
    look_for="which curves rise, and when. Each card has a letter and a digit; asked for a letter, a model says the "
    "digit beside it. *Soft* attention reads the weighted mean of all cards, *sampled* attention draws one, *arg-max* "
    "takes the one with the largest weight. The second chart shows whether a model has found where to look.",
    try_this=[
        (
            "Make your guess, then compare the curves.",
            "Soft attention finds the card first, sampled attention soon after. Arg-max never does.",
        ),
        (
            "Look at the sampled model without a baseline.",
            "A **baseline** is the usual loss, subtracted before a draw is judged. Without it the gradient is the same "
            "on average but noisier: learning takes several times as many steps.",
        ),
        (
            "Train with 16 cards.",
            "A drawn card is the right one in 1 of 16 cases, so luck has less to teach. Soft attention hardly minds. "
            "The sampled model takes much longer and may not be done at the end; without a baseline it has learned "
            "next to nothing.",
        ),
    ],
    code=(
        task.Chooser.loss,
        ways.mixture,
        ways.drawn_places,
        ways.best_places,
        ways.score_function_loss,
        task.accuracies,
    ),
    formula=r"\begin{aligned} \text{soft: } c &= \sum_i \alpha_i a_i \\ \text{sampled: } c &= a_i "
    r"\text{ with probability } \alpha_i \\ \text{arg-max: } c &= a_{\arg\max_i \alpha_i} \end{aligned}",
)
def three_ways() -> Shown | None:
    """A guess, the race, and how each trained model does when it is read in another way."""
    left, right = st.columns([1, 1], gap="medium")
    with left:
        n_card = int(controls.segmented("cards", "Cards on the table", list(task.N_CARD), 8))
    with right:
        seed = controls.seed(name="ways_seed")
    answer = guess("ways_guess", "Before you look: which of the three learn to look at the right card?", GUESSES)
    shown = live.train(
        NAME, {"n_card": n_card}, seed, label="Train all", about="Four models, about three seconds on one free core."
    )
    if shown is None:
        return None
    cards = int(shown.options["n_card"])
    right_sides = layout.pair("ways-curves")
    hidden = [variant for variant in NAMES if variant != "soft"] if answer == NOT_YET else []
    specs = {what: _curves(shown, what, hidden) for what in ("accuracy", "found")}
    for place, (what, spec) in zip(right_sides, specs.items(), strict=True):
        with place:
            st.vega_lite_chart(spec, alt=_in_words(shown, what, hidden), key=f"ways-{what}")
    if answer == NOT_YET:
        st.caption("The other three curves appear once you've made your guess above.")
    else:
        _verdict(shown, answer, cards)
    return Shown(
        numbers=lambda: task.results(shown.record, hidden),
        arrays=lambda: without(shown.record, hidden),
        figure=specs["accuracy"],
        script=lambda: _script(shown, hidden),
    )


def _script(shown: Live, hidden: list[str]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.hard_attention.experiments import choosing

        # Four models that look at cards in different ways. With the settings that ship the record that ships is read;
        # with others they are trained now, which takes some seconds.
        record = $record
        print_table(choosing.results(record$hidden))
        """,
        hidden=scripts.Code(f", hidden={hidden}" if hidden else ""),
        record=scripts.record(NAME, shown),
    )


def _curves(shown: Live, what: str, hidden: list[str]) -> dict[str, Any]:
    cards = int(shown.options["n_card"])
    blind = {
        "accuracy": Reference(luck(cards), "a card at random"),
        "found": Reference(1 / cards, "the same for all cards"),
    }
    return race(
        {name: (shown.record["step"], shown.record[f"curve.{v}.{what}"]) for v, name in NAMES.items()},
        [blind[what]],
        y_title={"accuracy": "right answers (share)", "found": "weight on the right card"}[what],
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        hidden=[NAMES[variant] for variant in hidden],
        height=320,
    )


def luck(n_card: int) -> float:
    """Right answers of a model that reads well, but a card at random: the right card, or another with the digit."""
    n_digit = FetchConfig().n_digit
    return 1 / n_card + (1 - 1 / n_card) / n_digit


def found_at(shown: Live, variant: str) -> int | None:
    """The first measured step at which nine tenths of the weight are on the right card; None: not yet."""
    there = np.flatnonzero(shown.record[f"curve.{variant}.found"] >= FOUND)
    return int(shown.record["step"][there[0]]) if there.size else None


def outcome(shown: Live) -> str:
    """Which of the guesses came true by now; "none" where none of the three has learned it."""
    learned = [variant for variant in ("soft", "sampled", "argmax") if found_at(shown, variant) is not None]
    return {(): "none", ("soft",): "soft", ("soft", "sampled"): "both"}.get(tuple(learned), "all")


def _verdict(shown: Live, answer: str, n_card: int) -> None:
    """When each found out where to look, the table of ways to read, and what is saved by reading one place."""
    came = outcome(shown)
    reached = {v: found_at(shown, v) for v in NAMES}
    said = "; ".join(
        f"{NAMES[v]} {f'after **{step}** steps' if step is not None else '**not yet**'}" for v, step in reached.items()
    )
    beside = told(answer, GUESSES, GUESSES[came]) if shown.is_done and came in GUESSES else ""
    moved = max(drift(shown, "argmax").values())
    st.markdown(
        f"Nine tenths of the weight on the right card ({shown.n_step} steps in all): {said}.{beside}\n\n"
        f"**Arg-max**: since the start, the numbers that only make its scores (the question's vector and the "
        f"attention's own matrices) have moved by **{moved:g}**. No gradient has ever reached them."
    )
    moments = shown.record["moment"]
    held = task.held_out(shown.seed, n_card)
    table = {v: task.accuracies(task.model_at(shown.record, v, -1), held) for v in NAMES}
    rows = "\n".join(
        f"| {NAMES[v]} | {weight:.3f} | " + " | ".join(f"{shares[way]:.3f}" for way in READ) + " |"
        for v, (shares, weight) in table.items()
    )
    st.markdown(
        f"Each model after {moments[-1]} steps, read in each way (share of right answers):\n\n"
        f"| trained | weight on the right card | {' | '.join(f'reads {name}' for name in READ.values())} |\n"
        f"|---|---|---|---|---|\n{rows}"
    )
    cost = reading_cost(FetchConfig(), n_card)
    total = cost.scoring + cost.mixing
    st.caption(
        f"“A drawn card” is exact: the weights of all cards that lead to the right answer, added up. Reading one card "
        f"saves only the weighted sum, {cost.mixing:,} of {total:,} multiply-adds here ({cost.mixing / total:.0%}): "
        "every card must be scored before one can be chosen."
    )


def drift(shown: Live, variant: str) -> dict[str, float]:
    """How far the parameters that lead to the scores alone have moved since the start: the largest change of each."""
    names = ("question_emb.weight", "attn.w_q.weight", "attn.w_k.weight", "attn.v.weight")
    frames = {name: shown.record[f"frames.{variant}.{name}"] for name in names}
    return {name: float(np.abs(values[-1] - values[0]).max()) for name, values in frames.items()}


def _in_words(shown: Live, what: str, hidden: list[str]) -> str:
    title = {"accuracy": "Share of right answers", "found": "Weight on the right card"}[what]
    now = ", ".join(
        f"{name} {shown.record[f'curve.{v}.{what}'][-1]:.2f}" for v, name in NAMES.items() if v not in hidden
    )
    return f"{title} by training step. After step {shown.step}: {now}."
