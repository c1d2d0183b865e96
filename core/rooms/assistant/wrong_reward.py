"""A misspecified reward: it rises while accuracy falls, and the KL term decides by how much."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.rooms.assistant.compute import learning, objectives, writing
from core.rooms.assistant.compute.learning import recorded_model, tuned_model
from core.rooms.assistant.compute.reading import SampledAnswer, answer_question
from core.rooms.assistant.compute.world import color_question
from core.rooms.assistant.experiments import wrong_reward as task
from core.rooms.assistant.experiments.wrong_reward import NAMES, WEIGHTS
from core.train.experiment import Record
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "wrong-reward"
QUESTION = color_question("ball")
MEASURES = LABELS.options("measure", "reward", "right", "friendly", "kl")
CODE = (objectives.policy_gradient, learning.reinforce, writing.happy_reward, task.WrongReward)


class Inputs(Base, prefix="hack_"):
    guess: str = guess_control(
        ("right", "spam", "same"),
    )
    reward: str = task.Options.control("reward")
    seed: int = seed()


class HackedReward(Result):
    """Three models, as far as they have been trained, and the model that they started from."""

    run: ExperimentRun
    is_told: bool
    names: dict[str, str]  # names of the weights of the KL term
    before: SampledAnswer
    answers: dict[str, SampledAnswer]  # weight -> the most probable answer
    first: dict[str, float]  # measure -> its value before the first step, the same for all models
    last: dict[str, dict[str, float]]  # measure -> weight -> its latest value
    outcome: GuessOutcome | None

    def table(self) -> Table:
        """Return reward, accuracy and KL by step; before a guess, only for the largest KL weight."""
        record, told = self.run.record, list(WEIGHTS) if self.is_told else ["much"]
        return {LABELS["table.step"]: record["step"]} | {
            LABELS("column", weight=NAMES[w], measure=measure): record[f"curve.{w}.{what}"].round(4)
            for w in told
            for what, measure in MEASURES.items()
        }


def compute(inputs: Inputs, run: ExperimentRun) -> HackedReward:
    """Return the greedy answer of each model, and the curves' first and latest values."""
    answers = {name: answer_question(recorded_model(run.record, name), QUESTION) for name in WEIGHTS}
    last = {what: {w: float(run.record[f"curve.{w}.{what}"][-1]) for w in WEIGHTS} for what in MEASURES}
    words, is_right = answers["none"].words, last["right"]["none"] > 0.5
    is_spam = words.count("happy") > 2 and not is_right
    answer = "spam" if is_spam else "right" if is_right and "happy" in words else "same"
    outcome = GuessOutcome(answer, LABELS("quoted", said=answers["none"].said))
    return HackedReward(
        run=run,
        is_told=inputs.guess != NOT_YET,
        names={w: NAMES[w] for w in WEIGHTS},
        before=answer_question(tuned_model().eval(), QUESTION),
        answers=answers,
        first={what: float(run.record[f"curve.none.{what}"][0]) for what in MEASURES},
        last=last,
        outcome=outcome if run.is_done and inputs.reward == "happy" else None,
    )


def draw(result: HackedReward, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw reward and accuracy by step, and an answer of each model."""
    record, told = run.record, list(WEIGHTS) if result.is_told else ["much"]
    for side, what in zip(ui.two_columns("hack-curves"), ("reward", "right"), strict=True):
        with side:
            ui.curves(
                {name: (record["step"], record[f"curve.{w}.{what}"]) for w, name in result.names.items()},
                title=ui.section_text(f"title-{what}"),
                y=ui.Axis(
                    ui.section_text(f"axis-{what}"), (0, 1.05) if what == "right" else _ends(record, inputs.reward)
                ),
                n_step=run.n_step,
                hidden=[name for w, name in result.names.items() if w not in told],
            )
    for key, title, answer in [
        ("before", LABELS["before"], result.before),
        *((w, NAMES[w], result.answers[w]) for w in told),
    ]:
        ui.token_row(
            answer.words,
            values=list(answer.probabilities),
            kind="probability",
            limits=(0, 1),
            value_title=LABELS["probability"],
            details=answer.details,
            key=f"hack-row-{key}",
            title=title,
            takeaway=LABELS("writes", answer=answer.said),
        )


def _ends(record: Record, reward: str) -> tuple[float, float]:
    """Return the limits of the reward axis."""
    found = [float(value) for w in WEIGHTS for value in record[f"curve.{w}.reward"]]
    return 1.05 * min(0.0, *found), 1.05 * max(8.0 if reward == "length" else 1.0, *found)
