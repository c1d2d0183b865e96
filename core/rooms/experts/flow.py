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
from core.rooms.experts.compute.mixed_text import (
    CHARACTER_KINDS,
    TOPIC_NAMES,
    TOPIC_NAMES_IN_TEXT,
    TOPICS,
    character_kind,
)
from core.rooms.experts.experiments import routing as experiment
from core.rooms.experts.experiments.routing import MIXTURES, N_LAYER, VARIANT_NAMES
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "routing"
N_SAMPLE = 3  # characters that stand for a kind, or for an expert
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
        is_above=True,
    )
    by: str = segmented_control(SORTINGS, "kinds", when=lambda i: i.guess != NOT_YET, view=ViewChoice())
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
    guessed: tuple[tuple[float, float], ...]  # for each layer, how often the expert is guessed from token, and topic
    samples: tuple[str, ...]  # the most frequent characters of each kind
    n_active: int
    outcome: GuessOutcome | None

    def frames(self, part: str) -> NDArray[np.generic]:
        """Return the frames of the mixture; for a sorting, (n, L, rows, E) tokens per expert."""
        return self.run.record[f"frames.{self.mixture}.{part}"]

    def expert_samples(self, layer: int) -> list[list[str]]:
        """Return for each frame and expert the characters of the shown text that it gets most often."""
        record, n_expert = self.run.record, self.frames("kinds").shape[-1]
        return [
            ["".join(chr(record["vocabulary"][one]) for one in most) for most in groups]
            for groups in (
                routing.most_frequent(record["shown.ids"], expert, n_expert, N_SAMPLE)
                for expert in self.frames("text")[:, layer]
            )
        ]

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
    labels = record["held.ids"], record["held.topic"]
    routed, sent = record[f"routed.{inputs.mixture}"], record[f"frames.{inputs.mixture}.kinds"][-1, 0].sum()
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
        guessed=tuple(
            (routing.best_guess_rate(of, labels[0]), routing.best_guess_rate(of, labels[1])) for of in routed
        ),
        samples=_kind_samples(record["vocabulary"], labels[0]),
        n_active=int(sent) // routed.shape[1],
        outcome=GuessOutcome("token" if token_more > topic_more else "topic") if run.is_done else None,
    )


def _kind_samples(vocabulary: NDArray[np.int32], ids: NDArray[np.uint8]) -> tuple[str, ...]:
    """Return the most frequent characters of each kind in a text."""
    kinds = np.array([character_kind(chr(one)) for one in vocabulary])
    most = routing.most_frequent(ids, kinds[ids], len(CHARACTER_KINDS), N_SAMPLE)
    return tuple("".join(chr(vocabulary[one]) for one in kind) for kind in most)


def draw(result: RoutingFlow, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the router before the guess; after it the flow during training, and the text below it."""
    if result.is_told:
        _draw_flow(result, inputs, run)
        return
    ui.mount_widget(
        "router",
        groups=result.samples,
        n_expert=result.frames("kinds").shape[-1],
        sentence=LABELS("sentence_asked", n=result.n_active, of=result.frames("kinds").shape[-1]),
        hint=LABELS["hint_asked"],
        label="",
        takeaway=ui.section_text("takeaway_asked"),
        key=f"router-{result.mixture}",
        height=330,
    )


def _draw_flow(result: RoutingFlow, inputs: Inputs, run: ExperimentRun) -> None:
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
        rows=ui.for_each_option(SORTING_ROWS.get, inputs.by),
        samples=ui.for_each_option(lambda by: list(result.samples) if by == "kinds" else [], inputs.by),
        experts=ui.for_each_option(result.expert_samples, inputs.layer),
        kinds=ui.for_each_option(SORTING_ROWS_IN_TEXT.get, inputs.by),
        n_expert=padded[0].shape[-1],
        characters=[chr(record["vocabulary"][one]) for one in record["shown.ids"]],
        titles=[TOPIC_NAMES[topic] for topic in TOPICS],
        sentence=ui.for_each_option(lambda layer: _sentence(*result.guessed[layer]), inputs.layer),
        hint=ui.section_text("hint"),
        label="",
        takeaway=ui.section_text("takeaway"),
        key=f"flow-{result.mixture}",
        height=520,
    )


def _sentence(token: float, topic: float) -> str:
    return LABELS("sentence", token=f"{token:.0%}", topic=f"{topic:.0%}")
