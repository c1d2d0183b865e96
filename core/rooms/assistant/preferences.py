"""Preference pairs: what a reward model learns from them, and what DPO does to both answers."""

from core import ui
from core.data.localization.labels import module_labels
from core.data.localization.numbers import format_with_minus_sign
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.rooms.assistant.compute import learning, objectives, reward_model
from core.rooms.assistant.experiments import preferences as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "preferences"
SMALL_CHANGE = 0.25  # nats: a smaller change counts as no change
NAMES = LABELS.options("answers", "chosen", "rejected")
CODE = (
    objectives.bradley_terry,
    objectives.dpo,
    learning.sample_preference_pairs,
    task.Preferences,
    reward_model.reward_scores,
)


class Inputs(Base, prefix="prefer_"):
    guess: str = guess_control(
        ("up", "down", "still"),
    )
    rule: str = task.Options.control("rule")
    beta: float = task.Options.control("beta")
    seed: int = seed()


class PreferenceTraining(Result):
    """The reward model and DPO, as far as they have been trained."""

    run: ExperimentRun
    is_told: bool
    moved: tuple[float, float]  # the change in mean log-probability of preferred answers, and of the others, in nats
    outcome: GuessOutcome | None

    def ends(self, what: str) -> tuple[float, float]:
        """Return a curve's first and latest value."""
        curve = self.run.record[f"curve.{what}"]
        return float(curve[0]), float(curve[-1])

    def table(self) -> Table:
        """Return the curves by step; before a guess, only the reward model's."""
        record = self.run.record
        names = [name for name in record if name.startswith("curve.") and (self.is_told or ".reward." in name)]
        curves = {name.removeprefix("curve."): record[name].round(4) for name in names}
        return {LABELS["table.step"]: record["step"]} | curves


def compute(inputs: Inputs, run: ExperimentRun) -> PreferenceTraining:
    """Read the changes from the record, and decide whether DPO's part may be shown."""
    curves = [run.record[f"curve.dpo.{of}"] for of in NAMES]
    chosen, rejected = (float(curve[-1]) - float(curve[0]) for curve in curves)
    answer = "still" if abs(chosen) < SMALL_CHANGE else "up" if chosen > 0 else "down"
    change, others = (format_with_minus_sign(one, 1, plus=True) for one in (chosen, rejected))
    text = LABELS("stayed" if answer == "still" else "moved", change=change, others=others)
    return PreferenceTraining(
        run=run,
        is_told=inputs.guess != NOT_YET,
        moved=(chosen, rejected),
        outcome=GuessOutcome(answer, text) if run.is_done else None,
    )


def draw(result: PreferenceTraining, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the accuracy on held-out pairs and, after a guess, both answers' log-probabilities."""
    record = run.record
    left, right = ui.two_columns("prefer-curves")
    judged = {LABELS["reward_model"]: "reward"} | ({"DPO": "dpo"} if result.is_told else {})
    with left:
        ui.curves(
            {name: (record["step"], record[f"curve.{of}.accuracy"]) for name, of in judged.items()},
            title=ui.section_text("title-told"),
            y=ui.Axis(LABELS["told_axis"], (0, 1.05)),
            n_step=run.n_step,
        )
    if not result.is_told:
        return
    with right:
        both = {name: (record["step"], record[f"curve.dpo.{of}"]) for of, name in NAMES.items()}
        lowest = min(float(values.min()) for _, values in both.values())
        ui.curves(
            both,
            title=ui.section_text("title-both"),
            y=ui.Axis(ui.quantity_label(LABELS["mean_log_probability"], LABELS["nats"]), (1.05 * lowest, 0)),
            n_step=run.n_step,
        )
