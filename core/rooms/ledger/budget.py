"""When does the n-gram win? Counting against learning, by amount of text and by budget of training."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.charts.curves import Reference
from core.charts.race import race
from core.models.ngram import NGram
from core.rooms.ledger.experiments import budget as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told, without
from core.ui.training import live

NAMES = {"real": "budget", "stories": "budget-stories"}
TEXTS = {"real": "Python's documentation", "stories": "little stories"}
GUESSES = {"never": "at no amount", "all": "only with all of the text", "every": "at every amount"}
AMOUNTS = task.AMOUNTS
SHARES = {"each": "each", "10k": "10,000", "100k": "100,000", "all": "all"}
NETS = task.NETS
AXES = {"characters": "characters", "seconds": "seconds"}
LIMITS = {"real": (1.5, 4.5), "stories": (0.0, 3.5)}  # bits; the first steps are above it
STEPS = (250, 1_000, 3_000)


def pace() -> float | None:
    """How often the exhibit looks again: while one of its two trainings goes on."""
    paces = [live.pace(name) for name in NAMES.values()]
    return next((seconds for seconds in paces if seconds is not None), None)


@exhibit(
    title="When does the n-gram win?",
    look_for="whether a curve falls below the lowest horizontal line. The lines are counting, done in a blink; the "
    "curves, shown once you've guessed, are nets that learn. Lower is better: fewer **bits**, or yes-or-no questions, "
    "per character of new text.",
    try_this=[
        (
            "Look at Python's documentation with 10,000 characters.",
            "The GPT's curve turns and rises: it learns this little text by heart. Longer training makes that worse, "
            "not better.",
        ),
        (
            "Change to the little stories.",
            "Names, colors and places stay the same over many sentences, and the five characters a 6-gram looks back "
            "at can't hold them. The GPT passes the best n-gram at every amount, the GRU at none in these steps.",
        ),
        (
            "Train on all of the documentation for 3,000 steps (about a minute).",
            "Does a net pass the best n-gram here too? If so, compare the seconds: counting took a fraction of one.",
        ),
    ],
    code=(task.Budget, task.ngram_bits, NGram.log_probs),
)
def when_ngram_wins() -> Shown | None:
    """A guess, the race for each amount of text, and who is ahead where."""
    left, right = st.columns([3, 2], gap="medium")
    with left:
        text = controls.segmented("budget_text", "Text", list(TEXTS), "real", labels=TEXTS)
    with right:
        seed = controls.seed(name="budget_seed")
    answer = guess(
        f"budget_guess_{text}",
        f"Before you look: on {TEXTS[text]}, after 250 steps, where does a net beat the best n-gram?",
        GUESSES,
    )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        shares = controls.segmented("budget_shares", "Characters to learn from", list(SHARES), "each", labels=SHARES)
    with right:
        allowed = [n for n in STEPS if n <= task.Options(shares=shares).most_in_browser["n_step"]]
        n_step = controls.segmented(
            "budget_steps" if shares == "each" else "budget_steps_one",
            "Training steps",
            allowed,
            allowed[0],
            labels={n: f"{n:,}" for n in allowed},
        )
    seconds = n_step * (6 if shares == "each" else 2) * 0.012
    shown = live.train(
        NAMES[text],
        {"shares": shares, "n_step": n_step},
        seed,
        label="Train the nets",
        about=f"Roughly {seconds:.0f} seconds on one free core.",
    )
    if shown is None:
        return None
    amounts = [name for name in AMOUNTS if f"ngram.{name}" in shown.record]
    hidden = list(NETS) if answer == NOT_YET else []
    axis = controls.segmented("budget_axis", "Horizontal axis", list(AXES), "characters", labels=AXES)
    specs = {name: _chart(shown, name, text, axis, hidden) for name in amounts}
    with st.container(key="pair-budget"):  # as `layout.pair`, with a place for each amount and one for the words
        for name, spec in specs.items():
            with st.container():
                st.markdown(f"**Learned from {AMOUNTS[name]}**")
                st.vega_lite_chart(spec, alt=_in_words(shown, name, hidden), key=f"budget-{name}")
        with st.container():
            if hidden:
                st.caption("The nets' curves appear once you've made your guess above.")
            else:
                st.markdown(_verdict(shown, amounts, answer))
    st.caption(
        "All are judged on the same 4,096 held-out characters (text kept out of training), each with at least 32 "
        "before it. Seconds are those of one core, measured where this training ran."
    )
    depth.note(
        f"One step is {task.SIZES.batch_size} windows of {task.SIZES.context_length} characters. Horizontal lines: "
        "interpolated n-grams, the best of those from 2 to 6 among them."
    )
    return Shown(
        numbers=lambda: task.table(shown.record, hidden),
        arrays=lambda: without(shown.record, hidden),
        figure=specs[amounts[-1]],
        script=lambda: _script(NAMES[text], shown, hidden),
    )


def _script(name: str, shown: Live, hidden: list[str]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.ledger.experiments import budget

        # Counting against learning. With the settings that ship the record that ships is read; with others the nets
        # are trained now, which takes a while, and the seconds are those of the machine that did it.
        record = $record
        print_table(budget.table(record$hidden))
        """,
        hidden=scripts.Code(f", hidden={hidden}" if hidden else ""),
        record=scripts.record(name, shown),
    )


