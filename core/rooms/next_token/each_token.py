"""How surprised a model was by each token of a text."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.exhibit import Look, segmented
from core.inspect import loss as token_losses
from core.inspect.loss import TokenLoss
from core.inspect.reading.model_and_text import vocabulary
from core.inspect.reading.place_in_text import losses_of
from core.rooms.next_token.inputs import Place

CODE = (token_losses.token_loss, token_losses.from_logits)


class Inputs(Place):
    """What the colors say."""

    colors: str = segmented("Color by", {"loss": "Loss", "probability": "Probability"}, "loss", look=Look())


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
    return Result(losses_of(given.key, given.encoded.ids_key), given.tokens, len(vocabulary(given.key)))


def draw(result: Result, inputs: Inputs) -> None:
    """The text, colored by the loss or the probability of each token."""
    given, losses = inputs.given, result.losses
    most = float(np.nanmax([result.blind, *losses.loss]))
    ui.token_row(
        result.tokens,
        key=f"next.text:{given.content}",
        ids=given.ids if ui.at_least("numbers") else None,
        values=ui.along(np.stack([losses.loss, losses.probability]), "colors"),
        kind=ui.along(["value", "probability"], "colors"),
        limits=ui.along([(0.0, most), (0.0, 1.0)], "colors"),
        value_title=ui.along([ui.measured("loss", "nats"), "probability"], "colors"),
        details=["nothing predicts the first token", *map(_detail, losses.probability[1:], losses.rank[1:])],
        selected=ui.chosen("place", unless=given.n_token),  # what follows the text is no token of it
        takeaway=f"The text as the model reads it: {ui.plural(len(result.tokens), 'token')}.",
    )
    mean = losses.mean
    ui.say("mean", shown="–" if math.isnan(mean) else f"{mean:.3f}")
    ui.say("blindly")
    ui.say("perplexity", shown="–" if math.isnan(mean) else f"{math.exp(min(mean, 700)):.2f}")


def _detail(probability: float, rank: int) -> str:
    place = {1: "the model's first guess", 2: "its second guess"}.get(int(rank), f"its guess number {int(rank):,}")
    return f"probability {probability:.4f}, {place}"
