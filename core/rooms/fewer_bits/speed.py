"""Bytes and time: one matrix, kept in fewer bits, multiplied on this machine."""

from typing import Any

from core.exhibit import Inputs as Base
from core.exhibit import Result, number, segmented
from core.rooms.fewer_bits.compute import packing, timing
from core.rooms.fewer_bits.compute.timing import Timed

WIDTHS = {512: "512", 1024: "1,024", 2048: "2,048"}
TOKENS = {1: "one, as in writing", 64: "64, as in reading"}
NAMES = {32: "32 bits (float32)", 16: "16 bits (bfloat16)", 8: "8 bits", 4: "4 bits", 2: "2 bits"}
CODE = (packing.pack, packing.unpack, timing.product, timing.measure)


class Inputs(Base, prefix="speed_"):
    tokens: int = segmented("Tokens at once", TOKENS, 1)
    d_model: int = segmented("Width of the matrix", WIDTHS, 1024)
    again: int = number(
        "Measurement no.", 1, 20, 1, step=1, depth="numbers", reason="enough to see how much they differ",
        help="Another number measures the times again.",
    )  # fmt: skip


class Speed(Result):
    """One matrix product with weights of each kind, by bits."""

    timed: dict[int, Timed]
    names: dict[int, str]
    fastest: int
    slower: float  # how many times as long 4 bits take as 32
    smaller: float  # how many times fewer bytes 4 bits take than 32

    def table(self) -> dict[str, Any]:
        """One line for each kind, without the times, which no other machine has."""
        return {"bits": [*self.timed], "bytes": [one.n_byte for one in self.timed.values()]}


def compute(inputs: Inputs) -> Speed:
    """Time one matrix product with weights of each kind."""
    timed = timing.measure(inputs.d_model, inputs.tokens, inputs.again)
    return Speed(
        timed=timed,
        names=NAMES,
        fastest=min(timed, key=lambda bits: timed[bits].seconds),
        slower=timed[4].seconds / timed[32].seconds,
        smaller=timed[32].n_byte / timed[4].n_byte,
    )


def draw(result: Speed, inputs: Inputs) -> None:
    """A table, which stands in the text."""
