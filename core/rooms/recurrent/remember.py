"""Remember the first token: four kinds of net, trained live, by how far away the first token is."""

from typing import Any

import numpy as np
import streamlit as st
import torch

from core.charts.curves import Reference
from core.charts.race import race
from core.rooms.recurrent.experiments import remember as task
from core.train import experiment
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told, without
from core.ui.frame.layout import color_mode
from core.ui.training import live

NAME = "remember"
LETTERS = "ABCDEFGH?"
CHANCE = 1 / task.N_LETTER
HEIGHT = 340
KNOWS, BLIND = 0.95, 0.25  # from this share of right answers on a net is said to know; below this, to guess
GUESSES = {
    "gates": "both nets with gates",
    "gru": "the GRU alone",
    "lstm": "the LSTM alone",
    "none": "no recurrent net",
}
GATED = ("lstm", "gru")  # of which is guessed
ASKED = {"end": "At the end", "always": "After each letter"}


@exhibit(
    title="Remember the first token",
    look_for="where each line leaves the top. A letter, then more letters, then a question mark: what was the first? "
    "Chance is 1 in 8. Each point is a net trained for that distance only.",
    try_this=[
        (
            "Make your guess, then train with seeds 1 and 2.",
            "Attention answers at every distance, every time. The GRU knows it up to 20; at 40 it's luck. The LSTM "
            "fails at 20 each time. In between, results differ from seed to seed.",
        ),
        (
            "Ask after each letter, and train.",
            "Now the LSTM and the GRU know the first letter at every distance, and even the plain net does up to 20. "
            "They could have kept it all along; asked only at the end, they didn't find out how.",
        ),
        (
            "Ask at the end again, set the bias of the forget gate to 3, and train.",
            "The LSTM now also answers at 20. All that changed is the number its forget gates start with.",
        ),
    ],
    code=(task.draw, task.fresh, task.SequenceTrainer, task.Remember.advance, task.accuracy),
)
def remember() -> Shown | None:
    """A guess, the race, accuracy by distance and over the steps, and one sequence to look at."""
    answer = guess(
        "remember_guess", "Before you look: which recurrent nets still know the first of 21 letters?", GUESSES
    )
    options, seed = _ask()
    shown = live.train(
        NAME,
        options,
        seed,
        label="Train all",
        about="Sixteen nets, 15 to 20 seconds on one free core; half that for up to 20 letters.",
    )
    if shown is None:
        return None
    distances = [int(one) for one in shown.record["distances"]]
    hidden = list(GATED) if answer == NOT_YET else []
    spec = _by_distance(shown, distances, hidden)
    left, right = layout.pair("remember")
    with left:
        st.markdown("**By distance, now**")
        st.vega_lite_chart(spec, alt=_in_words(shown, distances, hidden), key="remember-distances")
    with right:
        distance = controls.segmented(
            "remember_distance", "Over the training, at distance", distances, distances[min(2, len(distances) - 1)]
        )
        if answer == NOT_YET:
            st.caption("These curves, and the nets with gates, appear once you've made your guess above.")
        else:
            st.vega_lite_chart(_by_step(shown, distance), alt=f"Share right by step at {distance}.", key="remember-run")
    if answer == NOT_YET:
        return _given(shown, spec, hidden)
    st.markdown(_verdict(shown, distances, answer))
    _one_sequence(shown, distance)
    return _given(shown, spec, hidden)


def _given(shown: Live, spec: dict[str, Any], hidden: list[str]) -> Shown:
    models = [task.model_name(variant, int(one)) for variant in hidden for one in shown.record["distances"]]
    return Shown(
        numbers=lambda: task.table(shown.record, hidden),
        arrays=lambda: without(shown.record, models),
        figure=spec,
        script=lambda: scripts.script(
            """
            from core.data.csv_table import print_table
            from core.train.experiment import record_of
            from core.rooms.recurrent.experiments import remember

            # Four kinds of net, one of each for every distance. With the settings that ship the record that ships is
            # read; with others they are trained now, which takes some twenty seconds.
            record = $record
            print_table(remember.table(record$hidden))
            """,
            hidden=scripts.Code(f", hidden={hidden}" if hidden else ""),
            record=scripts.record(NAME, shown),
        ),
    )


def _ask() -> tuple[dict[str, Any], int]:
    first, second = st.columns(2, gap="medium")
    third, fourth = st.columns(2, gap="medium")
    with first:
        asked = controls.segmented(
            "remember_asked",
            "The loss asks for it",
            list(ASKED),
            "end",
            labels=ASKED,
            help="Where the loss counts. Accuracy is always measured at the question mark.",
        )
    with second:
        bias = controls.segmented(
            "remember_bias",
            "Bias of the LSTM's forget gate",
            list(task.FORGET_BIASES),
            0,
            help="Added at the start; 0 is usual.",
        )
    with third:
        furthest = controls.segmented(
            "remember_furthest",
            "Letters after the first, at most",
            list(task.DISTANCES),
            40,
            help="Half of the time goes into the furthest.",
        )
    with fourth:
        seed = controls.seed(name="remember_seed")
    return {"furthest": furthest, "forget_bias": bias, "asked": asked}, seed


