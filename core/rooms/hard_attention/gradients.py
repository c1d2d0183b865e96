"""What reaches the scores: exact gradients under each way of reading, and the estimate from drawn places."""

from typing import Any

import numpy as np
import streamlit as st

from core.rooms.hard_attention.common import NAME, NAMES, cards, questions, table
from core.rooms.hard_attention.compute import score_gradients as look
from core.rooms.hard_attention.compute.score_gradients import ScoreGradients
from core.rooms.hard_attention.experiments.choosing import model_at
from core.rooms.hard_attention.gradient_estimates_chart import Guessed, errors_by_draws, estimated
from core.train.live import Live
from core.ui.controls import controls, picks
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training import live
from core.ui.widgets import widgets
from core.ui.widgets.mount import index

N_DRAW = (2, 10, 100, 1_000, 10_000)
COUNTS = tuple(4**k for k in range(1, 8))  # 4 to 16,384 draws
MOMENTS = "0 is the start, then 1/32, 1/16, 1/8, 1/4, half and all of the steps."
MAP, ROW = "choosing.question", "grad_row"  # the picture, and in the address the row that is asked
BASELINES = {"none": "none", "mean": "the expected loss"}


@exhibit(
    title="What reaches the scores",
    look_for="how wide the bars of the estimate are, and that arg-max has a gradient of 0: not a small one, none. The "
    "model is asked for one card and scores them all. A gradient says how the loss changes when a card's score is "
    "nudged; training follows it.",
    try_this=[
        (
            "Turn the baseline off, with 100 draws.",
            "The bars get many times wider around the same truth. Every loss is above 0, so whatever was drawn counts "
            "as bad; only the difference between bad and worse tells anything.",
        ),
        (
            "Change the seed of the draws, with 10 draws and with 10,000.",
            "Ten draws often get even a sign wrong; ten thousand hardly move. Four times as many draws halve the "
            "error.",
        ),
        (
            "Move to the end of the training.",
            "The right card has nearly all the weight, the gradients shrink, and a baseline no longer helps: there's "
            "hardly any loss left to subtract.",
        ),
    ],
    code=(look.score_gradients, look.one_draw, look.estimate, look.typical_error, look.measured_errors),
    formula=r"\begin{aligned} \frac{\partial}{\partial e_j}\,\mathbb{E}[\ell] &= \sum_s \alpha_s\,(\ell_s-b)\,"
    r"\frac{\partial \log\alpha_s}{\partial e_j} \\ &= \alpha_j\,(\ell_j-\mathbb{E}[\ell]) \end{aligned}",
)
def score_gradients() -> Shown | None:
    """A model at a moment of its training, one question, and what reaches the scores of the cards."""
    shown = live.current(NAME)
    if shown is None:
        st.info("Nothing is trained yet: train the models in “Soft, hard and arg-max: which can be trained?”.")
        return None
    n_card, moments = int(shown.options["n_card"]), shown.record["moment"]
    variant = controls.segmented("grad_model", "Model trained as", list(NAMES), "sampled", labels=NAMES)
    moment = int(controls.slider("grad_moment", "Moment of its training", 0, len(moments) - 1, 0, step=1, help=MOMENTS))
    model = model_at(shown.record, variant, moment)
    hand = table(shown.seed, n_card)
    names, asked = cards(shown.seed, n_card), questions(shown.seed, n_card)
    every = [
        look.score_gradients(model, hand.letters[0], hand.digits[0], int(hand.question[r]), int(hand.answer[r]))
        for r in range(n_card)
    ]
    st.caption(f"After {moments[moment]} of {shown.n_step} steps. Click a row to choose what is asked for.")
    map_side, bar_side = layout.pair("grad-pictures")
    row = _row(n_card)
    with map_side:
        widgets.matrix(
            np.stack([one.weights for one in every]),
            rows=[f"{letter}?" for letter in asked],
            columns=names,
            key=picks.key(MAP, f"{n_card}"),
            truth=np.eye(n_card, dtype=bool),
            truth_title="the card asked for",
            row_title="question",
            column_title="card",
            selected=(row, row),
            height=300,
            label=f"Weights of the model trained {NAMES[variant]}, after {moments[moment]} steps",
        )
    found = every[row]
    with bar_side:
        n_draw = int(controls.segmented("draws", "Draws", list(N_DRAW), 100, labels={n: f"{n:,}" for n in N_DRAW}))
        baseline = controls.segmented("baseline", "Baseline", list(BASELINES), "mean", labels=BASELINES)
        seed = controls.seed(name="draws_seed", label="Seed of the draws")
    b = found.expected_loss if baseline == "mean" else 0.0
    guess = look.estimate(found.weights, found.losses, n_draw, b, seed)
    chart_side, error_side = layout.pair("grad-charts")
    with chart_side:
        spec = estimated(
            names,
            {"soft": found.soft, "expected": found.expected, "arg-max": found.argmax},
            Guessed(guess.mean, guess.error),
            mode=layout.color_mode(),
        )
        st.vega_lite_chart(spec, alt=_in_words(asked[row], found), key="grad-bars")
    with error_side:
        st.vega_lite_chart(_errors(found, seed), alt=_errors_in_words(found), key="grad-errors")
    st.caption(
        "First chart: the gradient for the score of each card. “Estimate” comes from the draws, with a bar of one "
        "standard error to each side, and aims at “expected”; the other three are exact."
    )
    _verdict(asked[row], found, n_draw, baseline)
    return Shown(
        numbers=lambda: look.gradient_table(names, found, guess),
        script=lambda: _script(shown, variant, moment, row, n_draw, b, seed),
        arrays=lambda: _arrays(every),
        figure=spec,
    )


