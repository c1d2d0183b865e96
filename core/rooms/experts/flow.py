"""The expert that each token is sent to, during training, and whether that follows the topic or the token."""

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
)
from core.nn.experts import MixtureOfExperts
from core.rooms.experts.compute import routing
from core.rooms.experts.compute.mixed_text import TOPIC_NAMES, TOPIC_NAMES_IN_TEXT, TOPICS
from core.rooms.experts.experiments import routing as experiment
from core.rooms.experts.experiments.routing import MIXTURES, N_LAYER, VARIANT_NAMES
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "routing"
SORTINGS = {"kinds": LABELS["by.kinds"], "topics": LABELS["by.topics"]}
SORTING_ROWS = {
    "kinds": [
        LABELS["kind.vowels"],
        LABELS["kind.consonants"],
        LABELS["kind.capitals"],
        LABELS["kind.digits"],
        LABELS["kind.spaces"],
        LABELS["kind.signs"],
    ],
    "topics": [TOPIC_NAMES[topic] for topic in TOPICS],
}
SORTING_ROWS_IN_TEXT = {  # the same in a sentence
    "kinds": list(LABELS.options("kind_in_text").values()),
    "topics": [TOPIC_NAMES_IN_TEXT[topic] for topic in TOPICS],
}
CODE = (MixtureOfExperts, experiment.routing_objective, experiment.Routing, routing.routing_information)


class Inputs(Base, prefix="flow_"):
    guess: str = guess_control(
        ("topic", "token"),
    )
    by: str = segmented_control(SORTINGS, "kinds", view=ViewChoice())
    layer: int = segmented_control(
        {n: LABELS("layer_number", n=n) for n in range(N_LAYER)}, 0, view=ViewChoice(), depth="numbers"
    )
    mixture: str = segmented_control(
        {one: VARIANT_NAMES[one] for one in MIXTURES}, "balanced", heading="", depth="numbers"
    )
    n_expert: int = experiment.Options.control("n_expert")
    n_active: int = experiment.Options.control("n_active")
    seed: int = seed(depth="numbers")


class RoutingFlow(Result):
    """The routing of the tokens of four topics, and what explains it; fractions are means over layers, see `Told`."""

    run: ExperimentRun
    is_told: bool  # True after the guess; before it the rows of the picture have no names
    mixture: str
    mixture_name: str
    told: tuple[routing.RoutingInformation, ...]  # for each layer, at the newest step
    token: float
    topic: float
    token_more: float
    topic_more: float
    by_chance: float  # the largest over the layers
    outcome: GuessOutcome | None

    def frames(self, part: str) -> NDArray[np.generic]:
        """Return the frames of the mixture; for a sorting, (n, L, rows, E) tokens per expert."""
        return self.run.record[f"frames.{self.mixture}.{part}"]

    def table(self) -> Table:
        """Return both sortings at the newest step; before a guess, before training."""
        at = -1 if self.is_told else 0
        rows: list[dict[str, str | int]] = [
            {
                LABELS["layer_column"]: layer,
                LABELS["sorted_by"]: SORTINGS[by],
                LABELS["tokens"]: SORTING_ROWS[by][row],
                **{LABELS("expert_number", n=n): count for n, count in enumerate(counts.tolist(), 1)},
            }
            for by in SORTINGS
            for layer, of_layer in enumerate(self.frames(by)[at])
            for row, counts in enumerate(of_layer)
        ]
        return {name: [row[name] for row in rows] for name in rows[0]}


def compute(inputs: Inputs, run: ExperimentRun) -> RoutingFlow:
    """Measure what token and topic explain of the expert, in each layer of one of the two mixtures."""
    record = run.record
    told = tuple(
        routing.routing_information(layer, record["held.ids"], record["held.topic"], run.seed)
        for layer in record[f"routed.{inputs.mixture}"]
    )
    token, topic, token_more, topic_more, _ = np.mean(told, axis=0).tolist()
    return RoutingFlow(
        run=run,
        is_told=inputs.guess != NOT_YET,
        mixture=inputs.mixture,
        mixture_name=VARIANT_NAMES[inputs.mixture],
        told=told,
        token=token,
        topic=topic,
        token_more=token_more,
        topic_more=topic_more,
        by_chance=max(layer.by_chance for layer in told),
        outcome=GuessOutcome("token" if token_more > topic_more else "topic") if run.is_done else None,
    )


def draw(result: RoutingFlow, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the flow during training, and the text below it."""
    record, counts, n_row = (
        run.record,
        [result.frames(by).swapaxes(0, 1) for by in SORTINGS],
        len(SORTING_ROWS["kinds"]),
    )
    padded = [np.pad(one, ((0, 0), (0, 0), (0, n_row - one.shape[2]), (0, 0))) for one in counts]
    text = np.ascontiguousarray(result.frames("text").swapaxes(0, 1))  # (L, n, N) the expert of each character
    ui.mount_widget(
        "flow",
        counts=ui.select_by_choice(np.stack(padded, 1), inputs.layer, inputs.by),  # (L, by, n, rows, E)
        text=ui.select_by_choice(text, inputs.layer),
        steps=record["step"][: text.shape[1]].tolist(),
        rows=ui.for_each_option(lambda by: SORTING_ROWS[by] if result.is_told else ["?"] * n_row, inputs.by),
        kinds=ui.for_each_option(SORTING_ROWS_IN_TEXT.get, inputs.by),
        n_expert=padded[0].shape[-1],
        characters=[chr(record["vocabulary"][one]) for one in record["shown.ids"]] if result.is_told else [],
        titles=[TOPIC_NAMES[topic] for topic in TOPICS],
        sentence=LABELS["sentence" if result.is_told else "sentence_asked"],
        hint=ui.section_text("hint"),
        label="",
        takeaway=ui.section_text("takeaway"),
        key=f"flow-{result.mixture}",
        height=520,
    )
