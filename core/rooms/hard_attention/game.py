"""The card game: one question, answered from a mixture of all cards and from a card that is drawn."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, Table
from core.rooms.hard_attention.compute import card_model as ways
from core.rooms.hard_attention.compute.card_model import CardModel
from core.rooms.hard_attention.experiments import choosing as task
from core.rooms.hard_attention.experiments.choosing import CardTables
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "choosing"
WAYS = ("soft", "sampled")
N_DRAW = 20
OPENING = 2  # the moment at which soft attention is ahead: 1/16 of the training
ASKED = 3  # the card that is asked for at first
CODE = (ways.mix_positions, ways.sample_positions, task.measure_accuracies)


class Inputs(Base):
    """No inputs: moment, card and draw are chosen in the picture."""


class CardGame(Result):
    """Both ways of reading at M moments of their training, for the questions about each of S cards."""

    steps: list[int]  # (M,) training steps
    cards: list[str]  # (S,) as "K4"
    weights: NDArray[np.float32]  # (2, M, S, S) of each card for each question; soft, then hard
    answers: NDArray[np.int64]  # (2, M, S, S) digit that is answered when reading: see `read_answers`
    drawn: NDArray[np.int64]  # (M, S, N_DRAW) cards that hard attention draws for each question
    right: NDArray[np.float64]  # (2, M) fraction of right answers to new questions; hard: expected over the draws

    def table(self) -> Table:
        return {LABELS["step"]: self.steps} | {LABELS[f"right.{way}"]: self.right[i] for i, way in enumerate(WAYS)}


@torch.no_grad()
def read_answers(model: CardModel, way: str, table: CardTables) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return weights and the most probable digits, (S, S) each: for a question, by card read.

    Soft attention reads all cards, so its answer to a question is the same in the whole row.
    """
    keys = model.keys(table.letters, table.digits)  # (S, S, D)
    weights = model.scores(table.question, keys).softmax(-1)  # (S, S)
    read = keys if way == "sampled" else ways.mix_positions(weights, keys)[:, None].expand_as(keys)
    return weights.numpy(), model.answer(read).argmax(-1).numpy()


def compute(inputs: Inputs, run: ExperimentRun) -> CardGame:
    """Answer the question about every card at every recorded moment, in both ways."""
    n_card, steps = int(run.options["n_card"]), run.record["moment"].tolist()
    table, held = task.probe_table(run.seed, n_card), task.held_out_tables(run.seed, n_card)
    models = [[task.rebuild_at_moment(run.record, way, m) for m in range(len(steps))] for way in WAYS]
    found = [[read_answers(model, way, table) for model in row] for way, row in zip(WAYS, models, strict=True)]
    weights, answers = (np.stack([[one[i] for one in row] for row in found]) for i in range(2))
    draws = [
        [ways.sample_positions(torch.from_numpy(w), torch.Generator().manual_seed(n)).numpy() for n in range(N_DRAW)]
        for w in weights[1]
    ]
    right = [[task.measure_accuracies(m, held)[0][way] for m in row] for way, row in zip(WAYS, models, strict=True)]
    return CardGame(
        steps=steps,
        cards=task.card_names(table),
        weights=weights,
        answers=answers,
        drawn=np.array(draws).swapaxes(1, 2),
        right=np.array(right),
    )


def draw(result: CardGame, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the cards twice, with what is read of them and the answer; everything is chosen in the browser."""
    opening, asked = min(OPENING, len(result.steps) - 1), min(ASKED, len(result.cards) - 1)
    misses = np.flatnonzero(result.drawn[opening, asked] != asked)
    ui.add_template_values(opening=opening, run=run)
    ui.mount_widget(
        "card_game",
        key="card-game",
        height=470,
        is_compressed=True,
        takeaway=ui.section_text("takeaway"),
        steps=result.steps,
        cards=result.cards,
        opening=opening,
        asked=asked,
        draw=int(misses[0]) if len(misses) else 0,  # a draw that misses makes the point
        n_held=task.N_HELD,
        weights=result.weights,
        answers=result.answers.astype(np.uint8),
        drawn=result.drawn.astype(np.uint8),
        right=result.right.astype(np.float32),
    )
