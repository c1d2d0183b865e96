"""Errors in the lecture notes about sizes: a published model's count, and the parameters that one token uses."""

from core import ui
from core.exhibit import Inputs as Base
from core.inspect.slips import SlipRun, attention, run_slip

CODE = tuple(slip.run for slip in attention.SIZES)


class Inputs(Base):
    """No inputs."""


def compute(inputs: Inputs) -> SlipRun:
    """Count all parameters of the experts, and those that one token uses."""
    return run_slip(attention.SIZES, 0)


def draw(result: SlipRun, inputs: Inputs) -> None:
    ui.slip(result, "sizes")
