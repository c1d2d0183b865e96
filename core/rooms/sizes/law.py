"""A small scaling law: six widths for equal time, a prediction for the next one, and then the next one itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess, seed
from core.exhibit import Inputs as Base
from core.inspect.costs import model_cost
from core.rooms.sizes.compute.power_law import Law, Prediction, fit
from core.rooms.sizes.experiments import scaling as task
from core.rooms.sizes.power_law_chart import power_law
from core.train.experiments.live import Live

EXPERIMENT = "scaling"
LAWS = {"straight line": 1, "parabola": 2}
GUESSES = {"line": "on the straight line", "bend": "on the parabola", "above": "above both"}
WHILE_IT_RUNS = 1.5, 5.0  # from what the best reach to the untrained loss, ln 104 = 4.64 and a little above
CODE = (task.Scaling, task.n_training_step, fit, Law, model_cost.training)


class Inputs(Base, prefix="law_"):
    guess: str = guess(f"Where will the next model, of width {task.NEXT}, land?", GUESSES)
    seed: int = seed()


@dataclass(frozen=True)
class Race(Guessed):
    """What the record says."""

    guesses = GUESSES
    record: Mapping[str, NDArray[Any]]  # of the experiment
    guess: str  # `NOT_YET` hides the loss of the last model
    widths: tuple[int, ...]  # widths, sizes, losses: (7,) of the six and the next one
    sizes: tuple[int, ...]
    losses: tuple[float, ...]
    laws: Mapping[str, Law]  # by name, through the six; none before they are done
    is_over: bool  # whether the next one has been trained to its end

    @property
    def is_hidden(self) -> bool:
        return self.guess == NOT_YET

    @property
    def landed(self) -> tuple[int, float, str] | None:
        """Size, loss and width of the next one, once they may be seen."""
        return None if self.is_hidden or not self.is_over else (self.sizes[-1], self.losses[-1], str(self.widths[-1]))

    @property
    def predicted(self) -> dict[str, Prediction]:
        return {name: law.predict(self.sizes[-1]) for name, law in self.laws.items()}

    @property
    def holding(self) -> list[str]:
        return [name for name, one in self.predicted.items() if one.holds(self.losses[-1])]

    @property
    def nearer(self) -> str:
        off = {name: abs(one.value - self.losses[-1]) for name, one in self.predicted.items()}
        return min(off, key=lambda name: off[name], default="")

    @property
    def outcome(self) -> str:
        """Which of `GUESSES` came true; the straight line only where the parabola is not nearer; "" for none."""
        if "parabola" in self.holding and self.nearer == "parabola":
            return "bend"
        if "straight line" in self.holding:
            return "line"
        return "above" if self.losses[-1] > max(one.high for one in self.predicted.values()) else ""

    @property
    def inside(self) -> str:
        which = " and of ".join(f"the {name}" for name in self.holding)
        return f"within the interval of {which}" if which else "outside both intervals"

    @property
    def came(self) -> Came | None:
        return Came(self.outcome, "" if self.outcome else self.inside) if self.is_over else None

    @property
    def formula(self) -> str | None:
        if not self.laws:
            return None
        (c0, c1), (b0, b1, b2) = (law.coefficients for law in self.laws.values())
        return (
            rf"\begin{{gathered}} L_\text{{line}} = {np.exp(c0):.2f} \cdot N^{{{c1:.3f}}} \\ "
            rf"L_\text{{parabola}} = e^{{{b0:.2f} {b1:+.3f}\,x {b2:+.4f}\,x^2}},\ x = \ln N \end{{gathered}}"
        )

    def table(self) -> dict[str, list[Any]]:
        steps, vocab_size = self.record["steps"].tolist(), task.text().tokenizer.vocab_size
        products = [model_cost.training(task.config(w, vocab_size), task.CONTEXT).total for w in self.widths]
        losses = [round(loss, 3) for loss in self.losses]
        return {
            "width": list(self.widths),
            "parameters": list(self.sizes),
            "loss (nats per character)": [*losses[:-1], losses[-1] if self.is_over else None],
            "steps": steps,
            "multiply-adds": [n * task.BATCH * step for n, step in zip(products, steps, strict=True)],
            "seconds of one core": [round(float(s), 2) for s in self.record["seconds.spent"]],
        }


def compute(inputs: Inputs, run: Live) -> Race:
    """The losses as far as they are known, and two laws through the first six."""
    widths, sizes = run.record["widths"].tolist(), run.record["parameters"].tolist()
    losses = [float(run.record[f"curve.{width}"][-1]) for width in widths]
    *first, last = (run.record["steps"] >= run.record["goals"]).tolist()
    laws = {name: fit(sizes[:-1], losses[:-1], degree) for name, degree in LAWS.items()} if all(first) else {}
    return Race(run.record, inputs.guess, tuple(widths), tuple(sizes), tuple(losses), laws, last)


def draw(result: Race, inputs: Inputs, run: Live) -> None:
    *first, _ = zip(result.sizes, result.losses, map(str, result.widths), strict=True)
    spec = power_law(
        first,
        result.laws,
        result.sizes[-1],
        result.landed,
        y_limits=None if result.laws else WHILE_IT_RUNS,
        y_title=ui.measured("loss", "nats per character"),
        dots_title="number at a dot: width of the model",
        mode=ui.color_mode(),
    )
    ui.chart(spec, alt=ui.words("alt"), key="law-chart")
    ui.say("laws" if result.laws else "six", is_running=run.is_running)
    if result.landed:
        ui.say("landed", lowest=result.laws["parabola"].lowest)
    # Streamlit's own table is cut off on a phone, and takes longer than a blink.
    ui.say("table", rows=list(zip(*result.table().values(), strict=True)))
