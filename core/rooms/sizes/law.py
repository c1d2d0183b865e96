"""A small scaling law: six widths for equal time, a prediction for the next one, and then the next one itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from core.inspect.costs import model_cost
from core.rooms.sizes.compute.power_law import Law, Prediction, fit
from core.rooms.sizes.experiments import scaling as task
from core.rooms.sizes.power_law_chart import DrawnLaw, power_law
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told
from core.ui.frame.layout import color_mode
from core.ui.numbers import short
from core.ui.training import live

NAME = "scaling"
LAWS = {1: "straight line", 2: "parabola"}
GUESSES = {"line": "on the straight line", "bend": "on the parabola", "above": "above both"}
UNIT = "nats per character"
WHILE_IT_RUNS = 1.5, 5.0  # from what the best reach to the untrained loss, ln 104 = 4.64 and a little above


@exhibit(
    title="A small scaling law",
    look_for="whether the dots lie on a straight line, which on these axes is a power law. Every model learns for the "
    "same time, so the larger ones take fewer steps.",
    try_this=[
        (
            "Guess where the seventh model will land, then look.",
            "In the example it lands near the parabola, above the straight line: a larger model learns from fewer "
            "characters in the same time, and that begins to cost more than its size brings.",
        ),
        (
            "Train your own with another seed.",
            "Six dots are few, so the intervals are wide and differ from seed to seed. With seeds 0, 1 and 2 the "
            "straight line predicts too little each time, twice by more than its interval. The parabola is closer each "
            "time, and its interval holds.",
        ),
        (
            "Read the table: steps, multiply-adds, seconds.",
            "The seconds are nearly equal, the work isn't. Models this small mostly wait for operations to start; in "
            "the same time, width 48 does over seven times the multiply-adds of width 8.",
        ),
    ],
    code=(task.Scaling, task.n_training_step, fit, Law, model_cost.training),
)
def law() -> Shown | None:
    """A guess, the race, two laws, their predictions, and what came."""
    answer = guess("law_guess", f"Where will the next model, of width {task.NEXT}, land?", GUESSES)
    seed = controls.seed(name="law_seed")
    about = f"{len(task.WIDTHS)} models side by side, then the next: about twelve seconds on one core."
    shown = live.train(NAME, {}, seed, label="Train all", about=about)
    if shown is None:
        return None
    outcome = Outcome.of(shown)
    spec = _chart(outcome, hidden=answer == NOT_YET)
    st.vega_lite_chart(spec, alt=_in_words(outcome, answer), key="law-chart")
    st.markdown(_verdict(outcome, answer, shown.is_running))
    hidden = answer == NOT_YET
    rows = _table(shown, hidden=hidden)
    st.markdown(_drawn(rows))
    return Shown(
        numbers=rows,
        arrays=lambda: {
            name: values for name, values in shown.record.items() if not hidden or name != f"curve.{task.NEXT}"
        },
        figure=spec,
        formula=_formula(outcome),
        script=lambda: _script(shown, hidden=hidden),
    )


@dataclass(frozen=True)
class Outcome:
    """What the record says.

    Args:
        widths, sizes, losses: (7,) of the six and the next one.
        laws: degree -> the law through the six; none before they are done.
        is_told: whether the next one has been trained to its end.
    """

    widths: tuple[int, ...]
    sizes: tuple[int, ...]
    losses: tuple[float, ...]
    laws: dict[int, Law]
    is_told: bool

    @classmethod
    def of(cls, shown: Live) -> "Outcome":
        record = shown.record
        widths = tuple(int(w) for w in record["widths"])
        sizes = tuple(int(n) for n in record["parameters"])
        losses = tuple(float(record[f"curve.{w}"][-1]) for w in widths)
        done = record["steps"] >= record["goals"]
        laws = {degree: fit(sizes[:-1], losses[:-1], degree) for degree in LAWS} if done[:-1].all() else {}
        return cls(widths, sizes, losses, laws, bool(done[-1]))

    def predicted(self, degree: int) -> Prediction:
        """What a law says of the next one."""
        return self.laws[degree].predict(self.sizes[-1])

    @property
    def landed(self) -> str:
        """Which of `GUESSES` came true; the straight line only where the parabola is not nearer."""
        line, bend = self.predicted(1), self.predicted(2)
        if bend.holds(self.losses[-1]) and abs(bend.value - self.losses[-1]) <= abs(line.value - self.losses[-1]):
            return "bend"
        if line.holds(self.losses[-1]):
            return "line"
        return "above" if self.losses[-1] > max(line.high, bend.high) else ""


def _chart(outcome: Outcome, hidden: bool) -> dict[str, Any]:
    limits = outcome.sizes[0] / 1.3, outcome.sizes[-1] * 1.5
    grid = np.geomspace(limits[0], limits[1], 50)
    drawn = []
    for degree, found in outcome.laws.items():
        one = found.predict(outcome.sizes[-1])
        points = [(float(size), found.loss(float(size))) for size in grid]
        drawn.append(DrawnLaw(LAWS[degree], points, outcome.sizes[-1], one.value, one.low, one.high))
    dots = [
        (float(n), loss, str(w))
        for w, n, loss in zip(outcome.widths[:-1], outcome.sizes[:-1], outcome.losses[:-1], strict=True)
    ]
    landed = (float(outcome.sizes[-1]), outcome.losses[-1], str(outcome.widths[-1]))
    return power_law(
        dots,
        drawn,
        landed if outcome.is_told and not hidden else None,
        limits=limits,
        y_limits=None if outcome.laws else WHILE_IT_RUNS,
        y_title=depth.measured("loss", UNIT),
        dots_title="number at a dot: width of the model",
        mode=color_mode(),
    )


def _in_words(outcome: Outcome, answer: str) -> str:
    dots = ", ".join(f"width {w} {loss:.2f}" for w, loss in zip(outcome.widths[:-1], outcome.losses[:-1], strict=True))
    words = f"Loss by parameters, both axes logarithmic: {dots}."
    if outcome.laws:
        says = [f"{LAWS[degree]} {outcome.predicted(degree).value:.2f}" for degree in LAWS]
        words += f" Predicted for width {outcome.widths[-1]}: {', '.join(says)}."
    if outcome.is_told and answer != NOT_YET:
        words += f" Measured: {outcome.losses[-1]:.2f}."
    return words


def _verdict(outcome: Outcome, answer: str, is_running: bool) -> str:
    """The predictions, and when it may be seen what came."""
    if not outcome.laws:
        if is_running:
            return f"The {len(task.WIDTHS)} models are learning. When they're done, two laws are drawn through them."
        return f"The {len(task.WIDTHS)} models were stopped before they were done, so no law is drawn through them."
    line, bend = outcome.predicted(1), outcome.predicted(2)
    says = (
        f"Two laws through {len(task.WIDTHS)} dots, and what they predict for width {task.NEXT} "
        f"({outcome.sizes[-1]:,} parameters): the straight line **{line.value:.2f}**, between {line.low:.2f} and "
        f"{line.high:.2f}; the parabola **{bend.value:.2f}**, between {bend.low:.2f} and {bend.high:.2f}. If the law "
        "goes on and scatters as before, 95% of outcomes fall into its interval."
    )
    if not outcome.is_told:
        return f"{says} Width {task.NEXT} {'is learning now' if is_running else 'was stopped before it was done'}."
    if answer == NOT_YET:
        return f"{says} It has been trained; the result appears once you've made your guess above."
    came = outcome.losses[-1]
    which = [name for name, one in (("the straight line", line), ("the parabola", bend)) if one.holds(came)]
    held = " and of ".join(which)
    inside = f"within the interval of {held}" if which else "outside both intervals"
    nearer = "the parabola" if abs(bend.value - came) < abs(line.value - came) else "the straight line"
    return (
        f"{says} The answer: **{came:.2f}**, {inside}; {nearer} was closer."
        f"{told(answer, GUESSES, GUESSES.get(outcome.landed, inside))}{_best(outcome)}"
    )


def _best(outcome: Outcome) -> str:
    lowest = outcome.laws[2].lowest
    if lowest is None:
        return ""
    if lowest > outcome.sizes[-1]:
        return f" The parabola is lowest at {short(lowest)} parameters, beyond all that were trained here."
    return f" The parabola is lowest at {short(lowest)} parameters: for this much time, that's the size to choose."


def _table(shown: Live, *, hidden: bool) -> dict[str, list[Any]]:
    """Width by width: how large, how long, how good."""
    vocab_size = task.text().tokenizer.vocab_size
    widths = shown.record["widths"].tolist()
    products = [model_cost.training(task.config(w, vocab_size), task.CONTEXT).total * task.BATCH for w in widths]
    return task.table(shown.record, products, with_last=not hidden)


def _script(shown: Live, *, hidden: bool) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.costs import model_cost
        from core.train.experiment import record_of
        from core.rooms.sizes.experiments import scaling

        # Seven models of equal time: some twelve seconds, unless it is the record that ships. All but the seconds
        # comes out the same each time.
        record = $record

        # Multiply-adds of one training step of each width.
        n_vocab, n_text = scaling.text().tokenizer.vocab_size, scaling.BATCH
        configs = [scaling.config(width, n_vocab) for width in record["widths"].tolist()]
        products = [n_text * model_cost.training(config, scaling.CONTEXT).total for config in configs]
        print_table(scaling.table(record, products$last))
        """,
        record=scripts.record(NAME, shown),
        last=scripts.Code(", with_last=False" if hidden else ""),
    )


def _drawn(rows: dict[str, list[Any]]) -> str:
    """The same as a table that fits a phone: Streamlit's own is cut off there, and takes longer than a blink."""
    head = ["width", "weights", "loss", "steps", "multiply-adds", "seconds"]
    lines = [f"| {' | '.join(head)} |", "|--:|--:|--:|--:|--:|--:|"]
    for width, n, loss, steps, work_done, seconds in zip(*rows.values(), strict=True):
        lines.append(
            f"| {width} | {n:,} | {'?' if loss is None else f'{loss:.3f}'} | {steps} | {short(work_done)} | "
            f"{seconds:.2f} |"
        )
    return "\n".join(lines)


def _formula(outcome: Outcome) -> str | None:
    if not outcome.laws:
        return None
    (c0, c1), (b0, b1, b2) = outcome.laws[1].coefficients, outcome.laws[2].coefficients
    return (
        rf"\begin{{gathered}} L_\text{{line}} = {np.exp(c0):.2f} \cdot N^{{{c1:.3f}}} \\ "
        rf"L_\text{{parabola}} = e^{{{b0:.2f} {b1:+.3f}\,x {b2:+.4f}\,x^2}},\ x = \ln N \end{{gathered}}"
    )
