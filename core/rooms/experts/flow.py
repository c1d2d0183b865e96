"""Which token goes to which expert, over a training, and whether that follows the topic or the token."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from core import ui
from core.exhibit import NOT_YET, Came, Guessed, Look, guess, seed, segmented
from core.exhibit import Inputs as Base
from core.nn.experts import MixtureOfExperts
from core.rooms.experts.compute import routing
from core.rooms.experts.compute.mixed_text import NAMES as TOPIC_NAMES
from core.rooms.experts.compute.mixed_text import TOPICS
from core.rooms.experts.compute.routing import Told
from core.rooms.experts.experiments import routing as experiment
from core.rooms.experts.experiments.routing import MIXTURES, N_LAYER, NAMES
from core.rooms.experts.flow_widget import flow
from core.train.experiments.live import Live

EXPERIMENT = "routing"
GUESSES = {"topic": "by topic", "token": "by kind of token"}
BY = {"kinds": "Kind of token", "topics": "Topic"}
ROWS = {
    "kinds": ("Vowels", "Consonants", "Capitals", "Digits", "Spaces", "Other signs"),
    "topics": (*(TOPIC_NAMES[one] for one in TOPICS), "", ""),
}
CODE = (MixtureOfExperts, experiment.objective, experiment.Routing, routing.told)


class Inputs(Base, prefix="flow_"):
    """The guess, what the tokens are sorted by, the layer; and the training."""

    guess: str = guess("Before you look: how will the experts share out the tokens?", GUESSES)
    by: str = segmented("Sort tokens by", BY, "kinds", look=Look())
    layer: int = segmented("Layer", {n: f"layer {n}" for n in range(N_LAYER)}, 0, look=Look(), depth="numbers")
    mixture: str = segmented("Router", {one: NAMES[one] for one in MIXTURES}, "balanced", heading="", depth="numbers")
    n_expert: int = experiment.Options.control("n_expert")
    n_active: int = experiment.Options.control("n_active")
    seed: int = seed(depth="numbers")


@dataclass(frozen=True)
class Result(Guessed):
    """Where the tokens of four topics went; once there has been a guess, at all moments and what that follows."""

    guesses = GUESSES
    run: Live
    guess: str  # `NOT_YET` hides all but the untrained model
    mixture: str
    told: tuple[Told, ...]  # of each layer, now

    @property
    def is_told(self) -> bool:
        return self.guess != NOT_YET

    @property
    def token(self) -> float:
        """What the token tells of its expert, as a share of all there is to know; mean of the layers."""
        return float(np.mean([one.token for one in self.told]))

    @property
    def topic(self) -> float:
        return float(np.mean([one.topic for one in self.told]))

    @property
    def token_more(self) -> float:
        """What the token adds where the topic is known; mean of the layers."""
        return float(np.mean([one.token_more for one in self.told]))

    @property
    def topic_more(self) -> float:
        return float(np.mean([one.topic_more for one in self.told]))

    @property
    def by_chance(self) -> float:
        return max(one.by_chance for one in self.told)

    @property
    def came(self) -> Came | None:
        if not self.run.is_done:
            return None
        return Came("token" if self.token_more > self.topic_more else "topic")

    @property
    def mixture_name(self) -> str:
        return NAMES[self.mixture]

    @property
    def moments(self) -> slice:
        """Those that may be shown."""
        return slice(None) if self.is_told else slice(0, 1)

    def counts(self, by: str) -> Any:
        """(n, L, rows, E) how often tokens of each row were sent to an expert."""
        return self.run.record[f"frames.{self.mixture}.{by}"][self.moments]

    def table(self) -> dict[str, list[Any]]:
        """Both sortings at the newest moment that may be shown."""
        rows = [
            (layer, BY[by], ROWS[by][row], *counts.tolist())
            for by in BY
            for layer, of_layer in enumerate(self.counts(by)[-1])
            for row, counts in enumerate(of_layer)
        ]
        columns = [*zip(*rows, strict=True)]
        names = ["layer", "sorted by", "tokens", *(f"expert {n}" for n in range(1, len(columns) - 2))]
        return {name: list(column) for name, column in zip(names, columns, strict=True)}


def compute(inputs: Inputs, run: Live) -> Result:
    """What token and topic tell of the expert, in each layer of one of the two mixtures."""
    record = run.record
    told = tuple(
        routing.told(layer, record["held.ids"], record["held.topic"], run.seed)
        for layer in record[f"routed.{inputs.mixture}"]
    )
    return Result(run, inputs.guess, inputs.mixture, told)


def draw(result: Result, inputs: Inputs, run: Live) -> None:
    """The flow and the text; then what it follows."""
    record = run.record
    most = len(ROWS["kinds"])
    by_layer = []
    for by in BY:
        counts = result.counts(by).swapaxes(0, 1).astype(np.int32)  # (L, n, rows, E)
        missing = most - counts.shape[2]
        by_layer.append(np.pad(counts, ((0, 0), (0, 0), (0, missing), (0, 0))))
    values = np.stack(by_layer, 1)  # (L, by, n, rows, E)
    text = record[f"frames.{result.mixture}.text"][result.moments].swapaxes(0, 1)  # (L, n, N)
    characters = [chr(record["vocabulary"][one]) for one in record["shown.ids"]]
    by = ui.each(str, "flow_by")
    flow(
        ui.along(values, "flow_layer", "flow_by"),
        ui.along(np.ascontiguousarray(text), "flow_layer"),
        steps=record["step"][result.moments].tolist(),
        rows=ui.over(lambda one: [name for name in ROWS[one] if name], by),
        characters=characters,
        titles=[TOPIC_NAMES[one] for one in TOPICS],
        hint=ui.words("hint"),
        key=f"flow-{result.mixture}",
        label="",
        takeaway=ui.words("takeaway"),
    )
    ui.say("told" if result.is_told else "guess")
    if result.is_told:
        ui.say("layers")
    ui.say("topics")
    ui.say("mixtral")