def _script(shown: Live, variant: str, moment: int, row: int, n_draw: int, baseline: float, seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.hard_attention.compute import score_gradients as look
        from core.train.experiment import record_of
        from core.rooms.hard_attention.experiments import choosing

        record = $record
        # One of the models at a moment of its training, and one question about the cards on the table.
        model = choosing.model_at(record, $variant, $moment)
        table = choosing.probe(seed=$table_seed, n_card=$n_card)
        found = look.score_gradients(
            model, table.letters[0], table.digits[0], int(table.question[$row]), int(table.answer[$row])
        )
        # The exact gradients, and an estimate from drawn cards.
        guess = look.estimate(found.weights, found.losses, $n_draw, $baseline, $seed)
        print_table(look.gradient_table(choosing.cards(table), found, guess))
        """,
        record=scripts.record(NAME, shown),
        variant=variant,
        moment=moment,
        table_seed=shown.seed,
        n_card=int(shown.options["n_card"]),
        row=row,
        n_draw=n_draw,
        baseline=scripts.Code("found.expected_loss") if baseline else 0.0,
        seed=seed,
    )


def _row(n_card: int) -> int:
    """The question that was pressed last, or that a link holds; else the first."""
    pick = picks.news(MAP, f"{n_card}")
    if isinstance(pick, dict) and (pressed := index(pick.get("row"), n_card)) is not None:
        picks.remember(ROW, f"{pressed}")
    elif picks.was_cleared(MAP, f"{n_card}"):
        picks.remember(ROW, None)
    text = picks.remembered(ROW) or ""
    kept = int(text) if text.isascii() and text.isdigit() and len(text) < 3 else 0
    return kept if kept < n_card else 0


def errors(found: ScoreGradients) -> dict[str, float]:
    """How far one draw is off, without and with the baseline."""
    return {
        "no baseline": look.typical_error(found.weights, found.losses, 0.0),
        "baseline": look.typical_error(found.weights, found.losses, found.expected_loss),
    }


def _errors(found: ScoreGradients, seed: int) -> dict[str, Any]:
    one, baselines = errors(found), {"no baseline": 0.0, "baseline": found.expected_loss}
    return errors_by_draws(
        COUNTS,
        {n: look.measured_errors(found.weights, found.losses, b, COUNTS, seed).tolist() for n, b in baselines.items()},
        {name: [error / n**0.5 for n in COUNTS] for name, error in one.items()},
        float(np.linalg.norm(found.expected)),
        mode=layout.color_mode(),
    )


def _verdict(asked: str, found: ScoreGradients, n_draw: int, baseline: str) -> None:
    one = errors(found)
    length, soft = float(np.linalg.norm(found.expected)), float(np.linalg.norm(found.soft))
    angle = float(found.soft @ found.expected) / (soft * length) if soft * length > 0 else float("nan")
    off = one["baseline" if baseline == "mean" else "no baseline"] / n_draw**0.5
    units, of_soft, of_draws, other = "", "", "", ""
    if depth.at_least("numbers"):
        units = ", losses in nats and gradients in nats per unit of a score"
        of_soft = f"the loss of the mixture is {found.soft_loss:.3f}; "
        of_draws = f"the expected loss over the draws is {found.expected_loss:.3f}; "
        other = (
            " It's another loss than that of the mixture and never below it here, because what reads the card is "
            f"linear; and its gradient points another way (cosine {angle:.3f})."
        )
    st.markdown(
        f"Asked for **{asked}**{units}:\n"
        f"- **Soft**: {of_soft}its gradient has length **{soft:.4f}**.\n"
        f"- **Sampled**: {of_draws}its gradient has length **{length:.4f}**.{other} With {n_draw:,} draws the estimate "
        f"is usually off by **{off:.4f}**.\n"
        f"- **Arg-max**: its largest gradient is **{np.abs(found.argmax).max():g}**. Nudge a score by a thousandth, up "
        f"or down, and its loss changes by {found.bump:g}.\n\n"
        f"One draw is off by {one['no baseline']:.3f} without a baseline and by {one['baseline']:.3f} with it"
        f"{_saving(one)}. In the second chart, dots are measured over {look.N_REPEAT} estimates each; lines are the "
        "exact error of one draw, divided by the root of the number of draws."
    )


def _saving(one: dict[str, float]) -> str:
    """How many draws the baseline saves: the square of the ratio of the errors."""
    if one["baseline"] <= 0:
        return ""
    ratio = (one["no baseline"] / one["baseline"]) ** 2
    return f": without it, the same error takes {ratio:.1f} times as many draws" if ratio >= 1.05 else ""


def _in_words(asked: str, found: ScoreGradients) -> str:
    lowest = int(np.argmin(found.expected))
    return (
        f"Gradients for the scores of {len(found.weights)} cards, asked for {asked}. That of the expected loss is "
        f"lowest at card {lowest}: {found.expected[lowest]:.3f}; that of arg-max is 0 everywhere."
    )


def _errors_in_words(found: ScoreGradients) -> str:
    said = ", ".join(f"{name} {error:.3f}" for name, error in errors(found).items())
    return f"Error of the estimate by number of draws; four times as many halve it. For one draw: {said}."


def _arrays(every: list[ScoreGradients]) -> dict[str, Any]:
    return {
        name: np.stack([getattr(one, name) for one in every])
        for name in ("weights", "losses", "soft", "expected", "argmax")
    }
