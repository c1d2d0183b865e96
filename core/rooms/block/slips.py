"""Slips of the lecture notes about the block, run as written beside the right version."""

from core import ui
from core.exhibit import Inputs as Base, seed
from core.inspect.slips import SlipRun, attention, run_slip

CODE = tuple(slip.run for slip in attention.BLOCK)


class Inputs(Base):
    seed: int = seed(name="block_slip_seed")


def compute(inputs: Inputs) -> SlipRun:
    """One slip, as written and as it is right."""
    return run_slip(attention.BLOCK, inputs.seed)


def draw(result: SlipRun, inputs: Inputs) -> None:
    """Both versions."""
    ui.slip(result, "block")
