"""The card game: one question, the weights of the cards, what is read of them, and the resulting answer."""

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table, seed, segmented_control, selection_in_picture, slider
from core.rooms.hard_attention.compute import card_model as ways
from core.rooms.hard_attention.compute.card_model import N_DIGIT
from core.rooms.hard_attention.experiments import choosing as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "choosing"
CARD_INDICES = tuple(map(str, range(max(task.N_CARD))))
CARD_PICTURE = "choosing.asked"  # the picture in which the learner clicks a card
CODE = (ways.mix_positions, ways.sample_positions, ways.argmax_positions)


def _pressed(sent: object, _: object) -> str | None:
    return str(sent) if str(sent) in CARD_INDICES else None


def _check(text: str, _: object) -> None:
    if text not in CARD_INDICES:
        raise ValueError(LABELS["no_such_card"])


class Inputs(Base, prefix="game_"):
    way: str = segmented_control(("soft", "sampled", "argmax"), "sampled")
    moment: int = slider(0, len(task.MOMENT_FRACTIONS) - 1, 2)
    draw: int = seed()
    asked: str = selection_in_picture(CARD_PICTURE, "3", text=_pressed, check=_check)


class CardGame(Result):
    """One question about S cards. The model was trained in the same way in which it reads."""

    step: int  # number of training steps
    cards: list[str]  # (S,) as "K4"
    asked: int  # the index of the card asked for
    letter: str  # on it
    truth: int  # the digit on it
    read: int | None  # the index of the card that is read; None: all of them, mixed
    weights: NDArray[np.float32]  # (S,)
    probabilities: NDArray[np.float32]  # (N_DIGIT,) of the answers
    answer: int  # the most probable one
    n_right: int  # right answers to the S possible questions, with one draw each

    def table(self) -> Table:
        return {LABELS["card"]: self.cards, LABELS["weight"]: self.weights}


@torch.no_grad()
def compute(inputs: Inputs, run: ExperimentRun) -> CardGame:
    """Answer every possible question about the cards on the table, and return the one that was asked."""
    moments, table = run.record["moment"], task.probe_table(run.seed, int(run.options["n_card"]))
    moment = min(inputs.moment, len(moments) - 1)
    model = task.rebuild_at_moment(run.record, inputs.way, moment)
    keys = model.keys(table.letters, table.digits)
    scores = model.scores(table.question, keys)
    weights = scores.softmax(-1)
    drawn = ways.sample_positions(weights, torch.Generator().manual_seed(inputs.draw))
    places = {"soft": None, "sampled": drawn, "argmax": ways.argmax_positions(scores)}[inputs.way]
    context = ways.mix_positions(weights, keys) if places is None else ways.select_positions(keys, places)
    answers = model.answer(context).softmax(-1)
    asked, cards = int(inputs.asked) if int(inputs.asked) < len(weights) else 0, task.card_names(table)
    return CardGame(
        step=int(moments[moment]),
        cards=cards,
        asked=asked,
        letter=cards[asked][0],
        truth=int(cards[asked][1:]),
        read=None if places is None else int(places[asked]),
        weights=weights[asked].numpy(),
        probabilities=answers[asked].numpy(),
        answer=int(answers[asked].argmax()),
        n_right=int((answers.argmax(-1) == table.answer).sum()),
    )


def draw(result: CardGame, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the cards, colored by their weights, and the answer; a click asks for a different card."""
    ui.token_row(
        [f"▸{card}" if at == result.read else card for at, card in enumerate(result.cards)],
        key=ui.picks.picture_widget_key(CARD_PICTURE, ""),
        values=result.weights,
        value_title=LABELS["weight"],
        limits=(0.0, 1.0),
        selected=result.asked,
        title=ui.section_text("label"),
    )
    is_true = [digit == result.truth for digit in range(N_DIGIT)]
    ui.bars(
        {f"★ {digit}" if true else str(digit): result.probabilities[digit] for digit, true in enumerate(is_true)},
        x=ui.Axis(ui.section_text("axis"), (0, 1)),
        printed=".2f",
        notes=[LABELS["on_the_card"] if true else "" for true in is_true],
        marked=is_true,
        alt=ui.section_text("alt"),
    )
