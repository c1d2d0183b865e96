"""Fine-tuning: what pretraining without labels is worth when labels are few."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.charts.curves import Reference
from core.charts.label_counts import label_counts
from core.charts.race import race
from core.data.synthetic import reviews
from core.data.synthetic.reviews import LABELS, WORDS
from core.inputs import Inputs as Base
from core.inputs import seed, segmented, select, text_input
from core.models import registry
from core.rooms.encoder.compute import finetune as parts
from core.rooms.encoder.compute.finetune import answers
from core.rooms.encoder.experiments import finetune as task
from core.rooms.encoder.experiments.finetune import NAMES, SIZES, WAYS
from core.rooms.encoder.inputs import OWN, OWN_REVIEW, REVIEWS, judge, tell_review, words_of
from core.train.experiments.live import Live

EXPERIMENT = "finetune"
BAG_OF_WORDS = 0.808  # of the example; a test computes it with scikit-learn
N_PRETRAIN = (50, 200, 500)
CODE = (task.masked_loss, parts.from_pretrained, parts.to_train, parts.classification_loss, task.Tuning)


class Inputs(Base, prefix="tune_"):
    """How long the pretraining is, then which of the models are looked at, and a review for all of them."""

    seed: int = seed()
    n_step: int = segmented(
        "Pretraining steps", {n + task.N_FINE: str(n) for n in N_PRETRAIN}, 500 + task.N_FINE, name="tune_pretrain"
    )
    labels: int = segmented("Labeled reviews", {n: f"{n:,}" for n in SIZES}, 20, heading="")
    way: str = segmented("The model's confusions", dict(NAMES), "full", heading="")
    review: str = select(
        "Review", (*REVIEWS, OWN), "waiter never disappointing.", heading="**One review, eighteen judges**"
    )
    text: str = text_input("Your review", OWN_REVIEW, max_chars=200, notes=tell_review, when=lambda i: i.review == OWN)


@dataclass(frozen=True)
class Tuned:
    """The training as far as it is."""

    run: Live  # of the experiment
    labels: int  # how many labeled reviews the models that are looked at have seen
    # (3, 6) how likely each model finds praise in the review; None before the fine-tuning, or without words
    praise: NDArray[np.float32] | None

    @property
    def is_tuned(self) -> bool:
        """Whether the fine-tuning has begun."""
        return "fine.step" in self.run.record

    @property
    def n_pretrain(self) -> int:
        return task.Options(n_step=self.run.n_step).n_pretrain

    @property
    def place(self) -> int:
        """Of the number of labels in `SIZES`."""
        return SIZES.index(self.labels)

    def curves(self, what: str) -> dict[str, Any]:
        """Each way's share judged right over the fine-tuning; what: "own" reviews, or "held"."""
        record = self.run.record
        return {NAMES[way]: (record["fine.step"], record[f"fine.{way}.{what}"][:, self.place]) for way in WAYS}

    def final(self, what: str, labels: int = 0) -> dict[str, float]:
        """The same at the end, for a number of labels; 0: that which is looked at."""
        place = SIZES.index(labels or self.labels)
        return {NAMES[way]: float(self.run.record[f"fine.{way}.{what}"][-1, place]) for way in WAYS}

    @property
    def moving(self) -> dict[str, int]:
        """How many parameters each way moves."""
        model: Any = registry.empty(task.config("sequence"))
        return {
            NAMES[way]: sum(w.numel() for w in parts.to_train(model, frozen=way == "frozen").values()) for way in WAYS
        }

    @property
    def verdicts(self) -> list[tuple[str, str, float]]:
        """Each way, what it says of the review, and how sure it is."""
        praise = [] if self.praise is None else self.praise[:, self.place].tolist()
        return [(NAMES[w], LABELS[int(p > 0.5)], max(p, 1 - p)) for w, p in zip(WAYS, praise, strict=False)]

    def table(self) -> dict[str, list[Any]]:
        """How many reviews every model judges right at the end; before the fine-tuning, how far the pretraining is."""
        record = self.run.record
        if not self.is_tuned:
            return {"step": record["step"].tolist(), "expects the right kind": record["curve.sides"].tolist()}
        right = {
            what: [p for way in WAYS for p in record[f"fine.{way}.{what}"][-1].tolist()] for what in ("own", "held")
        }
        return {
            "model": [NAMES[way] for way in WAYS for _ in SIZES],
            "labels": [n for _ in WAYS for n in SIZES],
            "own reviews right": right["own"],
            "new reviews right": right["held"],
        }


