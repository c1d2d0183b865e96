"""One question, four models: the same weights after each of four trainings, and what they write."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core import ui
from core.charts.race import race
from core.exhibit import NOT_YET, Came, Guessed, guess, seed, select
from core.exhibit import Inputs as Base
from core.rooms.assistant.compute import chat, objectives, reading, world
from core.rooms.assistant.compute.reading import Answer, Shares, answer_to, shares
from core.rooms.assistant.compute.start import model_of
from core.rooms.assistant.compute.world import QUESTIONS, color_of, place_of, sum_of
from core.rooms.assistant.experiments import assistant as task
from core.rooms.assistant.experiments.assistant import NAMES
from core.train.experiments.live import Live

EXPERIMENT = "assistant"
GUESSES = {"answer": "the answer", "question": "another question", "fact": "something true about another thing"}
ASKED = {
    one.text: one.text
    for one in (color_of("ball"), place_of("cup"), color_of("ring"), place_of("bell"), sum_of(3, 4), sum_of(7, 5))
}
CURVES = {"things": "right about things", "hard": "right sums beyond 9", "friendly": "friendly", "rude": "rude"}
CODE = (task.Assistant, world.texts, chat.tuning_loss, objectives.dpo, objectives.policy_gradient)


class Inputs(Base, prefix="four_"):
    """A guess, a question, and the seeds of the training and of the answers."""

    guess: str = guess("Asked a question, what does a model write that has only learned to predict?", GUESSES)
    question: str = select("Question", ASKED, color_of("ball").text)
    draw: int = seed(label="Seed of the answers")
    seed: int = seed()


@dataclass(frozen=True)
class Result(Guessed):
    """What each model writes, and how often it is right and friendly."""

    guesses = GUESSES
    run: Live
    guess: str
    truth: str
    answers: Mapping[str, Answer]  # name of a model -> what it writes
    shares: Mapping[str, Shares]
    n_question: int  # of answers of the predictor that are another question, of `n_predicted`
    n_predicted: int

    @property
    def is_told(self) -> bool:
        return self.guess != NOT_YET

    @property
    def came(self) -> Came:
        is_question = self.n_question > self.n_predicted / 2
        return Came(
            "question" if is_question else "", f"another question, in {self.n_question} of {self.n_predicted} cases"
        )

    @property
    def rows(self) -> list[dict[str, str]]:
        """A line for each model, those that are told."""
        return [
            {
                "name": NAMES[name],
                **{what: f"{getattr(one, what):.0%}" for what in ("things", "hard", "friendly", "rude")},
            }
            for name, one in self.shares.items()
            if self.is_told or name != "predictor"
        ]

    def table(self) -> dict[str, Any]:
        """Shares by step; before a guess, without those of the predictor."""
        record, begin = self.run.record, 0 if self.is_told else int(self.run.record["begins"][1])
        rows = record["step"] > begin
        return {"step": record["step"][rows]} | {
            words: record[f"curve.{what}"][rows].round(4) for what, words in CURVES.items()
        }


def question_of(text: str) -> world.Question:
    """The question that reads so."""
    return next(one for one in QUESTIONS if one.text == text)


def compute(inputs: Inputs, run: Live) -> Result:
    """One drawn answer of each model, and shares over all questions."""
    question = question_of(inputs.question)
    models = {name: model_of(run.record, name) for name in NAMES}
    predicted = reading.drawn(models["predictor"], is_chat=False)
    return Result(
        run,
        inputs.guess,
        question.truth,
        {name: answer_to(one, question, name != "predictor", inputs.draw) for name, one in models.items()},
        {name: shares(one, name != "predictor") for name, one in models.items()},
        sum("?" in words for words in predicted),
        len(predicted),
    )


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """A row of tokens for each model, and their shares along the training."""
    for name, answer in result.answers.items():
        if name == "predictor" and not result.is_told:
            continue
        ui.token_row(
            answer.words,
            values=list(answer.probabilities),
            kind="probability",
            limits=(0, 1),
            value_title="probability",
            details=answer.details,
            key=f"four-{name}",
            title=f"{NAMES[name]}: {ui.words(name)}",
            takeaway=f"{NAMES[name]} writes: {answer.said}",
        )
    ui.say("truth")
    ui.say("guessed" if result.is_told else "guess")
    ui.say("shares")
    if ui.at_least("numbers"):
        table = result.table()
        curves = {words: (table["step"], table[words]) for words in CURVES.values()}
        spec = race(
            curves, y_title="share of drawn answers", n_step=run.n_step, mode=ui.color_mode(), y_limits=(0, 1.02)
        )
        ui.chart(spec, alt=ui.words("alt"), key="four-curves")
    ui.say("stages", begins=run.record["begins"].tolist())
