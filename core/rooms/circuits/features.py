"""A sparse autoencoder's features: each with its name, where it fires, and what the model writes without it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, Look, guess, nearest, seed, segmented, slider, text_input
from core.exhibit import Inputs as Base
from core.rooms.circuits.compute import dictionary, naming
from core.rooms.circuits.compute.cards import HOW, N_NAMED, N_NAMELESS, Card, cards, written
from core.rooms.circuits.experiments import features as task
from core.train.experiments.live import Live

EXPERIMENT = "features"
GUESSES = {"few": "one in a hundred", "tenth": "one in ten", "half": "half", "most": "nearly all"}
SHARES = {"few": 0.01, "tenth": 0.1, "half": 0.5, "most": 0.95}
AT = "features_at"
HELP = "Once: at the last token of your beginning, to twice its highest. Always: at every token, to its highest."
HEIGHT = 260
CODE = (dictionary.SparseAutoencoder, dictionary.reconstruction_loss, naming.named)


class Inputs(Base, prefix="features_"):
    """A guess, the training, and a feature to look at and to hold."""

    guess: str = guess("Of 384 neurons, how many fire for one kind of place, and nearly always for it?", GUESSES)
    seed: int = seed()
    at: int = slider("Feature", 0, N_NAMED + N_NAMELESS - 1, 0, look=Look(is_drawn=False))
    hold: str = segmented("The feature", HOW, "once", look=Look(), help=HELP)
    beginning: str = text_input("A story that begins with", "Lily had a red ball. She", max_chars=60)


@dataclass(frozen=True)
class Result(Guessed):
    """The training as far as it is, and of a finished one its features."""

    guesses = GUESSES
    run: Live
    guess: str
    cards: tuple[Card, ...]  # empty while it trains
    texts: tuple[tuple[str, ...], ...]  # how the model goes on with each feature, as of `HOW`

    @property
    def n_named(self) -> dict[str, int]:
        """How many have a name that fits: of the features, and of the neurons."""
        return {which: int(task.names_of(self.run.record, which).fits.sum()) for which in ("found", "neurons")}

    @property
    def n(self) -> dict[str, int]:
        """How many there are."""
        return {which: len(self.run.record[f"kind.{which}"]) for which in ("found", "neurons")}

    @property
    def came(self) -> Came | None:
        if not self.cards:
            return None
        named, n = self.n_named["neurons"], self.n["neurons"]
        return Came(nearest(named / n, SHARES), f"{named} of {n}")

    @property
    def explained(self) -> float:
        """The share of the variance that its few features explain."""
        return float(self.run.record["curve.found.explained"][-1])

    @property
    def losses(self) -> tuple[float, float, float]:
        """Nats of the model as it is, with zeros in place of its activations, and with what is rebuilt of them."""
        plain, zero, rebuilt = map(float, self.run.record["loss"])
        return plain, zero, rebuilt

    def table(self) -> dict[str, list[Any]]:
        """One line for each feature on show; of a training that goes on, look by look."""
        if not self.cards:
            return task.table(self.run.record)
        fields = ("number", "name", "nearest", "precision", "recall", "share")
        return {name: [getattr(card, name) for card in self.cards] for name in fields}


def compute(inputs: Inputs, run: Live) -> Result:
    """What each feature is, and what the model writes when it is held."""
    found = cards(run) if run.is_done else ()
    return Result(run, inputs.guess, found, written(run, inputs.beginning) if run.is_done else ())


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """All features on show by name; of one of them where it fires, and what follows with and without it."""
    if not result.cards:
        _curves(result, run)
        ui.say("after")
        return
    _menu(result)
    left, right = ui.pair("features-one")
    with left:
        _places(result)
    with right:
        _next(result)
    held = [
        [{"text": text, "how": how} for text, how in zip(texts, HOW.values(), strict=True)] for texts in result.texts
    ]
    ui.say_each("writes", held, AT, "features_hold")
    ui.say_each("name", [{"card": card} for card in result.cards], AT)
    ui.say("guessed" if inputs.guess != NOT_YET else "guess")
    if ui.at_least("numbers"):
        ui.say("rebuilt")
        _curves(result, run)


def _menu(result: Result) -> None:
    ui.token_row(
        [card.name or "no name" for card in result.cards],
        key="features-menu",
        values=[card.moved for card in result.cards],
        kind="probability",
        value_title="changed without it",
        title=ui.words("menu"),
        in_words=True,
        details=[f"feature {card.number}" for card in result.cards],
        selected=ui.chosen(AT),
    )


def _places(result: Result) -> None:
    ui.token_row(
        ui.along([list(card.tokens) for card in result.cards], AT),
        key="features-places",
        values=ui.along(np.array([card.values for card in result.cards], np.float32), AT),
        kind="probability",
        value_title="share of its highest",
        title=ui.words("places"),
    )


def _next(result: Result) -> None:
    ui.before_after(
        ui.along([list(card.likely) for card in result.cards], AT),
        ui.along([card.probabilities[0].tolist() for card in result.cards], AT),
        ui.along([card.probabilities[1].tolist() for card in result.cards], AT),
        names=("as it is", "off"),
        key="features-next",
        label=ui.words("next"),
        takeaway=ui.words("next"),
    )


def _curves(result: Result, run: Live) -> None:
    record = run.record
    names = {"found": "the stories model", "again": "another seed", "untrained": "an untrained model"}
    ui.curves(
        {name: (record["step"], record[f"curve.{v}.explained"]) for v, name in names.items()},
        n_step=run.n_step,
        y=ui.Axis("share of variance explained", (0, 1)),
        height=HEIGHT,
        alt=ui.words("curves"),
    )
