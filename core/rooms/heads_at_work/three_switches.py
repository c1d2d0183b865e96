"""Three switches on one sentence: training shows what a causal mask costs, and what positions and a second layer do."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import NOUNS, BottleAndCup, referents
from core.exhibit import (
    NOT_YET,
    GuessOutcome,
    Inputs as Base,
    Result,
    Table,
    guess_control,
    nearest_label,
    seed,
    segmented_control,
)
from core.models.gpt import GPT
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.compute.naming import NounReading
from core.rooms.heads_at_work.experiments import three_switches as task
from core.rooms.heads_at_work.experiments.three_switches import VARIANT_CONFIGS, VARIANT_NAMES
from core.rooms.heads_at_work.sentence import ENDING, FIRST_NOUN, SECOND_NOUN, it_attention_badge, sentence_of
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.referent import ReferentExperiment, referent_logits

LABELS = module_labels(__name__)

EXPERIMENT = "three-switches"
GUESS_SHARES = {"all": 1.0, "half": 0.5, "noun": 1 / 8}
CODE = (task.ThreeSwitches, ReferentExperiment, referent_logits, naming.resolve_it)


class Inputs(Base, prefix="switch_"):
    guess: str = guess_control(tuple(GUESS_SHARES))
    ending: str = ENDING
    model: str = segmented_control(VARIANT_NAMES, "full")
    seed: int = seed()
    n_step: int = segmented_control((200, 400, 600), 200, name="switch_steps")
    first: str = FIRST_NOUN
    second: str = SECOND_NOUN


class EndingEffect(NamedTuple):
    """The fraction of a head's weight on the two nouns that goes to the first one, for each ending."""

    layer: int
    head: int
    full: float
    empty: float


class SwitchResult(Result):
    """Four models at the newest step of their training, and one of them tested on a sentence."""

    run: ExperimentRun
    outcome: GuessOutcome
    hidden: tuple[str, ...]  # variants that are hidden before the guess
    right: dict[str, float]  # variant -> newest fraction of right answers, on pairs of nouns that never met in training
    n_held: int  # sentences with these pairs
    n_right: dict[str, int]
    sentence: BottleAndCup
    readings: Mapping[str, NounReading]  # ending -> the model's answer
    best: tuple[int, int]  # (layer, head) that most prefers the right noun, averaged over the held-out sentences
    turns: EndingEffect  # the head in which the ending most changes which of the two nouns "it" reads
    is_unmoved: bool  # True if all rows of all heads are the same in both readings
    moved: float  # the largest change, with the ending, of a weight at "it" or of a noun's probability

    def table(self) -> Table:
        names = [VARIANT_NAMES[variant] for variant in VARIANT_CONFIGS]
        step, seed = ([number] * len(names) for number in (self.run.step, self.run.seed))
        return {
            LABELS["model_column"]: names,
            LABELS["accuracy"]: [*self.right.values()],
            LABELS["step"]: step,
            LABELS["seed_column"]: seed,
        }


def compute(inputs: Inputs, run: ExperimentRun) -> SwitchResult:
    """Test one of the models on both readings, and measure where its heads look in the held-out sentences."""
    model, held = model_of(run, inputs.model), referents.bottle_and_cup_split(run.seed)[1]
    readings = {ending: naming.resolve_it(model, sentence_of(inputs, ending)) for ending in referents.ENDINGS}
    full, empty = readings["full"], readings["empty"]
    right = {variant: float(run.record[f"curve.{variant}.accuracy"][-1]) for variant in VARIANT_CONFIGS}
    moved = float(np.abs(full.rows - empty.rows).max())
    return SwitchResult(
        run=run,
        outcome=GuessOutcome(nearest_label(right["causal"], GUESS_SHARES), f"{right['causal']:.0%}"),
        hidden=tuple(variant for variant in VARIANT_CONFIGS if variant != "full") if inputs.guess == NOT_YET else (),
        right=right,
        n_held=len(held),
        n_right={variant: round(share * len(held)) for variant, share in right.items()},
        sentence=sentence_of(inputs),
        readings=readings,
        best=naming.measure_noun_attention(model, held).best,
        turns=_strongest_ending_effect(readings),
        is_unmoved=moved == 0,
        moved=max(moved, float(np.abs(full.nouns - empty.nouns).max())),
    )


