"""Gradients with respect to the scores: exact under each way of reading, and estimated from sampled positions."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts import marks
from core.charts.plot import ChartLayer, columns_from_rows
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed, segmented_control, selection_in_picture, slider
from core.rooms.hard_attention.compute import score_gradients as look
from core.rooms.hard_attention.compute.score_gradients import GradientEstimate, ScoreGradients
from core.rooms.hard_attention.experiments import choosing as task
from core.rooms.hard_attention.experiments.choosing import VARIANT_NAMES
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "choosing"
N_DRAW = (2, 10, 100, 1_000, 10_000)
DRAW_COUNTS = tuple(4**k for k in range(1, 8))  # 4 to 16,384 draws
CARD_INDICES = tuple(map(str, range(max(task.N_CARD))))
QUESTION_PICTURE = "choosing.question"  # the picture in which the learner chooses a question
CODE = (
    look.score_gradients,
    look.single_draw_estimates,
    look.estimate_gradient,
    look.single_draw_error,
    look.measure_errors,
)


def _pressed(sent: object, _: object) -> str | None:
    row = str(sent.get("row")) if isinstance(sent, dict) else ""
    return row if row in CARD_INDICES else None


def _check(text: str, _: object) -> None:
    if text not in CARD_INDICES:
        raise ValueError(LABELS["no_such_card"])


ESTIMATE_NAME = LABELS["estimate"]
BASELINE_NAMES = {"no baseline": LABELS["without_baseline"], "baseline": LABELS["with_baseline"]}


class Inputs(Base, prefix="grad_"):
    variant: str = segmented_control(VARIANT_NAMES, "sampled", name="grad_model")
    moment: int = slider(0, len(task.MOMENT_FRACTIONS) - 1, 0)
    row: str = selection_in_picture(QUESTION_PICTURE, "0", text=_pressed, check=_check)
    n_draw: int = segmented_control({n: f"{n:,}" for n in N_DRAW}, 100, name="draws")
    baseline: str = segmented_control(("none", "mean"), "mean", name="baseline")
    seed: int = seed(name="draws_seed")


class GradientComparison(Result):
    """Exact and estimated gradients with respect to the scores of S cards."""

    step: int  # number of training steps
    cards: list[str]  # (S,) as "K4"
    letters: list[str]  # (S,) the letter that each row asks for
    every: tuple[ScoreGradients, ...]  # (S,) for each question
    row: int  # the chosen question
    exact: ScoreGradients  # of the chosen question
    letter: str  # the letter that it asks for
    lengths: dict[str, float]  # norms of the gradients of the mixture's ("soft") and of the expected loss ("expected")
    cosine: float  # between these two; nan if one is 0
    largest: float  # absolute value in arg-max's gradient
    estimate: GradientEstimate
    errors: Mapping[str, float]  # "baseline" or "no baseline" -> typical error of one draw
    off: float  # typical error of this estimate
    saving: float  # how many times more draws are needed without the baseline, for the same error
    measured: Mapping[str, list[float]]  # "baseline" or "no baseline" -> the error for each of `DRAW_COUNTS`
    n_repeat: int = look.N_REPEAT

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        names = ("weights", "losses", "soft", "expected", "argmax")
        return {name: np.stack([getattr(one, name) for one in self.every]) for name in names}

    def table(self) -> Table:
        return {
            LABELS["card"]: self.cards,
            LABELS["weight"]: self.exact.weights,
            LABELS["loss_if_read"]: self.exact.losses,
            LABELS["soft"]: self.exact.soft,
            LABELS["expected"]: self.exact.expected,
            LABELS["argmax"]: self.exact.argmax,
            LABELS["estimate"]: self.estimate.mean,
            LABELS["standard_error"]: self.estimate.error,
        }


def compute(inputs: Inputs, run: ExperimentRun) -> GradientComparison:
    """Compute the gradients for each question about the cards on the table, and an estimate for the chosen one."""
    moments, table = run.record["moment"], task.probe_table(run.seed, int(run.options["n_card"]))
    moment = min(inputs.moment, len(moments) - 1)  # a run in progress doesn't have all of them yet
    model = task.rebuild_at_moment(run.record, inputs.variant, moment)
    questions = zip(table.question.tolist(), table.answer.tolist(), strict=True)
    every = tuple(look.score_gradients(model, table.letters[0], table.digits[0], *one) for one in questions)
    row = int(inputs.row) if int(inputs.row) < len(every) else 0
    exact = every[row]
    weights, losses = exact.weights, exact.losses
    baselines = {"no baseline": 0.0, "baseline": exact.expected_loss}
    used = "baseline" if inputs.baseline == "mean" else "no baseline"
    errors = {name: look.single_draw_error(weights, losses, b) for name, b in baselines.items()}
    lengths = {"soft": float(np.linalg.norm(exact.soft)), "expected": float(np.linalg.norm(exact.expected))}
    product = lengths["soft"] * lengths["expected"]
    letters = [task.LETTERS[letter] for letter in table.question]
    return GradientComparison(
        step=int(moments[moment]),
        cards=task.card_names(table),
        letters=letters,
        every=every,
        row=row,
        exact=exact,
        letter=letters[row],
        lengths=lengths,
        cosine=float(exact.soft @ exact.expected) / product if product > 0 else float("nan"),
        largest=float(np.abs(exact.argmax).max()),
        estimate=look.estimate_gradient(weights, losses, inputs.n_draw, baselines[used], inputs.seed),
        errors=errors,
        off=errors[used] / inputs.n_draw**0.5,
        saving=(errors["no baseline"] / errors["baseline"]) ** 2 if errors["baseline"] > 0 else 0.0,
        measured={
            name: look.measure_errors(weights, losses, b, DRAW_COUNTS, inputs.seed).tolist()
            for name, b in baselines.items()
        },
    )


def draw(result: GradientComparison, inputs: Inputs, run: ExperimentRun) -> None:
    gradients, map_side = ui.two_columns("grad-pictures")
    with map_side:
        ui.matrix(
            np.stack([one.weights for one in result.every]),
            rows=[f"{letter}?" for letter in result.letters],
            columns=result.cards,
            key=ui.picks.picture_widget_key(QUESTION_PICTURE, ""),
            truth=np.eye(len(result.cards), dtype=bool),
            truth_title=LABELS["asked_card"],
            row_title=LABELS["question"],
            column_title=LABELS["card"],
            selected=(result.row, result.row),
            height=240,
            label=LABELS("weights_after", n=result.step),
        )
    exact, errors = result.exact, result.errors
    if ui.depth_at_least("numbers"):
        expected = {BASELINE_NAMES[one]: [error / n**0.5 for n in DRAW_COUNTS] for one, error in errors.items()}
        measured = {BASELINE_NAMES[one]: some for one, some in result.measured.items()}
        length = result.lengths["expected"]
        tip = [
            ("name", LABELS["estimate"], ""),
            ("n", LABELS["draws"], ",d"),
            ("error", LABELS["measured_error"], ".4f"),
        ]
        looks = {name: (i, i) for i, name in enumerate(measured)}
        dots, lines = _by_draws(measured), _by_draws(expected)
        known: Table = (
            {"error": [length], "label": [LABELS["gradient_length"]]} if length > 0 else {"error": [], "label": []}
        )
        ui.plot(
            [
                marks.line_layer(lines, "n", "error", "name", strokeWidth=1.5),
                marks.dot_layer(dots, "n", "error", "name", tip=tip, more=marks.shape_by_name("name", looks)),
                marks.rule_layer(known, y="error"),
                marks.text_layer(known, "label", "width", "error", align="right", dx=-4, dy=-8),
            ],
            x=ui.Axis(
                LABELS["draws"], (min(DRAW_COUNTS), max(DRAW_COUNTS)), ticks=DRAW_COUNTS[::2], format=",d", is_log=True
            ),
            y=ui.Axis(LABELS["usual_error"], is_log=True),
            names=looks,
            height=240,
            alt=ui.section_text("errors"),
        )
    with gradients:  # last, as the one to download
        curves = {LABELS["soft"]: exact.soft, LABELS["expected"]: exact.expected, LABELS["argmax"]: exact.argmax}
        lowest = int(exact.expected.argmin())
        ui.plot(
            _gradient_layers(curves, result.estimate),
            x=ui.Axis(LABELS["card"], labels=result.cards, is_code=True),
            y=ui.Axis(LABELS["score_gradient"]),
            names=[*curves, ESTIMATE_NAME],
            legend="shape",
            height=300,
            alt=ui.section_text("lowest", lowest=lowest, least=exact.expected[lowest]),
        )


def _by_draws(errors: Mapping[str, Sequence[float]]) -> Table:
    """Return points for logarithmic axes, without those at 0."""
    rows = [
        (n, float(error), name) for name, some in errors.items() for n, error in zip(DRAW_COUNTS, some, strict=True)
    ]
    return columns_from_rows([row for row in rows if row[1] > 0], "n", "error", "name")


def _gradient_layers(exact: Mapping[str, NDArray[np.generic]], estimate: GradientEstimate) -> list[ChartLayer]:
    """Return, for each card, the exact gradients, and the estimate with its standard error."""
    columns = columns_from_rows(
        [
            (place, float(value), name)
            for name, values in {**exact, ESTIMATE_NAME: estimate.mean}.items()
            for place, value in enumerate(values)
        ],
        "card",
        "value",
        "name",
    )
    ends = zip(estimate.mean - estimate.error, estimate.mean + estimate.error, strict=True)
    intervals = columns_from_rows(
        [(i, low, high, ESTIMATE_NAME) for i, (low, high) in enumerate(ends)], "card", "low", "high", "name"
    )
    tip = [("name", LABELS["gradient"], ""), ("value", LABELS["nats"], ".4f")]
    return [
        marks.dot_layer(columns, "card", "value", "name", offset="name", size=90, strokeWidth=3, tip=tip),
        marks.vertical_interval_layer(intervals, "card", "low", "high", "name", offset="name"),
        marks.rule_layer({"zero": [0]}, y="zero", strokeDash=[1, 0], opacity=0.5),
    ]
