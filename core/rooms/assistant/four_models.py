"""One question, four models: the answers of the same model after each of its four training stages."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    MAX_TRACES,
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    guess_control,
    memoize,
    seed,
    select,
)
from core.rooms.assistant.compute import chat, objectives, reading, world
from core.rooms.assistant.compute.learning import recorded_model
from core.rooms.assistant.compute.reading import AnswerShares, SampledAnswer, answer_question, answer_shares
from core.rooms.assistant.compute.world import WorldQuestion, color_question, place_question, sum_question
from core.rooms.assistant.experiments import assistant as task
from core.rooms.assistant.experiments.assistant import NAMES
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
EXPERIMENT = "assistant"
ASKED = {
    one.text: one
    for one in (
        sum_question(7, 5),
        sum_question(3, 4),
        color_question("ball"),
        place_question("cup"),
        color_question("ring"),
        place_question("bell"),
    )
}
CURVES = LABELS.options("curve", "things", "hard", "friendly", "rude")
SHOWN = ("things", "friendly", "hard")  # the shares in the picture
EXPECTED_GAINS = ("things", "friendly", "hard")  # of the three stages after the first, in the example that ships
CODE = (task.Assistant, world.sample_texts, chat.tuning_loss, objectives.dpo, objectives.policy_gradient)


class Inputs(Base, prefix="four_"):
    guess: str = guess_control(
        ("answer", "question", "fact"),
    )
    question: str = select({text: text for text in ASKED}, next(iter(ASKED)), view=ViewChoice())
    draw: int = seed(1)
    seed: int = seed(depth="numbers")


@dataclass(frozen=True)
class JudgedAnswer:
    """A sampled answer, and whether it is right.

    kind: "question" if it asks instead, "none" if it names no color, place or number; else "right" or "wrong".
    place: of the word that answers among its tokens, or -1.
    """

    answer: SampledAnswer
    kind: Literal["question", "none", "right", "wrong"]
    place: int


class FourModels(Result):
    """A sampled answer of each model to each question, and the shares of right and friendly answers."""

    run: ExperimentRun
    is_told: bool
    names: dict[str, str]
    chats: dict[str, dict[str, JudgedAnswer]]  # question -> model -> its answer
    shares: dict[str, AnswerShares]
    gains: dict[str, str]  # each model after the first -> the one of `SHOWN` that has grown most
    n_question: int  # answers of the predictor that are another question, out of `n_predicted`
    n_predicted: int
    outcome: GuessOutcome

    @property
    def is_as_expected(self) -> bool:
        """True if the stages taught answering, friendliness and large sums, in this order."""
        return tuple(self.gains.values()) == EXPECTED_GAINS

    def table(self) -> Table:
        """Return the shares by step; before a guess, without those of the predictor."""
        record, begin = self.run.record, 0 if self.is_told else int(self.run.record["begins"][1])
        rows = record["step"] > begin
        return {LABELS["table.step"]: record["step"][rows]} | {
            words: record[f"curve.{what}"][rows].round(4) for what, words in CURVES.items()
        }


def judge(answer: SampledAnswer, question: WorldQuestion) -> JudgedAnswer:
    """Return an answer with its kind."""
    if "?" in answer.words:
        return JudgedAnswer(answer, "question", -1)
    found = chat.find_answer(answer.words)
    if not found:
        return JudgedAnswer(answer, "none", -1)
    return JudgedAnswer(answer, "right" if found == question.truth else "wrong", answer.words.index(found))


@memoize(MAX_TRACES)
def _measure(run: ExperimentRun) -> tuple[dict[str, AnswerShares], list[tuple[str, ...]]]:
    """Return the shares of each model, and the predictor's answers to all questions about things."""
    models = {name: recorded_model(run.record, name) for name in NAMES}
    shares = {name: answer_shares(one, name != "predictor") for name, one in models.items()}
    return shares, reading.sample_answers(models["predictor"], is_chat=False)


@memoize(MAX_TRACES)
def _ask(run: ExperimentRun, draw: int) -> dict[str, dict[str, JudgedAnswer]]:
    """Return an answer of each model to each question, sampled with this seed."""
    models = {name: recorded_model(run.record, name) for name in NAMES}
    return {
        text: {
            name: judge(answer_question(one, question, name != "predictor", draw), question)
            for name, one in models.items()
        }
        for text, question in ASKED.items()
    }


def largest_gains(shares: Mapping[str, AnswerShares]) -> dict[str, str]:
    """Return for each model after the first which of `SHOWN` has grown most since the one before."""
    rows = [asdict(one) for one in shares.values()]
    return {
        name: max(SHOWN, key=lambda what: now[what] - before[what])
        for name, before, now in zip([*shares][1:], rows, rows[1:], strict=False)
    }


def compute(inputs: Inputs, run: ExperimentRun) -> FourModels:
    """Sample an answer of each model to each question, and compute shares over all questions."""
    shares, predicted = _measure(run)
    n, n_question = len(predicted), sum("?" in words for words in predicted)
    text = LABELS("another_question", n_question=n_question, n=n)
    return FourModels(
        run=run,
        is_told=inputs.guess != NOT_YET,
        names=dict(NAMES),
        chats=_ask(run, inputs.draw),
        shares=shares,
        gains=largest_gains(shares),
        n_question=n_question,
        n_predicted=n,
        outcome=GuessOutcome("question" if n_question > n / 2 else "", text),
    )


def _chat_message(result: FourModels, question: str) -> dict[str, object]:
    """Return a question and its answers as the picture needs them; before a guess, without the predictor's."""
    rows = []
    for name, one in result.chats[question].items():
        if name == "predictor" and not result.is_told:
            rows.append({"kind": "hidden", "place": -1, "words": [], "p": [], "top": []})
            continue
        words = one.answer.words
        p = [round(value, 4) for value in one.answer.probabilities]
        rows.append({"kind": one.kind, "place": one.place, "words": words, "p": p, "top": one.answer.details})
    return {"text": question, "rows": rows}


def draw(result: FourModels, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the question, each model's answer, and the share that each training stage has raised most."""
    ui.mount_widget(
        "four_models",
        key="four-models",
        chat=ui.for_each_option(lambda question: _chat_message(result, question), inputs.question),
        models=[
            {
                "name": NAMES[name],
                "how": LABELS[f"how.{name}"],
                "gain": SHOWN.index(result.gains[name]) if name in result.gains else -1,
                "shares": [getattr(one, what) for what in SHOWN] if name != "predictor" or result.is_told else None,
            }
            for name, one in result.shares.items()
        ],
        shares=[LABELS[f"share.{what}"] for what in SHOWN],
        n_fact=len(world.ABOUT_THINGS),
        n_sum=len(world.HARD_SUMS),
        as_expected=result.is_as_expected,
        takeaway=LABELS["takeaway"],
        height=440,
    )
    ui.add_template_values(truth=ui.for_each_option(lambda text: ASKED[text].truth, inputs.question))
    if ui.depth_at_least("numbers"):
        table = result.table()
        curves = {words: (table[LABELS["table.step"]], table[words]) for words in CURVES.values()}
        ui.curves(curves, y=ui.Axis(LABELS["share_axis"], (0, 1.02)), n_step=run.n_step)