def compute(inputs: Inputs, run: Live) -> Tuned:
    """Three ways to begin, six numbers of labels: eighteen judges in one record, and what they say of one review."""
    words, praise = words_of(inputs.review, inputs.text), None
    if words and "fine.step" in run.record:
        judges = [judge(run, way, n) for way in WAYS for n in SIZES]
        praise = answers(judges, WORDS.encode(words))[:, reviews.PRAISE].reshape(len(WAYS), len(SIZES))
    return Tuned(run, inputs.labels, praise)


def draw(result: Tuned, inputs: Inputs, run: Live) -> None:
    """Pretraining, learning curves, the course of one number of labels, confusions, and one review."""
    record, chance = run.record, [Reference(0.5, "guessing")]
    shape: dict[str, Any] = {"mode": ui.color_mode(), "height": 260}
    first, second = ui.pair("tune-curves")
    with first:
        ui.say("pretraining")
        sides = {"right kind": (record["step"], record["curve.sides"])}
        limits: dict[str, Any] = {"n_step": result.n_pretrain, "mode": ui.color_mode(), "y_limits": (0.4, 1.02)}
        ui.chart(
            race(sides, chance, y_title="share that is right", **limits), alt=ui.words("sides-alt"), key="tune-sides"
        )
        ui.say("kinds")
    with second:
        if not result.is_tuned:
            ui.say("wait-for-labels")
            return
        ui.say("fine-tuning")
        held = {NAMES[way]: record[f"fine.{way}.held"][-1].tolist() for way in WAYS}
        titles: Any = {"x_title": "labeled reviews", "y_title": "new reviews judged right"}
        by_labels = label_counts(held, SIZES, marked=inputs.labels, chance=0.5, **titles, **shape)
    both = ui.pair("tune-course")
    ui.say("verdict")
    ui.say("why", bag_of_words=BAG_OF_WORDS)
    n_fine = max(1, run.n_step - result.n_pretrain)
    for place, what, title in zip(
        both, ("own", "held"), ("the labeled reviews themselves", "new reviews"), strict=True
    ):
        with place:
            ui.st.markdown(f"**With {inputs.labels:,} labels: {title}**")
            spec = race(
                result.curves(what), chance, y_title="share judged right", n_step=n_fine, y_limits=(0, 1.05), **shape
            )
            ui.chart(spec, alt=ui.words("course-alt", title=title, what=what), key=f"tune-course-{what}")
    with second:  # the last chart is the one that Download offers
        ui.chart(by_labels, alt=ui.words("fine-tuning-alt"), key="tune-labels-chart")
    picture, table = ui.pair("tune-confusion")
    counts = record[f"confusion.{inputs.way}"][result.place]
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    label = f"What it says about new reviews: {NAMES[inputs.way]}, {inputs.labels:,} labels"
    how: Any = {"row_title": "truth (it is)", "column_title": "answer (it says)", "value_title": "share of the row"}
    key = f"tune-confusion-{inputs.way}-{inputs.labels}"
    with picture:
        ui.matrix(shares, rows=list(LABELS), columns=list(LABELS), key=key, label=label, height=200, **how)
    with table:
        ui.say("confusion", rows=list(zip(LABELS, counts.tolist(), strict=True)))
        ui.say("brackets")
    if result.praise is None:
        ui.say("no-review")
        return
    names, sizes = [name.split()[-1] for name in NAMES.values()], [f"{n:,}" for n in SIZES]
    how = {"row_title": "model", "column_title": "labeled reviews", "value_title": "probability of praise"}
    how["label"] = "How likely each model finds praise"
    ui.matrix(result.praise, rows=names, columns=sizes, key="tune-answers", height=200, **how)
    ui.say("judges")