def model_of(run: ExperimentRun, variant: str) -> GPT:
    return rebuild_model(run.record, variant, VARIANT_CONFIGS[variant])


def _strongest_ending_effect(readings: Mapping[str, NounReading]) -> EndingEffect:
    """Find the head in which the ending most changes which of the two nouns "it" reads."""
    shares = []
    for ending in referents.ENDINGS:
        rows = readings[ending].rows.astype(np.float64)
        one, two = rows[..., referents.FIRST_POSITION], rows[..., referents.SECOND_POSITION]
        shares.append(one / (one + two))
    change = np.abs(shares[0] - shares[1])
    layer, head = map(int, np.unravel_index(int(change.argmax()), change.shape))
    return EndingEffect(layer, head, *(float(share[layer, head]) for share in shares))


def draw(result: SwitchResult, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw one of four variants' attention on a sentence, and the accuracies of all four."""
    ui.add_template_values(is_asked=not ui.is_hidden(inputs.guess))  # a lesson that hides the question asks it later
    words, reading, best = referents.sentence_tokens(result.sentence), result.readings[inputs.ending], result.best
    reads = np.where(reading.mask, reading.rows[best], np.nan)
    strongest = int(np.nanargmax(reads))
    ui.token_row(
        words,
        key="switch-row",
        values=reads,
        kind="probability",
        value_title=LABELS["weight"],
        selected=referents.IT_POSITION,
        title=LABELS("where_it_looks", layer=best[0], head=best[1]),
        takeaway=LABELS("most_at", word=words[strongest], weight=reads[strongest]),
    )
    if ui.depth_at_least("numbers"):
        _heads(result, inputs)
        _nouns(result)
    ui.curves(
        {
            name: (run.record["step"], run.record[f"curve.{variant}.accuracy"])
            for variant, name in VARIANT_NAMES.items()
        },
        y=ui.Axis(LABELS["accuracy_axis"], (0, 1.05)),
        n_step=run.n_step,
        references={LABELS["half"]: 0.5},
        hidden=[VARIANT_NAMES[variant] for variant in result.hidden],
        height=215,
    )


def _nouns(result: SwitchResult) -> None:
    """Draw the probabilities of all nouns in both readings."""
    nouns = [result.sentence.first, result.sentence.second]
    nouns += [noun for noun in NOUNS if noun not in nouns]
    order = [NOUNS.index(noun) for noun in nouns]
    full, empty = (result.readings[ending].nouns[order].tolist() for ending in ("full", "empty"))
    ui.before_after_bars(
        nouns,
        full,
        empty,
        names=(LABELS("with_ending", ending="full"), LABELS("with_ending", ending="empty")),
        takeaway=" ".join(
            LABELS("reading", ending=ending, noun=one.said, probability=one.nouns.max())
            for ending, one in result.readings.items()
        ),
        key="switch-bars",
    )


def _heads(result: SwitchResult, inputs: Inputs) -> None:
    """Draw the row of "it" in every head, for both readings side by side."""
    model, best = model_of(result.run, inputs.model), result.best
    heads = [*np.ndindex(result.readings["full"].rows.shape[:2])]
    parts = [("", model, layer) for layer in range(heads[-1][0] + 1)]
    for place, (ending, reading) in zip(ui.two_columns("switch-heads"), result.readings.items(), strict=True):
        sentence = sentence_of(inputs, ending)
        with place:
            ui.matrix(
                reading.rows.reshape(len(heads), -1),
                rows=[f"{'★' if head == best else ''}{head[0]}.{head[1]}" for head in heads],
                columns=referents.sentence_tokens(sentence),
                key=f"switch-heads-{inputs.model}-{ending}",
                mask=np.tile(reading.mask, (len(heads), 1)),
                row_title=LABELS["head_axis"],
                column_title=LABELS["words_axis"],
                selected=(heads.index(best), referents.referent_position(sentence)),
                label=LABELS("all_heads", ending=ending),
                height=180,
                badge=it_attention_badge(
                    parts, sentence, result.run, LABELS("model_named", variant=VARIANT_NAMES[inputs.model])
                ),
            )
