"""Fine-tuning: the benefit of pretraining without labels when labels are scarce."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.data.synthetic import reviews
from core.data.synthetic.reviews import LABELS as REVIEW_LABELS, WORDS
from core.exhibit import Inputs as Base, Result, Table, seed, segmented_control, select, text_input
from core.models import registry
from core.rooms.encoder.compute import finetune as parts
from core.rooms.encoder.compute.finetune import class_probabilities
from core.rooms.encoder.experiments import finetune as task
from core.rooms.encoder.experiments.finetune import NAMES, SIZES, START_MODES
from core.rooms.encoder.inputs import (
    OWN_REVIEW,
    OWN_REVIEW_CHOICE,
    REVIEWS,
    note_review,
    review_words,
    trained_classifier,
)
from core.train.experiments.experiment_run_state import ExperimentRun

LABELS = module_labels(__name__)

EXPERIMENT = "finetune"
BAG_OF_WORDS = 0.808  # accuracy on the example; a test computes it with scikit-learn
N_PRETRAIN = (50, 200, 500)
SHORT_NAMES = (LABELS["short.scratch"], LABELS["short.frozen"], LABELS["short.full"])  # of `START_MODES`
CODE = (task.gap_loss, parts.from_pretrained, parts.trainable_parameters, parts.classification_loss, task.Tuning)


class Inputs(Base, prefix="tune_"):
    seed: int = seed()
    n_step: int = segmented_control(
        {n + task.N_FINE: str(n) for n in N_PRETRAIN}, 500 + task.N_FINE, name="tune_pretrain"
    )
    labels: int = segmented_control({n: f"{n:,}" for n in SIZES}, 20, heading="")
    way: str = segmented_control(dict(NAMES), "full", heading="", when=lambda _: ui.depth_at_least("numbers"))
    review: str = select((*REVIEWS, OWN_REVIEW_CHOICE), "waiter never disappointing.", heading="")
    text: str = text_input(OWN_REVIEW, max_chars=200, notes=note_review, when=lambda i: i.review == OWN_REVIEW_CHOICE)


class FineTuning(Result):
    """The run so far; all mappings are keyed by `START_MODES`."""

    run: ExperimentRun
    is_tuned: bool  # whether fine-tuning has begun
    n_pretrain: int
    labels: int  # labeled reviews that the shown models have seen
    place: int  # index of this number in `SIZES`
    names: dict[str, str]  # of the three ways to start
    held: dict[str, float]  # the final accuracy of these models on new reviews
    moving: dict[str, int]  # parameters that each way trains
    # (3, 6) each model's probability of praise for the review; None before fine-tuning, or without words
    praise: NDArray[np.float32] | None

    def table(self) -> Table:
        """Return each model's final accuracy; before fine-tuning, the curve of the pretraining."""
        record = self.run.record
        if not self.is_tuned:
            return {LABELS["step"]: record["step"].tolist(), LABELS["table.sides"]: record["curve.sides"].tolist()}
        right = {
            what: [p for way in START_MODES for p in record[f"fine.{way}.{what}"][-1].tolist()]
            for what in ("own", "held")
        }
        return {
            LABELS["model"]: [NAMES[way] for way in START_MODES for _ in SIZES],
            LABELS["table.labels"]: [n for _ in START_MODES for n in SIZES],
            LABELS["table.own"]: right["own"],
            LABELS["table.held"]: right["held"],
        }


def compute(inputs: Inputs, run: ExperimentRun) -> FineTuning:
    """Run eighteen classifiers (three ways to start, six label counts) on one review."""
    words, praise, record = review_words(inputs.review, inputs.text), None, run.record
    is_tuned, place = "fine.step" in record, SIZES.index(inputs.labels)
    if words and is_tuned:
        judges = [trained_classifier(run, way, n) for way in START_MODES for n in SIZES]
        praise = class_probabilities(judges, WORDS.encode(words))[:, reviews.PRAISE].reshape(
            len(START_MODES), len(SIZES)
        )
    model = registry.build_empty(task.config("sequence"))
    moving = {way: parts.trainable_parameters(model, frozen=way == "frozen").values() for way in START_MODES}
    return FineTuning(
        run=run,
        is_tuned=is_tuned,
        n_pretrain=task.Options(n_step=run.n_step).n_pretrain,
        labels=inputs.labels,
        place=place,
        names=dict(NAMES),
        held={way: float(record[f"fine.{way}.held"][-1, place]) for way in START_MODES} if is_tuned else {},
        moving={way: sum(weight.numel() for weight in weights) for way, weights in moving.items()},
        praise=praise,
    )


