"""What position 0 adds to a token's vector, and what a lecture note printed instead."""

from core import ui
from core.inputs import Inputs as Base
from core.inputs import slider
from core.nn.positions import sinusoidal
from core.rooms.positions.compute.lecture_positions import Printed, printed_token

CODE = (sinusoidal,)


class Inputs(Base, prefix="zero_"):
    """Where the token stands."""

    position: int = slider("Position", 0, 30, 0)


def compute(inputs: Inputs) -> Printed:
    """A printed embedding, and the position added to it."""
    return printed_token(inputs.position)


def draw(result: Printed, inputs: Inputs) -> None:
    """The vectors below each other."""
    ui.matrix(
        list(result.rows.values()),
        rows=list(result.rows),
        columns=[str(j) for j in result.columns],
        key="position-zero",
        kind="signed",
        limits=(-2, 2),
        row_title="vector",
        column_title="number",
        value_title="value",
        label="A token's vector, its position, and their sum",
        takeaway=f"Position {inputs.position} adds {', '.join(f'{value:.4f}' for value in result.added)}.",
        height=210,
    )
    ui.say("off")
