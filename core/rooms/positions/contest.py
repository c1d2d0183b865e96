"""Which way of telling positions is best? Six models are trained live on one task, and judged beyond what they saw."""

import numpy as np
import streamlit as st

from core.charts.race import race
from core.nn.positions import POSITIONS
from core.rooms.positions.experiments import contest as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told
from core.ui.frame.layout import color_mode
from core.ui.training import live

NAME = "contest"
NAMES = task.NAMES
TASKS = {"back": "Fetch a token", "text": "Continue a text"}
ASKED = {
    "back": f"Random tokens of {task.N_SYMBOL} kinds. At each position the model is asked which token was that many "
    "positions back.",
    "text": "Python's documentation, letter by letter. At each position the model is asked for the next letter.",
}
# Those that go beyond the trained length at all.
GUESSES = {name: NAMES[name] for name in ("sinusoidal", "rotary", "alibi", "relative")}


@exhibit(
    title="The contest: train short, test long",
    look_for="what happens to the right of position 32, where no model was ever trained.",
    try_this=[
        (
            "Make your guess and read off the right ends, with the task “Fetch a token”, three positions back.",
            "Up to position 32, four of the six nearly always fetch it. Beyond it, the learned table has no rows "
            "left, the sinusoidal positions fall to about one in five, RoPE to about four in five, and **relative "
            "positions** (only how far apart two words are) hardly notice.",
        ),
        (
            "Choose “Continue a text” and press Train.",
            "The order changes. ALiBi was poor at fetching from an exact position; on a text it loses least beyond "
            "the trained length.",
        ),
        (
            "Look at “none” in both tasks.",
            "It's worse, but not at chance (one in 16): a causal model sees a little of the order without being told.",
        ),
    ],
    code=(task.Contest.advance, task.accuracy, task.recipe),
)
def contest() -> Shown | None:
    """The task, the guess, the training, and accuracy by position."""
    left, middle, right = st.columns([3, 2, 2], gap="medium")
    with left:
        chosen = controls.segmented("contest_task", "Task", task.TASKS, "back", labels=TASKS)
    with middle:
        back = int(controls.slider("contest_back", "How far back", 1, 8, 3, step=1)) if chosen == "back" else 3
    with right:
        seed = controls.seed(name="contest_seed")
    st.caption(ASKED[chosen])
    answer = guess(
        "contest_guess",
        "Before you look: which one stays best beyond the trained length, at positions 33 to 64?",
        GUESSES,
    )
    shown = live.train(NAME, {"task": chosen, "back": back}, seed, about="Six models, about 10 seconds on one core.")
    if shown is None:
        return None
    record = shown.record
    steps = record["step"]
    st.markdown(f"**While they learn:** right answers up to position {task.TRAINED}")
    st.vega_lite_chart(
        spec=race(
            {NAMES[s]: (steps, record[f"curve.{s}.inside"]) for s in POSITIONS},
            y_title="share of right answers",
            n_step=shown.n_step,
            mode=color_mode(),
            y_limits=(0, 1.02),
        ),
        width="stretch",
        alt="Share of right answers within the trained length, by training step, for six ways of telling positions.",
    )
    if f"position.{POSITIONS[0]}" not in record:
        st.caption("After the training, all six are tested far beyond the length they have seen.")
        return _shown(shown, is_told=False)
    if answer == NOT_YET:
        st.caption("Make your guess to see how they do beyond the trained length.")
        return _shown(shown, is_told=False)
    st.markdown(f"**At the end,** position by position: trained up to {task.TRAINED}, tested up to {task.LONGEST}")
    st.vega_lite_chart(
        spec=race(
            {NAMES[s]: (np.arange(task.LONGEST), record[f"position.{s}"]) for s in POSITIONS},
            y_title="share of right answers",
            x_title="position of the token that asks",
            n_step=task.LONGEST,
            mode=color_mode(),
            y_limits=(0, 1.02),
        ),
        width="stretch",
        alt="Share of right answers at each position, trained up to 32 and tested up to 128.",
    )
    _told(shown, answer)
    return _shown(shown, is_told=True)


def means(shown: Live) -> dict[str, tuple[float, float, float]]:
    """For each scheme: mean accuracy up to the trained length, in as many tokens after it, and in the rest."""
    cuts = (slice(0, task.TRAINED), slice(task.TRAINED, 2 * task.TRAINED), slice(2 * task.TRAINED, task.LONGEST))
    found = {}
    for name in POSITIONS:
        at = shown.record[f"position.{name}"]
        parts = [float(np.nanmean(at[cut])) if np.isfinite(at[cut]).any() else float("nan") for cut in cuts]
        found[name] = (parts[0], parts[1], parts[2])
    return found


def _told(shown: Live, answer: str) -> None:
    """The table in words, and what became of the guess."""
    found = means(shown)
    lines = [
        f"| {NAMES[name]} | {_share(inside)} | {_share(beyond)} | {_share(far)} |"
        for name, (inside, beyond, far) in found.items()
    ]
    n = task.TRAINED
    head = f"| positions | 1 to {n}: trained | {n + 1} to {2 * n} | {2 * n + 1} to {task.LONGEST} |"
    st.markdown("\n".join([head, "|---|---|---|---|", *lines]))
    best = max(found, key=lambda name: np.nan_to_num(found[name][1]))
    came = f"{NAMES[best]}, with {_share(found[best][1])}"
    st.markdown(told(answer, GUESSES, came).strip() or f"Best beyond the trained length: {came}.")


def _share(value: float) -> str:
    return "no such position" if np.isnan(value) else f"{value:.0%}"


def _shown(shown: Live, *, is_told: bool) -> Shown:
    """The numbers: those beyond the trained length once there has been a guess."""
    table = task.position_table if is_told else task.step_table
    return Shown(
        numbers=lambda: table(shown.record),
        arrays=dict(shown.record) if is_told else None,
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.train.experiment import record_of
            from core.rooms.positions.experiments.contest import $table

            # Six models: some ten seconds, unless it is the record that ships.
            print_table($table($record))
            """,
            table=scripts.Code(table.__name__),
            record=scripts.record(NAME, shown),
        ),
    )
