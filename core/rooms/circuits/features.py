"""A sparse autoencoder's features: each with its name, where it fires, and the model's text without it."""

import numpy as np

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
    nearest_label,
    seed,
    segmented_control,
    slider,
    text_input,
)
from core.rooms.circuits.compute import dictionary, naming
from core.rooms.circuits.compute.cards import CLAMP_MODES, N_NAMED, N_NAMELESS, Card, clamped_texts, feature_cards
from core.rooms.circuits.experiments import features as task
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "features"
SHARES = {"few": 0.01, "tenth": 0.1, "half": 0.5, "most": 0.95}
CARD_FIELDS = {
    "number": LABELS["table.number"],
    "name": LABELS["table.name"],
    "nearest": LABELS["table.nearest"],
    "precision": LABELS["table.precision"],
    "recall": LABELS["table.recall"],
    "share": LABELS["table.share"],
}  # of the table
CODE = (dictionary.SparseAutoencoder, dictionary.reconstruction_loss, naming.name_units)


class Inputs(Base, prefix="features_"):
    guess: str = guess_control(
        ("few", "tenth", "half", "most"),
    )
    seed: int = seed()
    at: int = slider(0, N_NAMED + N_NAMELESS - 1, 0, view=ViewChoice(is_drawn=False))
    hold: str = segmented_control(CLAMP_MODES, "once", view=ViewChoice())
    beginning: str = text_input("Lily had a red ball. She", max_chars=60)


class FeatureCards(Result):
    """The run so far, and the features of a finished run."""

    run: ExperimentRun
    is_told: bool
    cards: tuple[Card, ...]  # empty while it trains
    texts: tuple[tuple[str, ...], ...]  # the model's continuation for each feature and each of `CLAMP_MODES`
    n: dict[str, int]  # the number of features, and of neurons
    n_named: dict[str, int]  # those with a name that fits; empty while it trains
    explained: float  # the share of the variance that the features explain
    # Nats of the unchanged model, and with its activations replaced by zeros, and by their reconstructions.
    losses: tuple[float, ...]
    outcome: GuessOutcome | None

    def table(self) -> Table:
        """Return one row for each feature shown; while it trains, one for each evaluation."""
        if not self.cards:
            return task.table(self.run.record)
        return {title: [getattr(card, name) for card in self.cards] for name, title in CARD_FIELDS.items()}


def compute(inputs: Inputs, run: ExperimentRun) -> FeatureCards:
    """Collect the features' names and positions, and generate the texts with each feature clamped."""
    both = ("found", "neurons")
    n = {which: len(run.record[f"kind.{which}"]) for which in both} if run.is_done else {}
    named = {which: int(task.recorded_names(run.record, which).fits.sum()) for which in n}
    outcome = None
    if run.is_done:
        answer = nearest_label(named["neurons"] / n["neurons"], SHARES)
        outcome = GuessOutcome(answer, LABELS("n_of", n_named=named["neurons"], n_neuron=n["neurons"]))
    return FeatureCards(
        run=run,
        is_told=inputs.guess != NOT_YET,
        cards=feature_cards(run) if run.is_done else (),
        texts=clamped_texts(run, inputs.beginning) if run.is_done else (),
        n=n,
        n_named=named,
        explained=float(run.record["curve.found.explained"][-1]),
        losses=tuple(map(float, run.record["loss"])) if run.is_done else (),
        outcome=outcome,
    )


def draw(result: FeatureCards, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the menu of features; for the selected one its positions, and the next tokens with and without it."""
    if not result.cards:
        _curves(run)
        return
    _menu(result, inputs)
    left, right = ui.two_columns("features-one")
    with left:
        _places(result, inputs)
    with right:
        _next(result, inputs)
    ui.show_text_section(
        "writes",
        how=ui.for_each_option(CLAMP_MODES.get, inputs.hold),
        text=ui.select_by_choice(result.texts, inputs.at, inputs.hold),
    )
    if ui.depth_at_least("numbers"):
        _curves(run)
    ui.add_template_values(ui.select_by_choice([{"card": card} for card in result.cards], inputs.at))


def _menu(result: FeatureCards, inputs: Inputs) -> None:
    ui.token_row(
        [card.name or LABELS["no_name"] for card in result.cards],
        key="features-menu",
        values=[card.moved for card in result.cards],
        kind="probability",
        value_title=LABELS["moved"],
        title=ui.section_text("menu"),
        in_words=True,
        details=[LABELS("feature", number=card.number) for card in result.cards],
        selected=ui.choice_ref(inputs.at),
    )


def _places(result: FeatureCards, inputs: Inputs) -> None:
    ui.token_row(
        ui.select_by_choice([list(card.tokens) for card in result.cards], inputs.at),
        key="features-places",
        values=ui.select_by_choice(np.array([card.values for card in result.cards], np.float32), inputs.at),
        kind="probability",
        value_title=LABELS["activation"],
        title=ui.section_text("places"),
    )


def _next(result: FeatureCards, inputs: Inputs) -> None:
    ui.before_after_bars(
        ui.select_by_choice([list(card.likely) for card in result.cards], inputs.at),
        ui.select_by_choice([card.probabilities[0].tolist() for card in result.cards], inputs.at),
        ui.select_by_choice([card.probabilities[1].tolist() for card in result.cards], inputs.at),
        names=(LABELS["with_feature"], LABELS["without_feature"]),
        key="features-next",
        label=ui.section_text("next"),
        takeaway=ui.section_text("next"),
    )


def _curves(run: ExperimentRun) -> None:
    record = run.record
    names = {
        "found": LABELS["autoencoder.found"],
        "again": LABELS["autoencoder.again"],
        "untrained": LABELS["autoencoder.untrained"],
    }
    ui.curves(
        {name: (record["step"], record[f"curve.{v}.explained"]) for v, name in names.items()},
        n_step=run.n_step,
        y=ui.Axis(LABELS["explained_axis"], (0, 1)),
    )
