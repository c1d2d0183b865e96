"""Errors in the lecture notes about attention, run as written next to the correct version."""

from core import ui
from core.exhibit import Inputs as Base, seed, select
from core.inspect.slips import SlipRun, attention, run_slip

CODE = tuple(slip.run for slip in attention.STEPS)


class Inputs(Base, prefix="steps_"):
    """The seed of the numbers, and the selected error."""

    seed: int = seed(name="steps_slip_seed")
    slip: int = select("Slip", {i: slip.name for i, slip in enumerate(attention.STEPS)}, 0)


def compute(inputs: Inputs) -> SlipRun:
    """Run both versions of each on numbers drawn from the seed."""
    return run_slip(attention.STEPS, inputs.seed, place=inputs.slip)


def draw(result: SlipRun, inputs: Inputs) -> None:
    """Draw both versions of the selected one."""
    ui.slip(result, "steps")
