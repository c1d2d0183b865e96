"""Attention is not explanation: equal accuracy, different maps, and heads whose weights don't show what they do."""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import BottleAndCup, referents
from core.exhibit import NOT_YET, GuessOutcome, Inputs as Base, Result, Table, guess_control, seed
from core.inspect import patch
from core.models.gpt import GPT
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.compute.naming import HeadImportance, NounReading
from core.rooms.heads_at_work.experiments import explanation as task
from core.rooms.heads_at_work.experiments.explanation import MODELS
from core.rooms.heads_at_work.sentence import ENDING, FIRST_NOUN, SECOND_NOUN, it_attention_badge, sentence_of
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.referent import ReferentExperiment, config

LABELS = module_labels(__name__)

EXPERIMENT = "explanation"
STRONG_WEIGHT = 0.9  # weight on the right noun from which a head counts as reading it
NEGLIGIBLE_RISE = 0.01  # nats; a smaller rise counts as no difference


class Inputs(Base, prefix="explain_"):
    guess: str = guess_control(("weight", "other", "none"))
    ending: str = ENDING
    seed: int = seed()
    n_head: int = task.Options.control("n_head")
    first: str = FIRST_NOUN
    second: str = SECOND_NOUN


class ExplanationResult(Result):
    """Three models that differ only in their seeds, by name, and all their N heads."""

    run: ExperimentRun
    outcome: GuessOutcome
    right: list[float]  # each model's newest fraction of right answers
    sentence: BottleAndCup
    readings: Mapping[str, NounReading]  # each model's reading of the sentence
    apart: list[float]  # by layer: total variation between two models' rows, averaged over heads and pairs of models
    weighed: Mapping[str, HeadImportance]  # each model's heads in the held-out sentences
    names: list[str]  # (N,) "a 0.3": model, layer and head
    weights: NDArray[np.float64]  # (N,) mean weight on the right noun
    rises: NDArray[np.float64]  # (N,) rise of the loss without this head alone, nats
    n: int
    head: str  # the head without which the loss rises most, with its weights and rise
    weight: float
    other: float  # on the wrong noun
    rise: float
    n_strong: int  # heads with more than `STRONG_WEIGHT` of their weight on the right noun
    harmless: float  # the largest rise without one of these heads
    tau: float  # Kendall's tau of weight and rise

    def table(self) -> Table:
        return {
            LABELS["head_column"]: self.names,
            LABELS["weight_column"]: self.weights.tolist(),
            LABELS["rise_column"]: self.rises.tolist(),
        }


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float:
    """Compute Kendall's tau-b, which measures how similarly two lists of numbers rank the same things.

    Among the pairs of things, tau is the fraction that both lists order the same way minus the fraction that they order
    in opposite ways: 1 is the same ranking, -1 the opposite one, 0 no relation. Ties count neither way, and the
    denominator is adjusted for them.

    Returns:
        Tau, or nan if all numbers of a list are equal.

    Raises:
        ValueError: if the lists differ in length.

    Source: Kendall 1945; used to compare attention with other measures of importance in Jain and Wallace 2019
    (1902.10186), section 4.1.
    """
    from scipy import stats  # type: ignore[import-untyped]  # here, because it takes half a second to import

    return float(stats.kendalltau(x, y).statistic)


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Compute the total variation distance of two attention rows: 0 for equal rows, 1 if they have nothing in common.

    It is half the sum of the absolute differences; for two rows that sum to 1, it is the weight that has to be moved to
    turn one into the other.

    Source: Jain and Wallace 2019, equation 2.
    """
    return float(np.abs(np.asarray(p, dtype=np.float64) - np.asarray(q, dtype=np.float64)).sum() / 2)


CODE = (task.Explanation, ReferentExperiment, naming.measure_head_importance, patch.loss_rise_per_head, kendall_tau)


def compute(inputs: Inputs, run: ExperimentRun) -> ExplanationResult:
    """Measure, for each head, how much "it" looks at the right noun, and how much the loss rises without the head."""
    models, held_out = {name: model_of(run, name) for name in MODELS}, referents.bottle_and_cup_split(run.seed)[1]
    readings = {name: naming.resolve_it(model, sentence_of(inputs)) for name, model in models.items()}
    weighed = {name: naming.measure_head_importance(model, held_out) for name, model in models.items()}
    names = [f"{name} {layer}.{head}" for name in MODELS for layer, head in np.ndindex(weighed[name].right.shape)]
    weights, others, rises = (
        np.concatenate([getattr(one, part).ravel() for one in weighed.values()]) for part in ("right", "other", "rise")
    )
    worst, strong = int(rises.argmax()), weights > STRONG_WEIGHT
    answer = "none" if rises[worst] < NEGLIGIBLE_RISE else "weight" if strong[worst] else "other"
    pairs = [*combinations([reading.rows.mean(1) for reading in readings.values()], 2)]
    return ExplanationResult(
        run=run,
        outcome=GuessOutcome(answer, LABELS("outcome", head=names[worst], weight=weights[worst])),
        right=[float(run.record[f"curve.{name}.accuracy"][-1]) for name in MODELS],
        sentence=sentence_of(inputs),
        readings=readings,
        apart=[float(np.mean([total_variation(a[layer], b[layer]) for a, b in pairs])) for layer in range(2)],
        weighed=weighed,
        names=names,
        weights=weights,
        rises=rises,
        n=len(names),
        head=names[worst],
        weight=float(weights[worst]),
        other=float(others[worst]),
        rise=float(rises[worst]),
        n_strong=int(strong.sum()),
        harmless=max(float(rises[strong].max(initial=0)), 0.0),
        tau=kendall_tau(weights, rises),
    )


def model_of(run: ExperimentRun, name: str) -> GPT:
    return rebuild_model(run.record, name, config(n_head=int(run.options["n_head"])))


def draw(result: ExplanationResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the maps of three equally trained models, and weight against effect."""
    for layer, place in enumerate(ui.two_columns("explain-maps")):
        with place:
            _map(result, layer)
    if inputs.guess != NOT_YET:
        ui.dots(
            {
                LABELS("model", name=name): (one.right.ravel().tolist(), one.rise.ravel().tolist())
                for name, one in result.weighed.items()
            },
            x=ui.Axis(LABELS["weight_axis"], (0, 1)),
            y=ui.quantity_label(LABELS["rise_axis"], LABELS["nats"]),
            labels={
                LABELS("model", name=name): [one for one in result.names if one.startswith(f"{name} ")]
                for name in MODELS
            },
            alt=ui.section_text("scatter"),
            height=220,
        )
    if ui.depth_at_least("numbers"):
        ui.curves(
            {LABELS("model", name=name): (run.record["step"], run.record[f"curve.{name}.accuracy"]) for name in MODELS},
            y=ui.Axis(LABELS["accuracy_axis"], (0, 1.05)),
            n_step=run.n_step,
            height=260,
        )


def _map(result: ExplanationResult, layer: int) -> None:
    """Draw the row of "it" in one layer's heads of the three models."""
    rows = {name: reading.rows[layer] for name, reading in result.readings.items()}
    parts = [(f"{name}.", model_of(result.run, name), layer) for name in MODELS]
    ui.matrix(
        np.concatenate([*rows.values()]),
        rows=[f"{name}:{layer}.{head}" for name in rows for head in range(len(rows[name]))],
        columns=referents.sentence_tokens(result.sentence),
        key=f"explain-map-{layer}",
        row_title=LABELS["heads_axis"],
        column_title=LABELS["words_axis"],
        selected=(0, referents.referent_position(result.sentence)),
        label=LABELS("map_title", layer=layer),
        height=200,
        badge=it_attention_badge(parts, result.sentence, result.run, LABELS["models"]),
    )
