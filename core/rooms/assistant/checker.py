"""A checker as the reward: the probability of the right answer to every sum of two digits, before and after."""

import numpy as np
from jaxtyping import Float
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, Column, GuessOutcome, Inputs as Base, Result, Table, guess_control, nearest_label
from core.rooms.assistant.compute import learning, objectives, reading, writing
from core.rooms.assistant.compute.learning import recorded_model
from core.rooms.assistant.compute.reading import answer_probabilities
from core.rooms.assistant.compute.world import SUMS
from core.rooms.assistant.experiments.assistant import HELD_SUMS
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
TRAINED = "assistant"
MODELS = ("preferred", "rewarded")  # before and after
CODE = (writing.checker_reward, learning.reinforce, objectives.policy_gradient, reading.answer_probabilities)


class Inputs(Base, prefix="check_"):
    guess: str = guess_control(
        ("none", "half", "most"),
    )


class SumProbabilities(Result):
    """The probability of the right answer to each sum."""

    is_told: bool
    before: Float[NDArray[np.float32], "10 10"]
    after: Float[NDArray[np.float32], "10 10"]
    held: NDArray[np.bool_]  # (10, 10) sums that were never asked during RL with the checker
    means: dict[str, tuple[float, float]]  # kind of sum -> mean probability before and after
    n_held: int  # sums beyond 9 that were never asked
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return one row per sum; before a guess, without the probabilities after training."""
        found: dict[str, Column] = {
            LABELS["table.sum"]: [f"{one.words[2]} + {one.words[4]}" for one in SUMS],
            LABELS["table.asked"]: [one not in HELD_SUMS for one in SUMS],
            LABELS["table.before"]: self.before.ravel().round(4).tolist(),
        }
        return found | ({LABELS["table.after"]: self.after.ravel().round(4).tolist()} if self.is_told else {})


def compute(inputs: Inputs, run: ExperimentRun) -> SumProbabilities:
    """Compute the probability of each right answer with both models, without sampling."""
    before, after = (
        answer_probabilities(recorded_model(run.record, name), SUMS).numpy().reshape(10, 10) for name in MODELS
    )
    hard = np.add.outer(np.arange(10), np.arange(10)) > 9  # where writers drop the ten
    held = np.array([one in HELD_SUMS for one in SUMS]).reshape(10, 10)
    kinds = {"easy": ~hard, "asked": hard & ~held, "held": hard & held}
    means = {kind: (float(before[at].mean()), float(after[at].mean())) for kind, at in kinds.items()}
    start, end = means["held"]
    answer = nearest_label(end, {"none": start, "half": 0.5, "most": 0.9})
    return SumProbabilities(
        is_told=inputs.guess != NOT_YET,
        before=before,
        after=after,
        held=held,
        means=means,
        n_held=int(kinds["held"].sum()),
        outcome=GuessOutcome(answer, LABELS("on_average", end=end, start=start)),
    )


def draw(result: SumProbabilities, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the table of sums, colored by the probability of the right answer."""
    digits = [str(i) for i in range(10)]
    for side, name in zip(ui.two_columns("check-sums"), MODELS, strict=True):
        if name == "rewarded" and not result.is_told:
            continue
        with side:
            ui.matrix(
                result.before if name == "preferred" else result.after,
                rows=digits,
                columns=digits,
                key=f"check-{name}",
                row_title=LABELS["first_digit"],
                column_title=LABELS["second_digit"],
                value_title=LABELS["probability"],
                truth=result.held,
                truth_title=LABELS["never_asked"],
                label=ui.section_text(name),
                height=300,
            )
