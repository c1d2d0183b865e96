"""The meaning of "it": one attention head turns from one noun to the other when one word of the sentence changes."""

from collections.abc import Mapping

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import BottleAndCup, referents
from core.exhibit import MAX_TRACES, Inputs as Base, Result, Table, memoize
from core.rooms.heads_at_work.compute import naming
from core.rooms.heads_at_work.compute.naming import EarlierRead, NounReading
from core.rooms.heads_at_work.sentence import FIRST_NOUN, SECOND_NOUN, sentence_of
from core.rooms.heads_at_work.three_switches import model_of
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

TRAINED = "three-switches"
CODE = (naming.resolve_it, naming.measure_noun_attention, naming.find_earlier_read)


class Inputs(Base, prefix="it_"):
    first: str = FIRST_NOUN
    second: str = SECOND_NOUN


class Meaning(Result):
    """Both sentences through the whole model of the experiment."""

    sentences: Mapping[str, BottleAndCup]  # ending -> the sentence
    readings: Mapping[str, NounReading]  # ending -> the model's answer
    best: tuple[int, int]  # (layer, head) that most prefers the right noun, averaged over the held-out sentences
    earlier: EarlierRead
    n_right: int  # held-out sentences that the model answers right
    n_held: int

    def row(self, ending: str) -> list[float]:
        """Return the weights of "it" in the best head, one for each word."""
        return self.readings[ending].rows[self.best].tolist()

    @property
    def right_weight(self) -> float:
        """The smaller of the two weights on the right noun, of both sentences."""
        return min(self.row(end)[referents.referent_position(one)] for end, one in self.sentences.items())

    def table(self) -> Table:
        """Return the weight of each word in both sentences."""
        both = [referents.sentence_tokens(one) for one in self.sentences.values()]
        words = [one if one == other else f"{one}/{other}" for one, other in zip(*both, strict=True)]
        return {LABELS["word"]: words} | {LABELS("weight", ending=end): self.row(end) for end in self.sentences}


@memoize(MAX_TRACES)
def _held_out(run: ExperimentRun) -> tuple[tuple[int, int], int]:
    """Return the head that most prefers the right noun, and the number of sentences that it was measured on."""
    held = referents.bottle_and_cup_split(run.seed)[1]
    return naming.measure_noun_attention(model_of(run, "full"), held).best, len(held)


def compute(inputs: Inputs, run: ExperimentRun) -> Meaning:
    """Resolve "it" in the two sentences that differ in one word."""
    model, (best, n_held) = model_of(run, "full"), _held_out(run)
    sentences = {ending: sentence_of(inputs, ending) for ending in referents.ENDINGS}
    return Meaning(
        sentences=sentences,
        readings={ending: naming.resolve_it(model, one) for ending, one in sentences.items()},
        best=best,
        earlier=naming.find_earlier_read(model, sentences, referents.bottle_and_cup_split(run.seed)[1]),
        n_right=round(float(run.record["curve.full.accuracy"][-1]) * n_held),
        n_held=n_held,
    )


def draw(result: Meaning, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw both sentences, with an arc from "it" to the word that it reads most."""
    rows = np.array([result.row(ending) for ending in result.sentences])
    ui.mount_widget(
        "what_it_means",
        key="what-it-means",
        sentences=[
            {
                "words": referents.sentence_tokens(sentence),
                "to": int(row.argmax()),
                "said": reading.said,
                "p": float(reading.nouns.max()),
            }
            for sentence, row, reading in zip(result.sentences.values(), rows, result.readings.values(), strict=True)
        ],
        weights=rows,
        first=referents.FIRST_POSITION,
        second=referents.SECOND_POSITION,
        it=referents.IT_POSITION,
        ending=referents.ENDING_POSITION,
        earlier=result.earlier._asdict(),
        layer=result.best[0],
        head=result.best[1],
        right=result.n_right,
        all=result.n_held,
        takeaway=" ".join(
            LABELS("reading", ending=ending, noun=one.said, probability=one.nouns.max())
            for ending, one in result.readings.items()
        ),
        height=400,
    )
