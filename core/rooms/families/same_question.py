"""Same question, three architectures: what each can do, measured while all three learn."""

from typing import Any

import numpy as np
import streamlit as st

from core.cache import memoize
from core.charts.curves import Reference
from core.charts.race import race
from core.rooms.families.common import NAME, ask_walk, three_of
from core.rooms.families.compute import family_answers as asking
from core.rooms.families.compute import walks
from core.rooms.families.compute.family_models import FAMILIES, NAMES, Decoder, Encoder, EncoderDecoder
from core.rooms.families.compute.walks import Walk
from core.rooms.families.experiments.families import COLUMNS, N_HELD, TITLES, Families, chances, table
from core.train.experiment import Record
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told
from core.ui.text import percent
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained

ASKED = {
    "classify": "By the sea or in the wood?",
    "continue": f"Round again: which {walks.N_NEXT} things come next?",
    "translate": "In French, on the way back",
}
GUESSES = {"decoder": "the decoder", "encoder": "the encoder", "encoder_decoder": "the encoder-decoder"}
MANY = {350: "350", 700: "700"}


@memoize(MAX_RESULTS)
def said_by(models: Trained, things: tuple[str, ...]) -> dict[tuple[str, str], tuple[str, ...]]:
    """(family, task) -> what the trained models say about one walk."""
    three = three_of(models)
    return {(f, task): three[f].answers([Walk(things)], task)[0] for f in FAMILIES for task in walks.TASKS}


@exhibit(
    title="Same question, three architectures",
    look_for="the table of shares while the three learn: each can do nearly everything. One cell stays at 0, and it "
    "has to.",
    try_this=[
        (
            "Write a walk with “starfish” or “glowworm” in it, and look at the translations.",
            "In French these take three and two words. The encoder has one position for each word of the walk, so its "
            "answer breaks off; the other two write on until they're done.",
        ),
        (
            f"Write a walk of {walks.MOST_THINGS} things.",
            f"No walk in training had more than {walks.LONGEST}, and now no family gets the translation right: they "
            "learned the lengths they saw. With the example, two of them don't even find the first three things any "
            "more.",
        ),
        (
            "Train with other seeds.",
            "All end near the same table. Which family comes first varies from task to task, and some of it is luck.",
        ),
    ],
    code=(Families, Decoder.loss, Encoder.loss, EncoderDecoder.loss, asking.encoder_answers),
)
def same_question() -> Shown | None:
    """A guess, the training, the table of what each can do, its curves, and a walk of one's own."""
    answer = guess("same_guess", "Before you look: one of the three cannot write a longer translation. Which?", GUESSES)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        seed = controls.seed(name="same_seed")
    with right:
        n_step = controls.segmented("same_steps", "Training steps", list(MANY), 350, labels=MANY)
    shown = live.train(
        NAME, {"n_step": n_step}, seed, label="Train all three", about="350 steps take about fifteen seconds."
    )
    if shown is None:
        return None
    is_open = answer != NOT_YET
    st.markdown(_table(shown, is_open=is_open))
    _verdict(shown, answer)
    column = controls.segmented("same_task", "Curves of", list(COLUMNS), "continue", labels=TITLES)
    is_hidden = column == "longer" and not is_open
    spec = _curves(shown, column, list(NAMES.values()) if is_hidden else [])
    st.vega_lite_chart(spec, width="stretch", alt=_in_words(shown, column, is_hidden), key="same-curves")
    if is_hidden:
        st.caption("These curves appear once you've made your guess above.")
    said = _own(shown, is_open=is_open)
    return Shown(
        numbers=lambda: table(shown.record, shown.seed, with_longer=is_open),
        arrays=lambda: {**_seen(shown.record, is_open=is_open), **said},
        figure=spec,
        script=lambda: _script(shown, is_open=is_open),
    )


