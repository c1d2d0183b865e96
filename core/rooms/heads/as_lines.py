"""Any set of heads as lines between two columns of the same text."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.inspect.trace import AttentionRecord
from core.nn.attention import MultiHeadAttention, masked_softmax
from core.rooms.heads.inputs import Head
from core.rooms.heads.lines_widget import MOST_TOKENS, lines

LEAST = 0.1  # thinner lines are noise at first sight; the slider brings them back
CODE = (masked_softmax, MultiHeadAttention.forward)


class Inputs(Head):
    """The head that is drawn at first."""


@dataclass(frozen=True)
class Result:
    """All attention of a text."""

    record: AttentionRecord
    tokens: tuple[str, ...]

    def table(self) -> dict[str, Any]:
        """Every weight that is drawn at the threshold set at first, in all heads."""
        return self.record.strong_table(self.tokens, LEAST)


def compute(inputs: Inputs) -> Result:
    """The weights of all heads."""
    return Result(inputs.given.attention, inputs.given.tokens)


def draw(result: Result, inputs: Inputs) -> None:
    """All heads are sent once; which of them are drawn is decided in the browser."""
    if len(result.tokens) > MOST_TOKENS:
        ui.say("cut", most=MOST_TOKENS)
    lines(
        result.record.weights[:, :, :MOST_TOKENS, :MOST_TOKENS],
        tokens=result.tokens[:MOST_TOKENS],
        key="heads.lines",
        open_head=(ui.chosen("layer"), ui.chosen("head")),
        row=ui.chosen("query"),
        threshold=LEAST,
        label="Who reads whom",
    )
