"""Bytes and time: one matrix, kept in fewer bits, multiplied on this machine."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import Inputs as Base
from core.exhibit import number, segmented
from core.rooms.fewer_bits.compute import packing, timing
from core.rooms.fewer_bits.compute.timing import Timed

WIDTHS = {512: "512", 1024: "1,024", 2048: "2,048"}
TOKENS = {1: "one, as in writing", 64: "64, as in reading"}
NAMES = {32: "32 bits (float32)", 16: "16 bits (bfloat16)", 8: "8 bits", 4: "4 bits", 2: "2 bits"}
CODE = (packing.pack, packing.unpack, timing.product, timing.measure)


class Inputs(Base, prefix="speed_"):
    """How wide the matrix is, and for how many tokens; another number measures again."""

    tokens: int = segmented("Tokens at once", TOKENS, 1)
    d_model: int = segmented("Width of the matrix", WIDTHS, 1024)
    again: int = number(
        "Measurement no.", 1, 20, 1, step=1, depth="numbers", reason="enough to see how much they differ",
        help="Another number measures the times again.",
    )  # fmt: skip


@dataclass(frozen=True)
class Result:
    """What was measured, by bits."""

    timed: dict[int, Timed]

    @property
    def names(self) -> dict[int, str]:
        return NAMES

    @property
    def fastest(self) -> int:
        return min(self.timed, key=lambda bits: self.timed[bits].seconds)

    @property
    def slower(self) -> float:
        """How many times as long 4 bits take as 32."""
        return self.timed[4].seconds / self.timed[32].seconds

    @property
    def smaller(self) -> float:
        """How many times fewer bytes 4 bits take than 32."""
        return self.timed[32].n_byte / self.timed[4].n_byte

    def table(self) -> dict[str, Any]:
        """One line for each kind, without the times, which no other machine has."""
        return {"bits": [*self.timed], "bytes": [one.n_byte for one in self.timed.values()]}


def compute(inputs: Inputs) -> Result:
    """One matrix product with weights of each kind."""
    return Result(timing.measure(inputs.d_model, inputs.tokens, inputs.again))


def draw(result: Result, inputs: Inputs) -> None:
    """A table, and what it means."""
    ui.say("facts")
    ui.say("bytes")
    ui.say("time")
    ui.say("fused")