def _final(shown: Live, variant: str, distance: int) -> float:
    return float(shown.record[f"curve.{task.model_name(variant, distance)}.accuracy"][-1])


def _by_distance(shown: Live, distances: list[int], hidden: list[str]) -> dict[str, Any]:
    return race(
        {task.NAMES[v]: (distances, [_final(shown, v, d) for d in distances]) for v in task.VARIANTS},
        [Reference(CHANCE, "chance")],
        x_title="letters after the first one",
        y_title="share of right answers",
        n_step=distances[-1],
        mode=color_mode(),
        y_limits=(0, 1.04),
        hidden=[task.NAMES[variant] for variant in hidden],
        height=HEIGHT,
    )


def _by_step(shown: Live, distance: int) -> dict[str, Any]:
    steps = shown.record["step"]
    return race(
        {task.NAMES[v]: (steps, shown.record[f"curve.{task.model_name(v, distance)}.accuracy"]) for v in task.VARIANTS},
        [Reference(CHANCE, "chance")],
        y_title="share of right answers",
        n_step=shown.n_step,
        mode=color_mode(),
        y_limits=(0, 1.04),
        height=HEIGHT,
    )


def _in_words(shown: Live, distances: list[int], hidden: list[str]) -> str:
    now = "; ".join(
        f"{task.NAMES[v]} {', '.join(f'{_final(shown, v, d):.2f}' for d in distances)}"
        for v in task.VARIANTS
        if v not in hidden
    )
    return f"Share of right answers at the distances {', '.join(map(str, distances))}: {now}."


def outcome(shown: Live) -> str | None:
    """Which guess came true, once 20 letters stand between; None where that was not trained."""
    if 20 not in shown.record["distances"]:
        return None
    knows = {v: _final(shown, v, 20) >= KNOWS for v in task.VARIANTS}
    if knows["gru"] and knows["lstm"]:
        return "gates"
    return "gru" if knows["gru"] else "lstm" if knows["lstm"] else "none"


def _verdict(shown: Live, distances: list[int], answer: str) -> str:
    """How far each kind gets, told from the numbers."""
    came = outcome(shown) if shown.is_done else None
    beside = told(answer, GUESSES, GUESSES[came]) if came else ""
    lines_told = []
    for variant, name in task.NAMES.items():
        shares = {d: _final(shown, variant, d) for d in distances}
        knows = [d for d, share in shares.items() if share >= KNOWS]
        blind = [d for d, share in shares.items() if share < BLIND]
        between = [f"{d} ({share:.0%})" for d, share in shares.items() if BLIND <= share < KNOWS]
        parts = [
            f"knows it at {_list(knows)}" if knows else "",
            f"in between at {', '.join(between)}" if between else "",
            f"hardly better than a guess at {_list(blind)}" if blind else "",
        ]
        lines_told.append(f"- **{name}**: {'; '.join(part for part in parts if part)}.")
    asked = "after each letter" if shown.options.get("asked") == "always" else "only at the end"
    head = f"After step {shown.step:,}, asked {asked}, by number of letters after the first:\n"
    return head + "\n".join(lines_told) + (f"\n\n{beside.strip()}" if beside else "")


def _list(distances: list[int]) -> str:
    return ", ".join(map(str, distances))


def _one_sequence(shown: Live, distance: int) -> None:
    """What the four answer to one sequence that was not trained on, asked after each of its letters."""
    n = int(controls.slider("remember_text", "Sequence", 0, task.N_HELD - 1, 0, step=1))
    ids, answers = task.held_out(distance, shown.seed)
    text = "".join(LETTERS[i] for i in ids[n].tolist())
    rows = ["| net | answer | its probability |", "|---|---|--:|"]
    for variant, name in task.NAMES.items():
        model = experiment.rebuild(shown.record, task.model_name(variant, distance), task.config(variant, distance))
        with torch.no_grad():
            shares = model(ids[n : n + 1])[0, -1].softmax(-1).numpy()
        said = int(np.argmax(shares))
        sign = "right" if said == int(answers[n]) else "wrong"
        rows.append(f"| {name} | {LETTERS[said].replace('?', 'the question mark')}, {sign} | {shares[said]:.0%} |")
    st.markdown(f"`{text}`  \nThe first letter was **{LETTERS[int(answers[n])]}**.\n\n" + "\n".join(rows))
