"""Errors in the lecture notes about the block, each run as written and as corrected."""

from core import ui
from core.exhibit import Inputs as Base, seed
from core.inspect.slips import SlipRun, attention, run_slip

CODE = tuple(slip.run for slip in attention.BLOCK)


class Inputs(Base):
    seed: int = seed(name="block_slip_seed")


def compute(inputs: Inputs) -> SlipRun:
    """Run one error, as written and as corrected."""
    return run_slip(attention.BLOCK, inputs.seed)


def draw(result: SlipRun, inputs: Inputs) -> None:
    """Draw both versions."""
    ui.slip(result, "block")
