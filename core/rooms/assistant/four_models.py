"""One question, four models: the answers of the same model after each of its four training stages."""

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed, select
from core.rooms.assistant.compute import chat, objectives, reading, world
from core.rooms.assistant.compute.learning import recorded_model
from core.rooms.assistant.compute.reading import AnswerShares, SampledAnswer, answer_question, answer_shares
from core.rooms.assistant.compute.world import QUESTIONS, color_question, place_question, sum_question
from core.rooms.assistant.experiments import assistant as task
from core.rooms.assistant.experiments.assistant import NAMES
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "assistant"
QUESTION_CHOICES = {
    one.text: one.text
    for one in (
        color_question("ball"),
        place_question("cup"),
        color_question("ring"),
        place_question("bell"),
        sum_question(3, 4),
        sum_question(7, 5),
    )
}
TITLES = LABELS.options("title", *NAMES)
CURVES = LABELS.options("curve", "things", "hard", "friendly", "rude")
CODE = (task.Assistant, world.sample_texts, chat.tuning_loss, objectives.dpo, objectives.policy_gradient)


class Inputs(Base, prefix="four_"):
    guess: str = guess_control(
        ("answer", "question", "fact"),
    )
    question: str = select(QUESTION_CHOICES, color_question("ball").text)
    draw: int = seed()
    seed: int = seed()


class FourModels(Result):
    """A sampled answer of each model, and the shares of right and friendly answers."""

    run: ExperimentRun
    is_told: bool
    truth: str
    names: dict[str, str]
    answers: dict[str, SampledAnswer]
    shares: dict[str, AnswerShares]
    n_question: int  # answers of the predictor that are another question, out of `n_predicted`
    n_predicted: int
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return the shares by step; before a guess, without those of the predictor."""
        record, begin = self.run.record, 0 if self.is_told else int(self.run.record["begins"][1])
        rows = record["step"] > begin
        return {LABELS["table.step"]: record["step"][rows]} | {
            words: record[f"curve.{what}"][rows].round(4) for what, words in CURVES.items()
        }


def compute(inputs: Inputs, run: ExperimentRun) -> FourModels:
    """Sample one answer of each model, and compute shares over all questions."""
    question = next(one for one in QUESTIONS if one.text == inputs.question)
    models = {name: recorded_model(run.record, name) for name in NAMES}
    predicted = reading.sample_answers(models["predictor"], is_chat=False)
    n, n_question = len(predicted), sum("?" in words for words in predicted)
    text = LABELS("another_question", n_question=n_question, n=n)
    return FourModels(
        run=run,
        is_told=inputs.guess != NOT_YET,
        truth=question.truth,
        names=dict(NAMES),
        answers={
            name: answer_question(one, question, name != "predictor", inputs.draw) for name, one in models.items()
        },
        shares={name: answer_shares(one, name != "predictor") for name, one in models.items()},
        n_question=n_question,
        n_predicted=n,
        outcome=GuessOutcome("question" if n_question > n / 2 else "", text),
    )


def draw(result: FourModels, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw a row of tokens for each model, and the shares of answers during training."""
    for name, answer in result.answers.items():
        if name == "predictor" and not result.is_told:
            continue
        ui.token_row(
            answer.words,
            values=list(answer.probabilities),
            kind="probability",
            limits=(0, 1),
            value_title=LABELS["probability"],
            details=answer.details,
            key=f"four-{name}",
            title=TITLES[name],
            takeaway=LABELS("writes", model=NAMES[name], answer=answer.said),
        )
    ui.show_text_section("shares")
    if ui.depth_at_least("numbers"):
        table = result.table()
        curves = {words: (table[LABELS["table.step"]], table[words]) for words in CURVES.values()}
        ui.curves(curves, y=ui.Axis(LABELS["share_axis"], (0, 1.02)), n_step=run.n_step)