def _script(shown: Live, *, is_open: bool) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.families.experiments import families

        # Three models that learned from the same walks, and new walks to measure them on.
        record = $record
        print_table(families.table(record, seed=$seed$longer))
        """,
        record=scripts.record(NAME, shown),
        seed=shown.seed,
        longer=scripts.Code("" if is_open else ", with_longer=False"),
    )


def _seen(record: Record, *, is_open: bool) -> Record:
    """The arrays that may be seen: before the guess without the shares of longer translations."""
    if is_open:
        return record
    shares = ("curve.exact", "curve.words")
    kept = [i for i, one in enumerate(COLUMNS) if one != "longer"]
    return {name: values[..., kept] if name in shares else values for name, values in record.items()}


def _looked(shown: Live) -> int:
    """The step of the newest measurement."""
    return int(shown.record["step"][-1])


def _share(shown: Live, family: str, column: str) -> float:
    return float(shown.record["curve.exact"][-1, FAMILIES.index(family), COLUMNS.index(column)])


def _chance(value: float) -> str:
    return percent(value) if value > 0.01 else "< 0.1%" if value < 0.001 else f"{value:.1%}"


def _table(shown: Live, is_open: bool) -> str:
    """Markdown: a row for each family, a column for each task, the level of blind guessing last."""
    heads = [TITLES[c].removeprefix("translate, ") for c in COLUMNS]  # five columns have to fit on a phone
    lines = ["| family | " + " | ".join(heads) + " |", "|:--" * (1 + len(COLUMNS)) + "|"]
    for family in FAMILIES:
        cells = [
            "?" if column == "longer" and not is_open else f"**{percent(_share(shown, family, column))}**"
            for column in COLUMNS
        ]
        lines.append(f"| {NAMES[family]} | " + " | ".join(cells) + " |")
    blind = chances(shown.seed)
    lines.append("| *blind guessing* | " + " | ".join(f"*{_chance(float(one))}*" for one in blind) + " |")
    return "\n".join(lines)


def _verdict(shown: Live, answer: str) -> None:
    sizes = {
        family: sum(w.size for name, w in shown.record.items() if name.startswith(f"model.{family}."))
        for family in FAMILIES
    }
    counts = ", ".join(f"{NAMES[family]} {n:,}" for family, n in sizes.items())
    text = (
        f"Answers with every word right after step {_looked(shown)}, on {N_HELD} walks per column, none of them "
        f"trained on. In “longer”, the translation has more words than the walk. Parameters: {counts}."
    )
    if answer != NOT_YET:
        text += (
            f"{told(answer, GUESSES, 'the encoder')} The encoder's head for translation predicts one word **for each "
            "word of the walk**, and a longer translation has no room for its last words. That's a limit of this head, "
            "not of encoders: with enough empty masks at the end, as for “continue”, it could fill one after another, "
            "at the price of a whole pass for each word."
        )
    st.markdown(text)


def _curves(shown: Live, column: str, hidden: list[str]) -> dict[str, Any]:
    at = COLUMNS.index(column)
    curves = {
        NAMES[family]: (shown.record["step"], shown.record["curve.exact"][:, i, at])
        for i, family in enumerate(FAMILIES)
    }
    blind = float(chances(shown.seed)[at])
    lines = [Reference(blind, "blind guessing")] if blind > 0.01 else []
    return race(
        curves, lines, y_title="answers right as a whole", n_step=shown.n_step, mode=layout.color_mode(),
        y_limits=(0, 1.05), hidden=hidden, height=300,
    )  # fmt: skip


def _in_words(shown: Live, column: str, is_hidden: bool) -> str:
    if is_hidden:
        return "Hidden until the guess is made."
    now = ", ".join(f"{NAMES[family]}: {percent(_share(shown, family, column))}" for family in FAMILIES)
    return f"Share of right answers by training step, task: {TITLES[column]}. After step {_looked(shown)}: {now}."


def _own(shown: Live, is_open: bool) -> dict[str, Any]:
    """The three models on a walk of the learner's own, each question beside its true answer.

    Args:
        is_open: whether longer translations may be shown: they give the guess away.
    """
    st.markdown("**Ask all three about one walk**")
    walk = ask_walk("same_walk")
    if walk is None:
        return {}
    answers = said_by(trained(shown), walk.things)
    lines = ["| | " + " | ".join(ASKED.values()) + " |", "|:--" * (1 + len(ASKED)) + "|"]
    found = {}
    for family in FAMILIES:
        cells = []
        for task in walks.TASKS:
            said, truth = answers[family, task], walk.answer(task)
            known = task != "classify" or walk.is_clear
            mark = ("✓ " if said == truth else "✗ ") if known else ""
            is_hidden = task == "translate" and walk.is_longer and not is_open
            cells.append("?" if is_hidden else f"{mark}{' '.join(said) or '(nothing)'}".replace("<", "\\<"))
            if not is_hidden:
                found[f"said.{family}.{task}"] = np.array(walks.encode(said))
        lines.append(f"| {NAMES[family]} | " + " | ".join(cells) + " |")
    truths = [" ".join(walk.answer(task)) for task in walks.TASKS]
    truths[0] = truths[0] if walk.is_clear else "half and half"
    lines.append("| *truth* | " + " | ".join(f"*{one}*" for one in truths) + " |")
    st.markdown("\n".join(lines))
    if walk.is_longer and not is_open:
        st.caption("This translation is longer than the walk: it appears once you've made your guess above.")
    return found
