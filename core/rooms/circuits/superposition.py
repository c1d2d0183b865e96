"""Superposition: five features in two dimensions, represented together as long as they rarely co-occur."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    ViewChoice,
    guess_control,
    seed,
    segmented_control,
    select,
)
from core.rooms.circuits.experiments import superposition, superposition as task
from core.rooms.circuits.experiments.superposition import KINDS, PROBABILITIES
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "superposition"
MODELS = {"plane": LABELS["toy.plane"], "linear": LABELS["toy.linear"], "space": LABELS["toy.space"]}
PROBABILITY_NAMES = {
    1.0: LABELS["probability.1"],
    0.5: LABELS["probability.0.5"],
    0.2: LABELS["probability.0.2"],
    0.1: LABELS["probability.0.1"],
    0.05: LABELS["probability.0.05"],
    0.02: LABELS["probability.0.02"],
}
GUESSED_PROBABILITY = 0.05  # the probability of a feature in the question for the guess
MIN_ARROW = 0.5  # a feature with an arrow longer than this counts as represented
CODE = (superposition.ToyModels, task.Superposition, superposition.expected_loss)


def _is_told(inputs: "Inputs") -> bool:
    return bool(inputs.guess != NOT_YET)


class Inputs(Base, prefix="super_"):
    guess: str = guess_control(
        ("2", "3", "4", "5"),
    )
    model: str = segmented_control(MODELS, "plane", when=_is_told, view=ViewChoice())
    often: float = select(PROBABILITY_NAMES, 1.0, when=_is_told, view=ViewChoice())
    seed: int = seed()


class ToyResults(Result):
    """Three kinds of toy models, six of each."""

    run: ExperimentRun
    is_told: bool
    found: NDArray[np.float64]  # (3, 6, 3) the loss, and the mean error with one and with two features present
    n_kept_rare: int  # features that are kept where each is as rare as in the guess
    outcome: GuessOutcome | None

    def weight(self, kind: str, often: float) -> NDArray[np.float64]:
        """Return the weight of one model (H, N)."""
        return self.run.record[f"model.{kind}.weight"][PROBABILITIES.index(often)].astype(np.float64)

    def bias(self, kind: str, often: float) -> NDArray[np.float64]:
        """Return the bias of one model (N,)."""
        return self.run.record[f"model.{kind}.bias"][PROBABILITIES.index(often), 0].astype(np.float64)

    def kept(self, kind: str, often: float) -> int:
        """Return the number of its features that have an arrow."""
        return _count_arrows(self.weight(kind, often))

    def _found(self, kind: str, often: float) -> list[float]:
        numbers: list[float] = self.found[[*KINDS].index(kind), PROBABILITIES.index(often)].tolist()
        return numbers

    def loss(self, kind: str, often: float) -> float:
        return self._found(kind, often)[0]

    def first(self, kind: str, often: float) -> float:
        """Return the loss of a model that represents only as many features as there are dimensions."""
        return superposition.top_features_loss(KINDS[kind].n_hidden, KINDS[kind].n_feature, often)

    def share(self, kind: str, often: float) -> float:
        return self.loss(kind, often) / self.first(kind, often)

    def errors(self, kind: str, often: float) -> tuple[float, float]:
        """Return the mean error with one and with two features present."""
        _, one, two = self._found(kind, often)
        return one, two

    def meet(self, kind: str, often: float) -> float:
        """Return the probability that two or more features are present at once."""
        n = KINDS[kind].n_feature
        return float(1 - (1 - often) ** n - n * often * (1 - often) ** (n - 1))

    def table(self) -> Table:
        """Return one row for each model."""
        rows = [
            (MODELS[kind], often, self.kept(kind, often), round(self.loss(kind, often), 6), *self.errors(kind, often))
            for kind in KINDS
            for often in PROBABILITIES
        ]
        names = (
            LABELS["table.model"],
            LABELS["table.probability"],
            LABELS["table.kept"],
            LABELS["loss"],
            LABELS["error_one"],
            LABELS["error_two"],
        )
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def compute(inputs: Inputs, run: ExperimentRun) -> ToyResults:
    """Evaluate the current weights on every pattern of present features."""
    found = []
    for kind, (_, _, relu) in KINDS.items():
        weights, biases = run.record[f"model.{kind}.weight"], run.record[f"model.{kind}.bias"][:, 0]
        for weight, bias, often in zip(weights, biases, PROBABILITIES, strict=True):
            _, one, two, *_ = superposition.error_by_count(weight, bias, relu=relu)
            found.append((superposition.expected_loss(weight, bias, often, relu=relu), one, two))
    n = _count_arrows(run.record["model.plane.weight"][PROBABILITIES.index(GUESSED_PROBABILITY)])
    return ToyResults(
        run=run,
        is_told=_is_told(inputs),
        found=np.reshape(found, (len(KINDS), len(PROBABILITIES), 3)),
        n_kept_rare=n,
        outcome=GuessOutcome(str(n) if n > 1 else "", LABELS("n_kept", n=n)) if run.is_done else None,
    )


def _count_arrows(weight: NDArray[np.floating]) -> int:
    """Count the features of (H, N) weights that have an arrow."""
    return int((np.linalg.norm(weight.astype(np.float64), axis=0) > MIN_ARROW).sum())


def draw(result: ToyResults, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the arrows of one model, with its loss and that of a model that represents only the first features.

    Arrows are dragged and rotated in the browser, which recomputes the loss.
    """

    def each(make: Callable[..., object]) -> Any:
        return ui.for_each_option(make, inputs.model, inputs.often) if result.is_told else make("plane", 1.0)

    def takeaway(kind: str, often: float) -> str:
        n_hidden, n_feature = KINDS[kind].n_hidden, KINDS[kind].n_feature
        return LABELS("arrows", kept=result.kept(kind, often), n_feature=n_feature, n_hidden=n_hidden)

    ui.mount_widget(
        "superposition",
        toy=each(partial(_toy, result)),
        values={str(kind.n_feature): superposition.feature_values(kind.n_feature).tolist() for kind in KINDS.values()},
        importance=superposition.feature_importance(max(kind.n_feature for kind in KINDS.values())).tolist(),
        label=each(lambda kind, often: LABELS("toy", model=MODELS[kind], probability=PROBABILITY_NAMES[often])),
        takeaway=each(takeaway),
        key=f"super-{result.is_told}",
        height=460,
    )
    if not result.is_told:
        return
    if ui.depth_at_least("numbers"):
        _losses(result)
    if run.is_done:
        ui.add_template_values(each(partial(_cost, result)))


