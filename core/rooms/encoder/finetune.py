"""Fine-tuning: what pretraining without labels is worth when labels are few."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.synthetic import reviews
from core.data.synthetic.reviews import LABELS, WORDS
from core.exhibit import Inputs as Base
from core.exhibit import seed, segmented, select, text_input
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


def _is_deep(_: Any) -> bool:
    return bool(ui.at_least("numbers"))


class Inputs(Base, prefix="tune_"):
    """How long the pretraining is, then which of the models are looked at, and a review for all of them."""

    seed: int = seed()
    n_step: int = segmented(
        "Pretraining steps", {n + task.N_FINE: str(n) for n in N_PRETRAIN}, 500 + task.N_FINE, name="tune_pretrain"
    )
    labels: int = segmented("Labeled reviews", {n: f"{n:,}" for n in SIZES}, 20, heading="")
    way: str = segmented(
        "The model's confusions", dict(NAMES), "full", heading="", when=lambda _: ui.at_least("numbers")
    )
    review: str = select("Review", (*REVIEWS, OWN), "waiter never disappointing.", heading="")
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
    """New reviews judged right by number of labels, and one review; deeper, how it came about."""
    if not result.is_tuned:
        _pretraining(result)
        ui.say("wait-for-labels")
        return
    ui.say("verdict")
    ui.say("kinds")
    if ui.at_least("numbers"):
        _pretraining(result)
        _course(result)
        _confusions(result, inputs)
        ui.say("own")
        ui.say("why", bag_of_words=BAG_OF_WORDS)
    first, second = ui.pair("tune-curves")
    with second:
        _answers(result)
    with first:  # the last chart is the one that Download offers
        ui.curves(
            {NAMES[way]: (SIZES, run.record[f"fine.{way}.held"][-1]) for way in WAYS},
            x=ui.Axis("labeled reviews", ticks=SIZES, format=",d", is_log=True),
            y=ui.Axis("new reviews judged right", (0.4, 1.02), unit="%"),
            at=inputs.labels,
            references={"guessing": 0.5},
            has_dots=True,
            alt=ui.words("fine-tuning-alt"),
        )


def _answers(result: Tuned) -> None:
    """One review, and what all judges say of it."""
    if result.praise is None:
        ui.say("no-review")
        return
    names, sizes = [name.split()[-1] for name in NAMES.values()], [f"{n:,}" for n in SIZES]
    how: Any = {"row_title": "model", "column_title": "labeled reviews", "value_title": "probability of praise"}
    how["label"] = "How likely each model finds praise"
    ui.matrix(result.praise, rows=names, columns=sizes, key="tune-answers", height=200, **how)


def _pretraining(result: Tuned) -> None:
    """Whether the right kind of word is expected, over the pretraining."""
    record = result.run.record
    ui.curves(
        {"right kind of word": (record["step"], record["curve.sides"])},
        n_step=result.n_pretrain,
        y=ui.Axis("share that is right", (0.4, 1.02)),
        references={"guessing": 0.5},
        height=220,
        alt=ui.words("sides-alt"),
    )


def _course(result: Tuned) -> None:
    """Reviews judged right over the fine-tuning: its own, and new ones."""
    titles = {"own": "the labeled reviews themselves", "held": "new reviews"}
    for place, (what, title) in zip(ui.pair("tune-course"), titles.items(), strict=True):
        with place:
            ui.write(f"**With {result.labels:,} labels: {title}**")
            ui.curves(
                result.curves(what),
                n_step=max(1, result.run.n_step - result.n_pretrain),
                y=ui.Axis("share judged right", (0, 1.05)),
                references={"guessing": 0.5},
                height=240,
                alt=ui.words("course-alt", title=title, what=what),
            )


def _confusions(result: Tuned, inputs: Inputs) -> None:
    """What one model says of new reviews."""
    counts = result.run.record[f"confusion.{inputs.way}"][result.place]
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    label = f"What it says about new reviews: {NAMES[inputs.way]}, {inputs.labels:,} labels"
    how: Any = {"row_title": "truth (it is)", "column_title": "answer (it says)", "value_title": "share of the row"}
    key = f"tune-confusion-{inputs.way}-{inputs.labels}"
    picture, table = ui.pair("tune-confusion")
    with picture:
        ui.matrix(shares, rows=list(LABELS), columns=list(LABELS), key=key, label=label, height=200, **how)
    with table:
        ui.say("confusion", rows=list(zip(LABELS, counts.tolist(), strict=True)))
