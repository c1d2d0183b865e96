"""When does the n-gram win? Counting compared with learning, by amount of text and by training budget."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed, segmented_control
from core.models.ngram import NGram
from core.rooms.ledger.experiments import budget as task
from core.rooms.ledger.experiments.budget import AMOUNTS, NETS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

GUESSES = LABELS.options("guess", "never", "all", "every")
BIT_LIMITS = {"real": (1.5, 4.5), "stories": (0.0, 3.5)}  # bits; the first steps are above it
STEPS = {250: "250", 1_000: "1,000", 3_000: "3,000"}
EACH_STEPS = {250: "250", 1_000: "1,000"}
EXPERIMENT = lambda i: "budget" if i.text == "real" else "budget-stories"  # noqa: E731
CODE = (task.Budget, task.ngram_bits, NGram.log_probs)


class Inputs(Base, prefix="budget_"):
    text: str = segmented_control(("real", "stories"), "real")
    guess_real: str = guess_control(GUESSES, heading="", when=lambda i: i.text == "real")
    guess_stories: str = guess_control(GUESSES, heading="", when=lambda i: i.text == "stories")
    shares: str = task.Options.control("shares")
    steps: int = segmented_control(EACH_STEPS, 250, when=lambda i: i.shares == "each")
    n_step: int = segmented_control(
        lambda i: EACH_STEPS if i.shares == "each" else STEPS,
        lambda i: i.steps,
        name="budget_steps_one",
        when=lambda i: i.shares != "each",
    )
    seed: int = seed()
    axis: str = segmented_control(("characters", "seconds"), "characters")

    @property
    def guess(self) -> str:
        return self.guess_real if self.text == "real" else self.guess_stories


class BudgetContest(Result):
    """The nets in their current state of training, and the n-grams."""

    run: ExperimentRun
    outcome: GuessOutcome
    n_won: int  # amounts of text at which a net beats the best n-gram
    hidden: tuple[str, ...]  # nets that are hidden until the guess
    amounts: dict[str, str]  # of training text: key -> label

    def best(self, amount: str) -> tuple[int, float]:
        """Return the order and the bits per character of the best n-gram for an amount of text."""
        bits = self.run.record[f"ngram.{amount}"]
        return task.ORDERS[int(bits.argmin())], float(bits.min())

    def crossing(self, amount: str, net: str) -> int | None:
        """Return the first evaluated step at which the net is better than the best n-gram, or None."""
        below = self.run.record[f"curve.{amount}.{net}"] < self.best(amount)[1]
        return int(self.run.record["step"][below.argmax()]) if below.any() else None

    def now(self, amount: str, net: str) -> float:
        """Return the net's current bits per character."""
        return float(self.run.record[f"curve.{amount}.{net}"][-1])

    def seconds(self, amount: str, model: str) -> float:
        """Return the training time of a net, or the counting time of all n-grams ("ngram")."""
        return float(self.run.record[f"seconds.{amount}.{model}"].max())

    def places(self, axis: str) -> tuple[dict[str, NDArray[np.generic]], float]:
        """Return the x positions of each curve's evaluations ("<amount>.<net>"), and the end of the longest one."""
        record, step = self.run.record, self.run.record["step"].astype(np.int64)
        names = [name.removeprefix("curve.") for name in record if name.startswith("curve.")]
        if axis == "characters":
            return dict.fromkeys(names, step * task.CHARACTERS_PER_STEP), self.run.n_step * task.CHARACTERS_PER_STEP
        found = {name: record[f"seconds.{name}"] for name in names}
        return found, max(seconds[-1] for seconds in found.values()) * self.run.n_step / max(step[-1], 1)

    def table(self) -> Table:
        return task.table(self.run.record)


def compute(inputs: Inputs, run: ExperimentRun) -> BudgetContest:
    """Find the amounts of text at which a net beats the best n-gram."""
    amounts = {key: name for key, name in AMOUNTS.items() if f"ngram.{key}" in run.record}
    lowest = {amount: float(run.record[f"ngram.{amount}"].min()) for amount in amounts}
    won = [one for one in amounts if any((run.record[f"curve.{one}.{net}"] < lowest[one]).any() for net in NETS)]
    if not won or len(won) == len(amounts):
        outcome = GuessOutcome("every" if won else "never")
    else:
        outcome = GuessOutcome(
            "all" if won == [*amounts][-1:] else "", LABELS("outcome", n_won=len(won), n_amount=len(amounts))
        )
    hidden = tuple(NETS) if inputs.guess == NOT_YET else ()
    return BudgetContest(run=run, outcome=outcome, n_won=len(won), hidden=hidden, amounts=amounts)


def draw(result: BudgetContest, inputs: Inputs, run: ExperimentRun) -> None:
    ui.add_template_values(nets=NETS, sizes=task.SIZES)
    for place, amount in zip(ui.st.tabs(list(result.amounts.values())), result.amounts, strict=True):
        with place:
            _race(result, inputs, amount, ui.section_text("alt", amount=amount))


def _race(result: BudgetContest, inputs: Inputs, amount: str, alt: str) -> None:
    record, (best, _) = result.run.record, result.best(amount)
    bits = dict(zip(task.ORDERS, record[f"ngram.{amount}"], strict=True))
    # The others are too close to the best.
    lines = {order: LABELS("n_gram", order=order) for order in (2, 3)} | {best: LABELS("best_n_gram", order=best)}
    places, end = result.places(inputs.axis)
    characters, seconds = (
        ui.Axis(LABELS["characters_axis"], format="~s"),
        ui.Axis(LABELS["seconds_axis"], format="~g"),
    )
    ui.curves(
        {name: (places[f"{amount}.{net}"], record[f"curve.{amount}.{net}"]) for net, name in NETS.items()},
        x=characters if inputs.axis == "characters" else seconds,
        n_step=end,
        y=ui.Axis(LABELS["bits_axis"], BIT_LIMITS[inputs.text]),
        references={name: float(bits[order]) for order, name in lines.items()},
        hidden=[NETS[net] for net in result.hidden],
        height=420,
        alt=alt,
    )
