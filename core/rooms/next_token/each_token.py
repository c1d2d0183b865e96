"""How surprised a model was by each token of a text."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.inputs import segmented
from core.inspect import loss as token_losses
from core.inspect.loss import TokenLoss
from core.inspect.reading.model_and_text import vocabulary
from core.inspect.reading.place_in_text import losses_of
from core.rooms.next_token.inputs import Place

CODE = (token_losses.token_loss, token_losses.from_logits)


class Inputs(Place):
    """What the colors say."""

    colors: str = segmented("Color by", {"loss": "Loss", "probability": "Probability"}, "loss")


@dataclass(frozen=True)
class Result:
    """The losses of a text, and its tokens."""

    losses: TokenLoss
    tokens: tuple[str, ...]
    n_vocabulary: int

    @property
    def blind(self) -> float:
        """The loss of all tokens alike, in nats."""
        return math.log(self.n_vocabulary)

    def table(self) -> dict[str, Any]:
        """One line for each token."""
        return self.losses.table(self.tokens)


def compute(inputs: Inputs) -> Result:
    """Loss, probability and rank of each token."""
    given = inputs.given
    return Result(losses_of(given.key, given.encoded.packed), given.tokens, len(vocabulary(given.key)))


def draw(result: Result, inputs: Inputs) -> None:
    """The text, colored by the loss or the probability of each token."""
    given, losses = inputs.given, result.losses
    if ui.picks.has_news("next.text", given.content):
        ui.st.rerun()
    by_loss, current = inputs.colors == "loss", inputs.place if inputs.place < given.n_token else None
    ui.token_row(
        result.tokens,
        key=ui.picks.key("next.text", given.content, current),
        ids=given.ids if ui.at_least("numbers") else None,
        values=losses.loss if by_loss else losses.probability,
        kind="value" if by_loss else "probability",
        limits=(0.0, float(np.nanmax([result.blind, *losses.loss]))) if by_loss else None,
        value_title=ui.measured("loss", "nats") if by_loss else "probability",
        details=["nothing predicts the first token", *map(_detail, losses.probability[1:], losses.rank[1:])],
        selected=current,
        takeaway=f"The text as the model reads it: {len(result.tokens)} tokens.",
    )
    mean = losses.mean
    ui.say("mean", shown="–" if math.isnan(mean) else f"{mean:.3f}")
    ui.say("blindly")
    ui.say("perplexity", shown="–" if math.isnan(mean) else f"{math.exp(min(mean, 700)):.2f}")


def _detail(probability: float, rank: int) -> str:
    place = {1: "the model's first guess", 2: "its second guess"}.get(int(rank), f"its guess number {int(rank):,}")
    return f"probability {probability:.4f}, {place}"