def best(shown: Live, name: str) -> tuple[int, float]:
    """Order and bits per character of the best n-gram for an amount of text."""
    bits = shown.record[f"ngram.{name}"]
    return task.ORDERS[int(bits.argmin())], float(bits.min())


def crossing(shown: Live, name: str, net: str) -> int | None:
    """The first measured step at which the net is better than the best n-gram, if there is one."""
    below = shown.record[f"curve.{name}.{net}"] < best(shown, name)[1]
    return int(shown.record["step"][below.argmax()]) if below.any() else None


def _chart(shown: Live, name: str, text: str, axis: str, hidden: list[str]) -> dict[str, Any]:
    bits = dict(zip(task.ORDERS, shown.record[f"ngram.{name}"], strict=True))
    order, _ = best(shown, name)
    names = {2: "2-gram", 3: "3-gram", order: f"{order}-gram, the best"}  # the others lie too close to the best
    lines = [Reference(float(bits[n]), name) for n, name in names.items()]
    places, end = _places(shown, axis)
    curves = {label: (places[f"{name}.{net}"], shown.record[f"curve.{name}.{net}"]) for net, label in NETS.items()}
    return race(
        curves,
        lines,
        x_title={"characters": "characters read in training", "seconds": "seconds of computing"}[axis],
        x_format={"characters": "~s", "seconds": "~g"}[axis],
        y_title="bits per character",
        n_step=end,
        mode=layout.color_mode(),
        y_limits=LIMITS[text],
        hidden=[NETS[net] for net in hidden],
        height=340,
    )


def _places(shown: Live, axis: str) -> tuple[dict[str, NDArray[Any]], float]:
    """Where along the bottom each curve was measured ("<amount>.<net>"), and where the longest one will end."""
    step = shown.record["step"].astype(np.int64)
    names = [name.removeprefix("curve.") for name in shown.record if name.startswith("curve.")]
    if axis == "characters":
        return dict.fromkeys(names, step * task.CHARACTERS_PER_STEP), shown.n_step * task.CHARACTERS_PER_STEP
    found = {name: shown.record[f"seconds.{name}"] for name in names}
    return found, max(seconds[-1] for seconds in found.values()) * shown.n_step / max(step[-1], 1)


def _in_words(shown: Live, name: str, hidden: list[str]) -> str:
    order, bits = best(shown, name)
    counted = f"{AMOUNTS[name]}: the {order}-gram needs {bits:.2f} bits per character"
    if hidden:
        return f"{counted}."
    now = ", ".join(f"{label} {_now(shown, name, net):.2f}" for net, label in NETS.items())
    return f"{counted}; after step {shown.step}: {now}."


def _now(shown: Live, name: str, net: str) -> float:
    return float(shown.record[f"curve.{name}.{net}"][-1])


def _verdict(shown: Live, amounts: list[str], answer: str) -> str:
    """Who is ahead at each amount, and the guess beside it."""
    lines, n_won = [], 0
    for name in amounts:
        order, bits = best(shown, name)
        crossed = {net: crossing(shown, name, net) for net in NETS}
        n_won += any(at is not None for at in crossed.values())
        said = "; ".join(
            f"the {NETS[net]} "
            + (f"passes it by step {at:,}" if at is not None else "does not pass it")
            + f" (now {_now(shown, name, net):.2f}, after {shown.record[f'seconds.{name}.{net}'][-1]:.1f} s)"
            for net, at in crossed.items()
        )
        lines.append(
            f"- **{AMOUNTS[name]}**: the {order}-gram needs {bits:.2f} bits per character, and counting all five takes "
            f"{float(shown.record[f'seconds.{name}.ngram']):.2f} s; {said}."
        )
    came = (
        "at no amount" if not n_won else "at every amount" if n_won == len(amounts) else f"at {n_won} of {len(amounts)}"
    )
    return "\n".join(lines) + f"\n\nA net beats the best n-gram {came} shown here.{told(answer, GUESSES, came)}"
