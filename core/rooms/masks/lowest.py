"""Which number to write for minus infinity, and what becomes of a row that may read nothing."""

from core import ui
from core.inputs import slider
from core.nn.attention import masked_softmax
from core.rooms.masks.compute import mask_placement
from core.rooms.masks.compute.mask_placement import KINDS, LowestNumbers
from core.rooms.masks.inputs import Head

CODE = (mask_placement.lowest_numbers, masked_softmax)


class Inputs(Head, prefix="mask_"):
    """One row of the head."""

    row: int = slider("Row to look at", 0, lambda i: i.given.n_token - 1, lambda i: i.given.n_token // 2)


def compute(inputs: Inputs) -> LowestNumbers:
    """Every candidate for minus infinity, written into the blocked scores of one row."""
    record = inputs.given.attention
    return mask_placement.lowest_numbers(record.scores[inputs.layer, inputs.head, inputs.row], record.mask[inputs.row])


def draw(result: LowestNumbers, inputs: Inputs) -> None:
    """A table: number, kind of floating-point number, leak, empty row."""
    ui.say("row")
    rows = [f"| {name} | " + " | ".join(result.outcomes(name)) + " |" for name in result.names]
    ui.st.markdown("\n".join([f"| added | {' | '.join(KINDS.values())} |", "|---|---|---|---|", *rows]))
    ui.say("kinds")
    ui.say("torch")
