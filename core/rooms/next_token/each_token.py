"""The loss of a model at each token of a text."""

import math

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, ViewChoice, segmented_control
from core.inspect import loss as token_losses
from core.inspect.loss import TokenLoss
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.inspect.model_inputs.predicted_position import text_token_losses
from core.rooms.next_token.inputs import PositionInputs

LABELS = module_labels(__name__)

CODE = (token_losses.token_loss, token_losses.losses_from_logits)


class Inputs(PositionInputs):
    colors: str = segmented_control(("loss", "probability"), "loss", view=ViewChoice())


class TextLoss(Result):
    """The losses of a text, and its tokens."""

    losses: TokenLoss
    tokens: tuple[str, ...]
    mean: float  # loss, in nats; nan for a single token
    perplexity: float
    blind: float  # the loss of a uniform guess, in nats

    def table(self) -> Table:
        """Return one row per token."""
        return self.losses.table(self.tokens)


def compute(inputs: Inputs) -> TextLoss:
    """Compute loss, probability and rank of each token."""
    given = inputs.given
    losses = text_token_losses(given.key, given.encoded.ids_key)
    return TextLoss(
        losses=losses,
        tokens=given.tokens,
        mean=losses.mean,
        perplexity=math.exp(min(losses.mean, 700)),
        blind=math.log(len(model_vocabulary(given.key))),
    )


def draw(result: TextLoss, inputs: Inputs) -> None:
    """Draw the text, colored by the loss or the probability of each token."""
    given, losses = inputs.given, result.losses
    most = float(np.nanmax([result.blind, *losses.loss]))
    ui.token_row(
        result.tokens,
        key=f"next.text:{given.content}",
        ids=given.ids if ui.depth_at_least("numbers") else None,
        values=ui.select_by_choice(np.stack([losses.loss, losses.probability]), inputs.colors),
        kind=ui.select_by_choice(["value", "probability"], inputs.colors),
        limits=ui.select_by_choice([(0.0, most), (0.0, 1.0)], inputs.colors),
        value_title=ui.select_by_choice(
            [ui.quantity_label(LABELS["loss"], LABELS["nats"]), LABELS["probability"]], inputs.colors
        ),
        details=[LABELS["first_token"], *map(_detail, losses.probability[1:], losses.rank[1:])],
        selected=ui.choice_ref(
            inputs.place, none_value=given.n_token
        ),  # the position after the text has no token in it
        takeaway=LABELS("takeaway", n=len(result.tokens)),
    )


def _detail(probability: float, rank: int) -> str:
    place = {1: "first_guess", 2: "second_guess"}.get(int(rank), "guess")
    return LABELS(place, probability=float(probability), rank=int(rank))
