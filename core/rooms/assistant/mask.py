"""The loss mask: only the assistant's tokens of a demonstration count, compared with counting all of them."""

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import nn

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs as Base, Result, segmented_control, select
from core.rooms.assistant.compute import chat
from core.rooms.assistant.compute.chat import STYLES, assistant_mask, sample_demonstrations, styled_answer, token_losses
from core.rooms.assistant.compute.learning import recorded_model
from core.rooms.assistant.compute.reading import answer_accuracy
from core.rooms.assistant.compute.world import (
    ABOUT_THINGS,
    QUESTION_WORDS,
    USER,
    color_question,
    decode_words,
    encode_words,
)
from core.rooms.assistant.compute.writing import generate_answers
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)
TRAINED = "assistant"
MODELS = ("predictor", "tuned", "unmasked")
QUESTION = color_question("ball")
N_EVALUATED = 256  # demonstrations that no model was trained on
CODE = (chat.assistant_mask, chat.tuning_loss)


class Inputs(Base, prefix="mask_"):
    trained: str = segmented_control(MODELS, "tuned")
    style: str = select(STYLES, "kind")


class LossMask(Result):
    """The loss of each token of a demonstration, and the mean losses over many, with and without the mask."""

    words: tuple[str, ...]
    counts: tuple[bool, ...]  # whether it counts in the loss, for each token after the first
    n_counted: int
    losses: Float[NDArray[np.float32], " n"]  # nats of each token after the first
    user: dict[str, float]  # model -> mean nats of the user's tokens
    assistant: dict[str, float]  # model -> mean nats of the assistant's tokens
    right: dict[str, float]  # model -> share of right answers about things, decoded greedily
    plays: dict[str, str]  # model -> the text it writes after <user> alone

    def table(self) -> dict[str, list[object]]:
        """Return one row per token."""
        return {
            LABELS["table.token"]: [*self.words[1:]],
            LABELS["table.counted"]: [*self.counts],
            LABELS["table.nats"]: [round(float(x), 4) for x in self.losses],
        }


@torch.no_grad()
def compute(inputs: Inputs, run: ExperimentRun) -> LossMask:
    """Compute the losses of one chat, and mean losses over many."""
    said = styled_answer(QUESTION, QUESTION.truth, inputs.style)
    words = (*chat.question_prompt(QUESTION), *said)
    models = {name: recorded_model(run.record, name) for name in MODELS}
    ids = torch.tensor([encode_words(words)])
    many = sample_demonstrations(N_EVALUATED, torch.Generator().manual_seed(run.seed + 2))
    counted = assistant_mask(many)[:, 1:]
    users = torch.zeros_like(counted)
    users[:, : chat.N_PROMPT - 1] = True
    nats = {name: token_losses(model(many), many) for name, model in models.items()}
    counts = tuple(assistant_mask(ids)[0, 1:].tolist())
    return LossMask(
        words=words,
        counts=counts,
        n_counted=sum(counts),
        losses=token_losses(models[inputs.trained](ids), ids)[0].numpy(),
        user={name: float(one[users].mean()) for name, one in nats.items()},
        assistant={name: float(one[counted].mean()) for name, one in nats.items()},
        right={name: answer_accuracy(models[name], ABOUT_THINGS) for name in ("tuned", "unmasked")},
        plays={name: write_user_turn(models[name]) for name in ("tuned", "unmasked")},
    )


def write_user_turn(model: nn.Module) -> str:
    """Sample a text in the user's turn, with seed 1."""
    ids = generate_answers(
        model, torch.tensor([encode_words([USER])]), torch.Generator().manual_seed(1), QUESTION_WORDS
    )
    return " ".join(decode_words(ids[0, 1:]))


def draw(result: LossMask, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the chat twice: the tokens that count, and the loss of each token."""
    counts = [np.nan, *(1.0 if one else np.nan for one in result.counts)]
    counted = " ".join(word for word, is_counted in zip(result.words[1:], result.counts, strict=True) if is_counted)
    ui.token_row(
        result.words,
        values=counts,
        kind="probability",
        limits=(0, 1),
        value_title=LABELS["counts"],
        key="mask-counts",
        title=ui.section_text("counted"),
        takeaway=LABELS("counted", words=counted),
    )
    ui.token_row(
        result.words,
        values=[np.nan, *result.losses.tolist()],
        kind="value",
        limits=(0, 4),
        value_title=ui.quantity_label(LABELS["loss"], LABELS["nats"]),
        key=f"mask-losses-{inputs.trained}",
        title=LABELS("costs", trained=LABELS[f"trained.{inputs.trained}"]),
    )
