"""A small pretraining: a BERT learns from gaps, in seconds, while you watch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import masked_stories
from core.exhibit import Inputs as Base, Result, Table, memoize, seed
from core.inspect import gaps
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.inputs import trained_pair
from core.train.experiment import Record
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.masking import KEPT, corrupt_tokens

LABELS = module_labels(__name__)

EXPERIMENT = "masked"
N_COLUMN = 10  # words shown in the film


class Inputs(Base, prefix="pre_"):
    seed: int = seed()
    share: int = task.Options.control("share")
    rule: str = task.Options.control("rule")


Ids = NDArray[np.int64]


class NeighborCounts(NamedTuple):
    """Counts of how often each word occurred between each pair of words."""

    between: NDArray[np.float32]  # (V, V, V) counts: left neighbor, right neighbor, word

    @property
    def vocab_size(self) -> int:
        return self.between.shape[0]

    def probabilities(self, left: Ids, right: Ids) -> NDArray[np.float64]:
        """Return the probabilities of the word between these neighbors (N, V).

        If the pair was never seen, the predictions from each side are averaged. A neighbor that isn't a word (a mask,
        an end) carries no information, so word frequencies are used for it.
        """
        v = self.vocab_size
        overall = self.between.sum((0, 1)) + 1.0
        overall = overall / overall.sum()
        by_left, by_right = self.between.sum(1), self.between.sum(0)
        out = np.empty((len(left), v))
        for i, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
            sides = [
                _mixed(by_left[a], overall) if a < v else overall,
                _mixed(by_right[b], overall) if b < v else overall,
            ]
            backed = (sides[0] + sides[1]) / 2
            out[i] = _mixed(self.between[a, b], backed) if a < v and b < v else backed
        return out


def count_triples(ids: Ids, vocab_size: int) -> NeighborCounts:
    """Count all triples of a text."""
    left, word, right = ids[:-2], ids[1:-1], ids[2:]
    keys = (left * vocab_size + right) * vocab_size + word
    counts = np.bincount(keys, minlength=vocab_size**3).astype(np.float32)
    return NeighborCounts(counts.reshape(vocab_size, vocab_size, vocab_size))


def _mixed(counts: NDArray[np.float32], backed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return counts plus one pseudo-count distributed as `backed`, so that unseen words keep some probability."""
    mixed: NDArray[np.float64] = (counts + backed) / (counts.sum() + 1.0)
    return mixed


CODE = (corrupt_tokens, task.gap_loss_and_accuracy, task.Masked, NeighborCounts.probabilities)


class Baselines(NamedTuple):
    """Baselines on the same gaps that do not read the text: losses in nats, and the accuracy of the last one."""

    uniform: float
    frequency: float
    neighbors: float
    neighbors_right: float


@memoize(1)
def baselines() -> Baselines:
    """Return the losses of guessing uniformly, by frequency, and by counts of the two neighbors that are read."""
    words, ids = masked_stories.masked_story_vocabulary(), masked_stories.tokenized_story_split()[0].ids.numpy()
    held = task.held_out_batch(words)
    chosen = np.argwhere(held.chosen.numpy())
    read = np.pad(held.inputs.numpy(), ((0, 0), (0, 1)), constant_values=words.pad_id)
    truth = held.targets.numpy()[tuple(chosen.T)]
    counted = count_triples(ids, words.n_plain)
    told = counted.probabilities(read[chosen[:, 0], chosen[:, 1] - 1], read[chosen[:, 0], chosen[:, 1] + 1])
    often = np.bincount(ids, minlength=words.n_plain)[: words.n_plain] + 1.0
    chances = often[truth] / often.sum(), told[np.arange(len(truth)), truth]
    frequency, near = (-float(np.log(p).mean()) for p in chances)
    return Baselines(float(np.log(words.n_plain)), frequency, near, float((told.argmax(1) == truth).mean()))


warm_up = baselines  # tokenizing and counting the stories takes a third of a second


class Pretraining(Result):
    """The run so far."""

    run: ExperimentRun
    line: Baselines
    right: float  # accuracy on the held-out gaps
    believed: float  # accuracy of the most probable word where nothing is hidden
    text: str  # the film's text, with its gaps in brackets

    def table(self) -> Table:
        """Return losses in nats per word and accuracy on the held-out rows, step by step."""
        record = self.run.record
        return {
            LABELS["step"]: record["step"].tolist(),
            LABELS["table.loss"]: record["curve.loss"].tolist(),
            LABELS["table.right"]: record["curve.accuracy"].tolist(),
            LABELS["table.twin"]: record["curve.twin"].tolist(),
        }


def compute(inputs: Inputs, run: ExperimentRun) -> Pretraining:
    """Read the record, and the encoder's predictions where the text is complete."""
    opened = trained_pair(run)
    held = task.held_out_batch(opened.words)
    ids = held.targets.numpy()
    said = gaps.top_token_per_position(opened.bert, ids, ids != opened.words.pad_id)
    asked = opened.words.eligible(held.targets).numpy() & (held.fate.numpy() == KEPT)
    labels = enumerate(opened.words.labels(opened.words.encode(task.PROBE)), 1)
    return Pretraining(
        run=run,
        line=baselines(),
        right=float(run.record["curve.accuracy"][-1]),
        believed=float((said == ids)[asked].mean()),
        text=" ".join(f"[{label}]" if i in task.PROBE_GAPS else label for i, label in labels),
    )


def draw(result: Pretraining, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw the curve, and the film of the gaps in one sentence."""
    line, n_word = result.line, masked_stories.masked_story_vocabulary().n_plain
    film, curve = ui.two_columns("pre-sides")
    with film:
        _film(run.record)
    with curve:
        ui.curves(
            {LABELS["loss_at_gaps"]: (run.record["step"], run.record["curve.loss"])},
            n_step=run.n_step,
            y=ui.quantity_label(LABELS["loss"], LABELS["loss_unit"]),
            references={
                LABELS("blind.exact", n=n_word) if ui.depth_at_least("numbers") else LABELS["blind"]: line.uniform,
                LABELS["by_frequency"]: line.frequency,
                LABELS["by_neighbors"]: line.neighbors,
            },
            height=300,
        )


def _film(record: Record) -> None:
    """Draw the predictions in the gaps of one sentence, during training."""
    frames: NDArray[np.float32] = record["frames.probe"].astype(np.float32)  # (looks, gaps, V)
    words = masked_stories.masked_story_vocabulary()
    row = [words.class_id, *words.encode(task.PROBE)]
    true = [row[place] for place in task.PROBE_GAPS]
    last, most = np.argsort(-frames[-1].max(0), kind="stable").tolist(), np.argsort(-frames[1:].max((0, 1), initial=0))
    others = [i for i in last if i not in true][:6]
    columns = list(dict.fromkeys([*true, *others, *(most.tolist() if len(frames) > 1 else [])]))[:N_COLUMN]
    ui.matrix_film(
        frames[:, :, columns],
        steps=record["step"].tolist(),
        rows=words.labels(true),
        columns=words.labels(columns),
        truth=np.array(true)[:, None] == np.array(columns),
        truth_title=LABELS["truth"],
        notes=[LABELS("right", share=share) for share in record["curve.accuracy"]],
        row_title=LABELS["gap"],
        column_title=LABELS["word"],
        value_title=LABELS["probability"],
        key="pre-film",
        label=LABELS["film"],
        takeaway=ui.section_text("takeaway"),
    )
