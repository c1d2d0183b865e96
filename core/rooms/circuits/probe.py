"""A linear probe: the information that can be read from each layer, and three controls that show its limits."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed, segmented_control
from core.rooms.circuits.compute import probing
from core.rooms.circuits.compute.probing import QUESTIONS, ProbeResults

WARM_UP = True
PLACES = ("embedding", "after layer 0", "after layer 1")
QUESTION_NAMES = {"pronoun": "he or she", "color": "the color"}
CHANGES = ("nothing", "random", "probe's", "all", "moved")  # see `probing.CHANGES`
ACCURACY_TOLERANCE = 0.1  # accuracies that differ by no more than this count as the same
N_WORD = 9
CODE = (probing.fit_probe, probing.remove_directions, probing.shift_class, probing.predict_changed)


class Inputs(Base, prefix="probe_"):
    guess: str = guess_control(
        "In a model that was never trained, how often is a probe right?",
        {
            "chance": "about as often as by guessing",
            "between": "in between",
            "same": "about as often as in the trained",
        },
    )
    ask: str = segmented_control("The probe is asked for", QUESTION_NAMES, "pronoun")
    seed: int = seed()


class ProbeControls(Result):
    """The results for one question, at three places of the model."""

    is_told: bool
    found: ProbeResults
    said: NDArray[np.float64]  # (2, 5) after each layer: the share of right words that the model predicts, by `CHANGES`
    chance: float
    selectivity: list[float]  # at each place, the probe's accuracy minus that on random labels
    ending: str  # the last words of a story
    n_learned: int
    n_held: int
    outcome: GuessOutcome

    def table(self) -> Table:
        """Return one row for each place; before the first layer nothing was changed."""
        one = self.found
        shares = {"probe": one.trained, "labels by lot": one.drawn, "untrained": one.untrained}
        said = {f"model says it, changed: {name}": [None, *one.said[:, i]] for i, name in enumerate(CHANGES)}
        rows = {**shares, "new probe on the rest": (None, *one.again), **said}
        return {
            "place": [*PLACES],
            **{name: [v if v is None else round(float(v), 4) for v in values] for name, values in rows.items()},
        }


def compute(inputs: Inputs) -> ProbeControls:
    """Fit probes at each place, their controls, and run the model without the probed directions."""
    found, chance = probing.run_probes(inputs.ask, inputs.seed), 1 / len(QUESTIONS[inputs.ask].answers)
    trained, untrained = max(found.trained), max(found.untrained)
    answer = (
        "same"
        if untrained > trained - ACCURACY_TOLERANCE
        else "chance"
        if untrained < chance + ACCURACY_TOLERANCE
        else "between"
    )
    return ProbeControls(
        is_told=inputs.guess != NOT_YET,
        found=found,
        said=found.said,
        chance=chance,
        selectivity=[true - drawn for true, drawn in zip(found.trained, found.drawn, strict=True)],
        ending=" ".join(found.example.split()[-N_WORD:]),
        n_learned=probing.N_LEARNED,
        n_held=probing.N_HELD,
        outcome=GuessOutcome(answer, f"{untrained:.0%}, in the trained one {trained:.0%}"),
    )


def draw(result: ProbeControls, inputs: Inputs) -> None:
    """Draw accuracy by layer, and the model's predictions without the probe's directions."""
    found = result.found
    bars = {QUESTION_NAMES[inputs.ask]: found.trained, "labels by lot": found.drawn}
    ui.grouped_bars(
        bars | ({"untrained": found.untrained} if result.is_told else {}),
        labels=PLACES,
        x=ui.section_text("right"),
        strokes=[result.chance] * len(PLACES),
        stroke="by guessing",
    )
    if result.is_told:
        ui.matrix(
            result.said,
            rows=[place.removeprefix("after ") for place in PLACES[1:]],
            columns=CHANGES,
            row_title="after",
            column_title="taken away",
            value_title="right words",
            key=f"probe-said-{inputs.ask}",
            label=ui.section_text("matrix"),
            takeaway=ui.section_text("said"),
        )
