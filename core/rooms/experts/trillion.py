"""A trillion parameters: what a token meets, and what lies in memory, of this room's model and of published ones."""

from dataclasses import dataclass
from typing import Any

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, guess, segmented
from core.exhibit import Inputs as Base
from core.rooms.experts.compute import published
from core.rooms.experts.compute.published import Size
from core.rooms.experts.experiments.routing import config_of
from core.rooms.experts.sizes_chart import met_and_kept
from core.ui.numbers import in_bytes, short, times

GUESSES = {"switch": "Switch-C, the one of over a trillion", "gpt3": "GPT-3, the one of 175 billion"}
BYTES = {2: "16 bits", 1: "8 bits"}
OWN = (8, 1, 105)  # experts, active ones, characters of this room's model
WARM_UP = True  # the first use of torch's device without memory takes a second
CODE = (published.counted, published.idle, published.switch_c)


class Inputs(Base, prefix="size_of_"):
    """The guess, and the bytes of a number."""

    guess: str = guess("Before you look: which of two models computes more for each token?", GUESSES)
    bits: int = segmented("Numbers", BYTES, 2)


@dataclass(frozen=True)
class Result(Guessed):
    """Published models beside this room's."""

    guesses = GUESSES
    models: tuple[Size, ...]
    guess: str  # `NOT_YET` hides what a token meets
    n_byte: int

    @property
    def is_told(self) -> bool:
        return self.guess != NOT_YET

    def of(self, title: str) -> Size:
        return next(one for one in self.models if one.title == title)

    @property
    def switch(self) -> Size:
        return self.of("Switch-C")

    @property
    def gpt3(self) -> Size:
        return self.of("GPT-3 175B")

    @property
    def came(self) -> Came:
        return Came("gpt3" if self.gpt3.active > self.switch.active else "switch")

    @property
    def rows(self) -> list[tuple[str, str, str, str, str]]:
        """Name, all parameters, those active per token, their share, memory."""
        return [
            (
                one.title if one.is_counted else f"{one.title} (quoted)",
                short(one.total),
                short(one.active),
                f"{one.share:.1%}",
                in_bytes(one.total * self.n_byte),
            )
            for one in self.models
        ]

    @property
    def memory(self) -> str:
        return in_bytes(self.switch.total * self.n_byte)

    def words(self, count: float) -> str:
        return short(count)

    def times(self, ratio: float) -> str:
        return times(ratio)

    def table(self) -> dict[str, list[Any]]:
        """A line for each model; before a guess, without what a token meets."""
        active = {"active per token": [one.active for one in self.models]} if self.is_told else {}
        return {
            "model": [one.title for one in self.models],
            "all parameters": [one.total for one in self.models],
            **active,
            "counted here": [one.is_counted for one in self.models],
            "source": [one.source for one in self.models],
        }


def compute(inputs: Inputs) -> Result:
    """All models, counted from their sizes where a family of ours has them."""
    return Result(published.sizes(config_of("balanced", *OWN)), inputs.guess, inputs.bits)


def draw(result: Result, inputs: Inputs) -> None:
    """What a token meets beside what is kept."""
    ends = {
        one.title: (one.active if result.is_told else None, one.total, _told(one, result.is_told))
        for one in result.models
    }
    ui.chart(met_and_kept(ends, mode=ui.color_mode()), alt=ui.words("alt"), key="trillion-sizes")
    if not result.is_told:
        ui.say("guess")
        return
    ui.say("told")
    ui.say("table")
    ui.say("sources")


def _told(one: Size, is_told: bool) -> str:
    return f"{short(one.active)} of {short(one.total)}" if is_told else short(one.total)