def _toy(result: ToyResults, kind: str, often: float) -> dict[str, object]:
    """Return one model as data for the browser."""
    return {
        "weight": result.weight(kind, often).tolist(),
        "bias": result.bias(kind, often).tolist(),
        "relu": KINDS[kind].relu,
        "often": often,
        "loss": result.loss(kind, often),
        "first": result.first(kind, often),
    }


def _cost(result: ToyResults, kind: str, often: float) -> dict[str, object]:
    """Return the number of represented features, the errors with one and two present, and their co-occurrence."""
    one, two = result.errors(kind, often)
    n_kept, n_feature = result.kept(kind, often), KINDS[kind].n_feature
    return {"n_kept": n_kept, "n_feature": n_feature, "one": one, "two": two, "chance": result.meet(kind, often)}


def _losses(result: ToyResults) -> None:
    """Draw the loss by the probability of a feature."""
    ticks = 0.02, 0.05, 0.1, 0.2, 0.5, 1.0
    ui.curves(
        {
            MODELS[kind]: (PROBABILITIES[::-1], [result.share(kind, often) for often in PROBABILITIES[::-1]])
            for kind in KINDS
        },
        x=ui.Axis(LABELS["probability_axis"], (0.02, 1), ticks=ticks, is_log=True),
        y=ui.Axis(ui.quantity_label(LABELS["loss"], LABELS["loss_unit"]), (0, 1.15)),
        height=230,
    )
