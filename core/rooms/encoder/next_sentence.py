"""BERT's second task: does one sentence follow another? With segments, `<sep>` and the tanh pooler."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import masked_stories
from core.exhibit import Inputs as Base, NothingToShow, Result, Table, seed, text_input, toggle
from core.models.bert import BERT, SequenceHead
from core.nn.tap import Trace
from core.rooms.encoder.experiments import next_sentence as task
from core.rooms.encoder.experiments.next_sentence import SEP, PairRow
from core.rooms.encoder.inputs import note_story_words
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "next-sentence"
OWN: Any = {"max_chars": 200, "notes": note_story_words}
CURVES = {
    "accuracy": LABELS["curve.accuracy"],
    "one_segment": LABELS["curve.one_segment"],
    "turned": LABELS["curve.turned"],
}
CODE = (task.pair_row, BERT.embed, SequenceHead.forward, task.sample_sentence_pairs, task.NextSentence)


class Inputs(Base, prefix="next_"):
    seed: int = seed()
    first: str = text_input("Ben had a yellow drum.", **OWN)
    second: str = text_input("One day he took the drum to the beach.", **OWN)
    segments: bool = toggle(True, heading="")


class SentencePair(Result):
    """The run, and the model's answer for two sentences."""

    run: ExperimentRun
    now: dict[str, float]  # the last value of each curve
    read: PairRow  # both in one row
    tokens: list[str]  # (T,)
    given_segments: tuple[int, ...]  # (T,) the segments that the model reads; without segments, all are the first
    is_cut: bool  # whether a sentence is too long
    class_vector: NDArray[np.float32]  # (D,) the vector of `<class>` after the last block
    pooled: NDArray[np.float32]  # (D,) tanh(W class_vector + b), between -1 and 1: the input of the head
    p_next: float  # probability that the second comes next
    formula: str

    def table(self) -> Table:
        """Return the accuracies on held-out pairs, step by step."""
        record = self.run.record
        return {
            LABELS["step"]: record["step"].tolist(),
            LABELS["right"]: record["curve.accuracy"].tolist(),
            LABELS["right_one_segment"]: record["curve.one_segment"].tolist(),
            LABELS["turned"]: record["curve.turned"].tolist(),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> SentencePair:
    """Run the trained model on both sentences in one row."""
    words = masked_stories.masked_story_vocabulary()
    first, second = (words.encode(words.normalize(text).text) for text in (inputs.first, inputs.second))
    if not first or not second:
        raise NothingToShow(LABELS["no_text"])
    read = task.pair_row(first, second)
    segments = read.segments if inputs.segments else (0,) * len(read.ids)
    model = task.recorded_model(run.record)
    with Trace(model) as trace:
        p = model(torch.tensor([read.ids]), segments=torch.tensor([segments]))[0].double().softmax(-1)
    p_next, next_name = float(p[task.NEXT]), LABELS["formula.next"]
    return SentencePair(
        run=run,
        now={name: float(run.record[f"curve.{name}"][-1]) for name in CURVES},
        read=read,
        tokens=[SEP if i == task.sep_id() else words.labels([i])[0] for i in read.ids],
        given_segments=segments,
        is_cut=max(len(first), len(second)) > task.MAX_WORDS,
        class_vector=trace["final"][0, 0].numpy(),
        pooled=trace["head.pooled"][0].numpy(),
        p_next=p_next,
        formula=rf"P(\text{{{next_name}}}) = {p_next:.4f}",
    )


def draw(result: SentencePair, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the row, the vector that the answer is read from, and the training curves."""
    ui.token_row(
        result.tokens,
        key="next-row",
        values=result.given_segments,
        limits=(0, 1),
        value_title=LABELS["segment"],
        title=LABELS["row"],
        details=[LABELS("details", segment=one, position=t) for t, one in enumerate(result.given_segments)],
        takeaway=ui.section_text("takeaway"),
    )
    if ui.depth_at_least("numbers"):
        vectors, columns = np.stack([result.class_vector, result.pooled]), [str(i) for i in range(len(result.pooled))]
        how: Any = {
            "kind": "signed",
            "row_title": LABELS["vector"],
            "column_title": LABELS["number"],
            "value_title": LABELS["value"],
        }
        how |= {"rows": [LABELS["class_vector"], "tanh(W h + b)"], "columns": columns, "height": 120}
        ui.matrix(vectors, key="next-pooled", label=LABELS["pooler"], takeaway=ui.section_text("pooler"), **how)
    ui.curves(
        {title: (run.record["step"], run.record[f"curve.{name}"]) for name, title in CURVES.items()},
        n_step=run.n_step,
        y=ui.Axis(LABELS["share_axis"], (0, 1.05)),
        references={LABELS["guessing"]: 0.5},
        height=240,
    )