def draw(result: FineTuning, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw accuracy on new reviews by label count, the verdicts on one review and, in Numbers, the training."""
    ui.add_template_values(bag_of_words=BAG_OF_WORDS)
    if not result.is_tuned:
        _pretraining(result)
        return
    if ui.depth_at_least("numbers"):
        _pretraining(result)
        _course(result)
        _confusions(result, inputs)
    first, second = ui.two_columns("tune-curves")
    with second:
        if result.praise is not None:
            _answers(result.praise)
    with first:  # Download offers the last chart
        ui.curves(
            {NAMES[way]: (SIZES, run.record[f"fine.{way}.held"][-1]) for way in START_MODES},
            x=ui.Axis(LABELS["n_label"], ticks=SIZES, format=",d", is_log=True),
            y=ui.Axis(LABELS["held_axis"], (0.4, 1.02), unit="%"),
            at=inputs.labels,
            references={LABELS["guessing"]: 0.5},
            has_dots=True,
        )


def _answers(praise: NDArray[np.float32]) -> None:
    """Draw the verdicts of all classifiers on one review."""
    names, sizes = list(SHORT_NAMES), [f"{n:,}" for n in SIZES]
    how: Any = {"row_title": LABELS["model"], "column_title": LABELS["n_label"], "value_title": LABELS["praise"]}
    how["label"] = LABELS["answers"]
    ui.matrix(praise, rows=names, columns=sizes, key="tune-answers", height=200, **how)


def _pretraining(result: FineTuning) -> None:
    """Draw how often the right kind of word is expected, during pretraining."""
    record = result.run.record
    ui.curves(
        {LABELS["right_kind"]: (record["step"], record["curve.sides"])},
        n_step=result.n_pretrain,
        y=ui.Axis(LABELS["right_axis"], (0.4, 1.02)),
        references={LABELS["guessing"]: 0.5},
        height=220,
    )


def _course(result: FineTuning) -> None:
    """Draw accuracy during fine-tuning, on the model's own reviews and on new ones."""
    record = result.run.record
    titles = {"own": "course.own", "held": "course.held"}
    for place, (what, title) in zip(ui.two_columns("tune-course"), titles.items(), strict=True):
        with place:
            ui.curves(
                {
                    NAMES[way]: (record["fine.step"], record[f"fine.{way}.{what}"][:, result.place])
                    for way in START_MODES
                },
                title=LABELS(title, n=result.labels),
                n_step=max(1, result.run.n_step - result.n_pretrain),
                y=ui.Axis(LABELS["judged_axis"], (0, 1.05)),
                references={LABELS["guessing"]: 0.5},
                height=240,
            )


def _confusions(result: FineTuning, inputs: Inputs) -> None:
    """Draw one model's confusion matrix on new reviews."""
    counts = result.run.record[f"confusion.{inputs.way}"][result.place]
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    label = LABELS("confusions", start=NAMES[inputs.way], n=inputs.labels)
    how: Any = {
        "row_title": LABELS["truth_axis"],
        "column_title": LABELS["answer_axis"],
        "value_title": LABELS["row_share"],
    }
    key = f"tune-confusion-{inputs.way}-{inputs.labels}"
    picture, table = ui.two_columns("tune-confusion")
    with picture:
        ui.matrix(
            shares, rows=list(REVIEW_LABELS), columns=list(REVIEW_LABELS), key=key, label=label, height=200, **how
        )
    with table:
        ui.show_text_section("confusion", rows=list(zip(REVIEW_LABELS, counts.tolist(), strict=True)))
