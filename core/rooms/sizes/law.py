"""A small scaling law: six widths with equal time, a prediction for the next one, and then its training.

Two laws are fitted on logarithmic axes: a straight line, loss = a · size^-b, which holds if only the size limits a
model; and a parabola, which has a minimum: with the same time for all, small models lack capacity and large ones
lack steps.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts import marks
from core.charts.plot import ChartLayer, columns_from_rows
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.inspect.costs import model_cost
from core.rooms.sizes.experiments import scaling as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class LossPrediction:
    """A predicted loss with its 95 % prediction interval."""

    value: float
    low: float
    high: float

    def holds(self, measured: float) -> bool:
        return self.low <= measured <= self.high


@dataclass(frozen=True)
class ScalingLaw:
    """ln loss as a polynomial of ln size."""

    coefficients: tuple[float, ...]  # lowest power first: (c0, c1) of a straight line, (c0, c1, c2) of a parabola
    spread: float  # standard deviation of the residuals of ln loss: 0.01 is one percent of the loss
    inverse: NDArray[np.float64]  # (K, K) of the normal equations, for the interval
    n_free: int  # number of points minus number of coefficients

    def loss(self, size: float) -> float:
        return math.exp(float(_powers(size, len(self.coefficients)) @ np.array(self.coefficients)))

    def predict(self, size: float) -> LossPrediction:
        """Predict the loss of a new model of this size, assuming the same law and the same scatter.

        The interval widens with the distance from the points, because an error in the slope grows with distance.
        """
        from scipy import stats  # type: ignore[import-untyped]  # here, because the import takes half a second

        x = _powers(size, len(self.coefficients))
        t = float(stats.t.ppf(0.975, self.n_free))  # this many standard errors on either side contain 95 %
        width = t * self.spread * math.sqrt(1 + float(x @ self.inverse @ x))
        middle = self.loss(size)
        return LossPrediction(middle, middle * math.exp(-width), middle * math.exp(width))

    @property
    def lowest(self) -> float | None:
        """The size at which a parabola is lowest; None if there is none."""
        if len(self.coefficients) < 3 or self.coefficients[2] <= 0:
            return None
        return math.exp(-self.coefficients[1] / (2 * self.coefficients[2]))


def fit_law(sizes: Sequence[float] | NDArray, losses: Sequence[float] | NDArray, degree: int) -> ScalingLaw:
    """Fit a curve by least squares on logarithmic axes: loss = a · size^-b (degree 1), or a parabola (degree 2).

    Raises ValueError: if there are fewer points than the degree plus two, which the spread needs.

    Source: the straight line: Kaplan et al. 2020 (2001.08361); the parabola at equal work: Hoffmann et al. 2022
    (2203.15556), section 3.2.
    """
    if len(sizes) < degree + 2:
        raise ValueError(f"{len(sizes)} points are too few for a curve of {degree + 1} numbers and its spread")
    x = np.stack([_powers(size, degree + 1) for size in sizes])
    y = np.log(np.asarray(losses, dtype=np.float64))
    coefficients = np.linalg.lstsq(x, y, rcond=None)[0]
    n_free = len(sizes) - degree - 1
    spread = math.sqrt(float(np.square(y - x @ coefficients).sum()) / n_free)
    inverse: NDArray[np.float64] = np.linalg.inv(x.T @ x).astype(np.float64)
    return ScalingLaw(tuple(float(c) for c in coefficients), spread, inverse, n_free)


def _powers(size: float, n: int) -> NDArray[np.float64]:
    """Return 1, ln size, (ln size)^2, ..."""
    return np.array([math.log(size) ** k for k in range(n)])


EXPERIMENT = "scaling"
LAWS = {"straight line": 1, "parabola": 2}
LAW_NAMES = {"straight line": LABELS["law.line"], "parabola": LABELS["law.bend"]}
LAW_STYLES = {"straight line": (1, 1), "parabola": (2, 0)}  # color and dash
_INSIDE = {  # the laws whose interval contains the loss -> the label that says so
    (): "inside.none",
    ("straight line",): "inside.line",
    ("parabola",): "inside.bend",
    ("straight line", "parabola"): "inside.both",
}
ROUND_SIZES = [m * 10**k for k in range(2, 9) for m in (1, 2, 5)]
RUNNING_RANGE = 1.5, 5.0  # from the best possible loss to just above the untrained one, ln 104 = 4.64
CODE = (task.Scaling, task.training_steps_of_width, fit_law, ScalingLaw, model_cost.training_step_cost)


class Inputs(Base, prefix="law_"):
    guess: str = guess_control(("line", "bend", "above"), label=LABELS("guess", next_width=task.NEXT_WIDTH))
    seed: int = seed()


class ScalingRace(Result):
    """Six models and the next one, in their current state of training."""

    record: Mapping[str, NDArray[np.generic]]  # of the experiment
    is_hidden: bool  # True hides the loss of the next one, until the guess
    is_over: bool  # the next one is fully trained
    widths: tuple[int, ...]  # (7,) of the six and the next one
    sizes: tuple[int, ...]  # (7,) parameters
    losses: tuple[float, ...]  # (7,) nats per character
    laws: Mapping[str, ScalingLaw]  # by name, fitted to the six; empty until they are done
    lowest: float | None  # size at which the parabola is lowest
    predicted: dict[str, LossPrediction]  # law -> the next one's loss
    nearer: str  # the law whose prediction is closer; "" until there are predictions
    inside: str  # the prediction intervals that contain the next one's loss, as text
    landed: tuple[int, float, str] | None  # size, loss and width of the next one, once it may be shown
    outcome: GuessOutcome | None

    @property
    def formula(self) -> str | None:
        if not self.laws:
            return None
        (c0, c1), (b0, b1, b2) = (law.coefficients for law in self.laws.values())
        line, parabola = LABELS["formula.line"], LABELS["formula.parabola"]
        return (
            rf"\begin{{gathered}} L_\text{{{line}}} = {np.exp(c0):.2f} \cdot N^{{{c1:.3f}}} \\ "
            rf"L_\text{{{parabola}}} = e^{{{b0:.2f} {b1:+.3f}\,x {b2:+.4f}\,x^2}},\ x = \ln N \end{{gathered}}"
        )

    def table(self) -> Table:
        steps, vocab_size = self.record["steps"].tolist(), task.scaling_text().tokenizer.vocab_size
        products = [model_cost.training_step_cost(task.config(w, vocab_size), task.CONTEXT).total for w in self.widths]
        losses = [round(loss, 3) for loss in self.losses]
        return {
            LABELS["table.width"]: list(self.widths),
            LABELS["table.parameters"]: list(self.sizes),
            LABELS["table.loss_nats_per_character"]: [*losses[:-1], losses[-1] if self.is_over else None],
            LABELS["table.steps"]: steps,
            LABELS["table.multiply_adds"]: [n * task.BATCH * step for n, step in zip(products, steps, strict=True)],
            LABELS["table.seconds_one_core"]: [round(float(s), 2) for s in self.record["seconds.spent"]],
        }


def compute(inputs: Inputs, run: ExperimentRun) -> ScalingRace:
    """Collect the losses known so far, and fit two laws to the first six."""
    widths, sizes = run.record["widths"].tolist(), run.record["parameters"].tolist()
    losses = [float(run.record[f"curve.{width}"][-1]) for width in widths]
    *first, is_over = (run.record["steps"] >= run.record["goals"]).tolist()
    laws = {name: fit_law(sizes[:-1], losses[:-1], degree) for name, degree in LAWS.items()} if all(first) else {}
    predicted = {name: law.predict(sizes[-1]) for name, law in laws.items()}
    off = {name: abs(one.value - losses[-1]) for name, one in predicted.items()}
    holding = [name for name, one in predicted.items() if one.holds(losses[-1])]
    is_hidden = inputs.guess == NOT_YET
    nearer = min(off, key=lambda name: off[name], default="")
    inside = LABELS[_INSIDE[tuple(holding)]]
    answer = right_law_guess(predicted, losses[-1], holding, nearer) if is_over else ""
    return ScalingRace(
        record=run.record,
        is_hidden=is_hidden,
        is_over=is_over,
        widths=tuple(widths),
        sizes=tuple(sizes),
        losses=tuple(losses),
        laws=laws,
        lowest=laws["parabola"].lowest if laws else None,
        predicted=predicted,
        nearer=nearer,
        inside=inside,
        landed=(sizes[-1], losses[-1], str(widths[-1])) if is_over and not is_hidden else None,
        outcome=GuessOutcome(answer, "" if answer else inside) if is_over else None,
    )


def right_law_guess(predicted: Mapping[str, LossPrediction], loss: float, holding: Sequence[str], nearer: str) -> str:
    """Return the right guess; the straight line only if the parabola is not closer; "" if none is right.

    Args:
        holding: names of the laws whose interval contains the loss.
    """
    if "parabola" in holding and nearer == "parabola":
        return "bend"
    if "straight line" in holding:
        return "line"
    return "above" if loss > max(one.high for one in predicted.values()) else ""


def draw(result: ScalingRace, inputs: Inputs, run: ExperimentRun) -> None:
    *first, _ = zip(result.sizes, result.losses, map(str, result.widths), strict=True)
    loss = ui.Axis(ui.quantity_label(LABELS["loss"], LABELS["nats"]), format=".2~f", is_log=True)
    ui.plot(
        _layers(first, result.laws, result.sizes[-1], result.landed),
        x=ui.Axis([LABELS["parameters"], LABELS["parameters_note"]], format="~s", ticks=ROUND_SIZES, is_log=True),
        y=loss if result.laws else replace(loss, limits=RUNNING_RANGE),
        names={LAW_NAMES[name]: look for name, look in LAW_STYLES.items() if name in result.laws},
        height=320,
        alt=ui.section_text("alt"),
    )
    # Streamlit's own table is cut off on a phone, and draws slowly.
    ui.add_template_values(is_running=run.is_running, rows=list(zip(*result.table().values(), strict=True)))


def _layers(
    dots: Sequence[tuple[int, float, str]],
    laws: Mapping[str, ScalingLaw],
    next_size: int,
    landed: tuple[int, float, str] | None,
) -> list[ChartLayer]:
    """Return the chart layers: measured losses, the laws, their predictions, and the next model's loss."""
    sizes = np.geomspace(dots[0][0] / 1.3, next_size * 1.5, 50)
    curves = [(float(size), law.loss(float(size)), LAW_NAMES[name]) for name, law in laws.items() for size in sizes]
    # Two intervals at one size would cover each other, so each is shifted a little.
    expected = []
    for i, (key, law) in enumerate(laws.items()):
        name, one = LAW_NAMES[key], law.predict(next_size)
        what = LABELS("predicted_loss", name=name, value=one.value, low=one.low, high=one.high)
        expected.append((next_size * (0.97 + 0.06 * i), one.value, name, one.low, one.high, what))
    predicted = columns_from_rows(expected, "size", "loss", "law", "low", "high", "what")
    first, last = (columns_from_rows(some, "size", "loss", "name") for some in (dots, [landed] if landed else []))
    said = [("what", LABELS["predicted"], "")]
    tip = [
        ("name", LABELS["model"], ""),
        ("size", LABELS["parameters"], ",d"),
        ("loss", LABELS["loss"], ".3f"),
    ]
    return [
        marks.line_layer(columns_from_rows(curves, "size", "loss", "law"), "size", "loss", "law", strokeWidth=2.2),
        marks.vertical_interval_layer(predicted, "size", "low", "high", "law", strokeWidth=5, opacity=0.55, tip=said),
        marks.dot_layer(predicted, "size", "loss", "law", size=90, shape="square", tip=said),
        marks.dot_layer(first, "size", "loss", size=90, color=0, tip=tip),
        marks.text_layer(first, "name", "size", "loss", dy=-13, fontSize=11),
        marks.dot_layer(last, "size", "loss", size=260, shape="diamond", color="accent", tip=tip),
    ]
