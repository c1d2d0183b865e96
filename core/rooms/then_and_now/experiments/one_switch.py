"""One switch between 2017 and today, trained live: the block with it and without it, three seeds each, equal work."""

from collections.abc import Mapping
from typing import Any

from core.inputs import Inputs, segmented, select, steps
from core.rooms.then_and_now.compute.switches import STARTS, STATES, SWITCHES, THEN, Setting, others, setting
from core.rooms.then_and_now.compute.training import N_STEP, Switched

WITHOUT, WITH = "without", "with"


def _titles(given: Any) -> dict[str, str]:
    return {state: f"{SWITCHES[STATES[state][0]].title}: {STATES[state][1].title}" for state in others(given.start)}


class Options(Inputs, prefix="switch_"):
    """The block to begin with, and the one part that is built in another way."""

    start: str = segmented("Begin with", STARTS, THEN)
    state: str = select("and change", _titles, lambda i: "pre-norm" if i.start == THEN else "sinusoidal")
    n_step: int = steps(N_STEP, most=N_STEP)


class OneSwitch(Switched):
    """The block "without" the change and "with" it. See `Switched`."""

    title = "One switch between 2017 and today"

    def settings(self) -> Mapping[str, Setting]:
        start, state = self.options.start, self.options.state
        return {WITHOUT: setting(start), WITH: setting(start, state)}
