"""Names by the same rule for features, neurons, random directions, and the features of an untrained model."""

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control
from core.rooms.circuits.compute import naming
from core.rooms.circuits.compute.cards import naming_text
from core.rooms.circuits.experiments import features as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "features"
UNIT_KINDS = {
    "found": LABELS["units.found"],
    "untrained": LABELS["units.untrained"],
    "neurons": LABELS["units.neurons"],
    "random": LABELS["units.random"],
}
OWN, CONTEXT = LABELS["named.own"], LABELS["named.context"]
CODE = (naming.name_units, naming.find_kinds)


class Inputs(Base, prefix="names_"):
    guess: str = guess_control(
        ("none", "fewer", "more"),
    )


class Names(Result):
    """The number of units of each kind with a name that fits, and the kind of name."""

    run: ExperimentRun
    is_told: bool
    named: dict[str, tuple[int, int, int]]  # units -> named by own token, by others, total; empty while it trains
    n_named: dict[str, int]  # units with a name of either kind
    again: float  # the share of directions that recur with another seed, at a cosine above 0.9
    close: float  # the same at a cosine above 0.7
    n_dead: int  # features that never fire
    explained: tuple[float, float]  # explained variance: stories model, untrained model
    recovered: float  # the share of the loss from zeroing that the reconstructions recover
    outcome: GuessOutcome | None

    def table(self) -> Table:
        """Return one row for each kind of unit."""
        rows = [(UNIT_KINDS[who], *counts) for who, counts in self.named.items()]
        return (
            dict(zip((LABELS["units"], OWN, CONTEXT, "n"), map(list, zip(*rows, strict=True)), strict=True))
            if rows
            else {}
        )


def compute(inputs: Inputs, run: ExperimentRun) -> Names:
    """Count the names at the end of the run."""
    named: dict[str, tuple[int, int, int]] = {}
    for who in UNIT_KINDS if run.is_done else ():
        found = task.recorded_names(run.record, who)
        is_own = naming_text().kinds.of[found.kind] == naming.OWN
        named[who] = int((found.fits & is_own).sum()), int((found.fits & ~is_own).sum()), len(found.kind)
    record, n_named, outcome = run.record, {who: own + others for who, (own, others, _) in named.items()}, None
    if named:
        n_found, n_untrained = n_named["found"], n_named["untrained"]
        answer = "more" if n_untrained >= 0.9 * n_found else "fewer" if n_untrained > 0.2 * n_found else "none"
        outcome = GuessOutcome(answer, LABELS("n_against", n_untrained=n_untrained, n_found=n_found))
    plain, zero, rebuilt = map(float, record["loss"]) if named else (0.0, 1.0, 0.0)
    similar = record["similar"] if named else np.zeros(1)
    return Names(
        run=run,
        is_told=inputs.guess != NOT_YET,
        named=named,
        n_named=n_named,
        again=float(np.mean(similar > 0.9)),
        close=float(np.mean(similar > 0.7)),
        n_dead=int(record["dead"][0]) if named else 0,
        explained=(float(record["curve.found.explained"][-1]), float(record["curve.untrained.explained"][-1])),
        recovered=(zero - rebuilt) / (zero - plain),
        outcome=outcome,
    )


def draw(result: Names, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the shares of named units; the untrained model's only after a guess."""
    if not result.named:
        return
    shown = {who: counts for who, counts in result.named.items() if who != "untrained" or result.is_told}
    ui.grouped_bars(
        {kind: [counts[i] / counts[2] for counts in shown.values()] for i, kind in enumerate((OWN, CONTEXT))},
        labels=[UNIT_KINDS[who] for who in shown],
        x=ui.section_text("axis"),
    )
