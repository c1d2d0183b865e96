"""A linear probe: the information that can be read from each layer, and three controls that show its limits."""

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed, segmented_control
from core.rooms.circuits.compute import probing
from core.rooms.circuits.compute.probing import QUESTIONS, ProbeResults

LABELS = module_labels(__name__)

WARM_UP = True
PLACES = (LABELS["place.embedding"], LABELS["place.0"], LABELS["place.1"])
LAYERS = (LABELS["layer.0"], LABELS["layer.1"])
QUESTION_NAMES = {"pronoun": LABELS["question.pronoun"], "color": LABELS["question.color"]}
CHANGES = (  # see `probing.CHANGES`
    LABELS["change.nothing"],
    LABELS["change.random"],
    LABELS["change.probe"],
    LABELS["change.all"],
    LABELS["change.moved"],
)
ACCURACY_TOLERANCE = 0.1  # accuracies that differ by no more than this count as the same
N_WORD = 9
CODE = (probing.fit_probe, probing.remove_directions, probing.shift_class, probing.predict_changed)


class Inputs(Base, prefix="probe_"):
    guess: str = guess_control(
        ("chance", "between", "same"),
    )
    ask: str = segmented_control(QUESTION_NAMES, "pronoun")
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
        shares = {LABELS["probe"]: one.trained, LABELS["drawn"]: one.drawn, LABELS["untrained"]: one.untrained}
        said = {LABELS("said", name=name): [None, *one.said[:, i]] for i, name in enumerate(CHANGES)}
        rows = {**shares, LABELS["again"]: (None, *one.again), **said}
        return {
            LABELS["place"]: [*PLACES],
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
        outcome=GuessOutcome(answer, LABELS("untrained_accuracy", untrained=untrained, trained=trained)),
    )


def draw(result: ProbeControls, inputs: Inputs) -> None:
    """Draw accuracy by layer, and the model's predictions without the probe's directions."""
    found = result.found
    bars = {QUESTION_NAMES[inputs.ask]: found.trained, LABELS["drawn"]: found.drawn}
    ui.grouped_bars(
        bars | ({LABELS["untrained"]: found.untrained} if result.is_told else {}),
        labels=PLACES,
        x=ui.section_text("right"),
        strokes=[result.chance] * len(PLACES),
        stroke=LABELS["by_chance"],
    )
    if result.is_told:
        ui.matrix(
            result.said,
            rows=LAYERS,
            columns=CHANGES,
            row_title=LABELS["after"],
            column_title=LABELS["taken_away"],
            value_title=LABELS["right_words"],
            key=f"probe-said-{inputs.ask}",
            label=ui.section_text("matrix"),
            takeaway=ui.section_text("said"),
        )
