"""Fine-tuning: what pretraining without labels is worth when labels are few."""

from typing import Any

import numpy as np
import streamlit as st

from core.charts.curves import Reference
from core.charts.label_counts import label_counts
from core.charts.race import race
from core.data.synthetic import reviews
from core.data.synthetic.reviews import LABELS, WORDS
from core.rooms.encoder.compute import finetune as parts
from core.rooms.encoder.compute.class_attention import answers
from core.rooms.encoder.experiments import finetune as task
from core.rooms.encoder.experiments.finetune import NAMES, SIZES, WAYS
from core.rooms.encoder.reading import LABELS_OF, ask_review, judge
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import percent
from core.ui.training import live
from core.ui.training.trained_models import trained
from core.ui.widgets import widgets

NAME = "finetune"
N_PRETRAIN = (50, 200, 500)
BAG_OF_WORDS = 0.808  # of the example; a test computes it with scikit-learn


@exhibit(
    title="Fine-tuning: a judge of reviews",
    look_for="the left end of chart 2, where labels are few. Three models learn from the same labeled reviews. Two of "
    "them, “body frozen” and “all free”, have read other reviews before, without labels: 64,000 in the example.",
    try_this=[
        (
            "Choose 20 labels, then 1,000.",
            "With 20, the two models that can change freely soon know their own reviews by heart. From scratch, that "
            "helps little with new ones: this is **overfitting**. The pretrained ones are right far more often, with "
            "the same 20 labels.",
        ),
        (
            "Pretrain for only 50 steps.",
            "The model can't tell praise from blame yet, and the head start is gone: what helps is what it learned "
            "from the gaps, not having two stages of training.",
        ),
        (
            "Read “waiter never disappointing.” in the row of each model, from left to right.",
            "“Disappointing” is a word of blame, and “never” reverses it. All six “all free” models call the review "
            "praise, even the one with 10 labels. From scratch, only the one with 1,000 does, and barely.",
        ),
        (
            "Choose “soup not good but waiter great.”",
            "What follows “but” counts, so this is praise; yet “all free” with 1,000 labels is sure of blame. It met "
            "“not” in some reviews and “but” in others, but never both in one. Being right on every new review of the "
            "same kind doesn't prove that a model has learned the rule.",
        ),
    ],
    code=(task.masked_loss, parts.from_pretrained, parts.to_train, parts.classification_loss, task.Tuning.learn),
)
def finetune() -> Shown | None:
    """Pretraining, learning curves, the course of one number of labels, confusions, and a review of one's own."""
    left, right = st.columns([1, 1], gap="medium")
    with left:
        seed = controls.seed(name="tune_seed")
    with right:
        n_pretrain = controls.segmented("tune_pretrain", "Pretraining steps", list(N_PRETRAIN), N_PRETRAIN[-1])
    shown = live.train(
        NAME,
        {"n_step": n_pretrain + task.N_FINE},
        seed,
        label="Pretrain, then fine-tune",
        about=f"{n_pretrain} + {task.N_FINE} steps take twenty seconds at most.",
    )
    if shown is None:
        return None
    record = shown.record
    first, second = layout.pair("tune-curves")
    with first:
        _pretraining(shown)
    if "fine.step" not in record:
        with second:
            st.info("The gaps come first. The labels come after the last step of pretraining.")
        return Shown(numbers=lambda: task.table(record), script=lambda: _script(shown))
    with second:
        st.markdown("**2. Fine-tuning: new reviews judged right, by number of labels**")
        place = st.container()
    n_label = controls.segmented("tune_labels", "Labeled reviews", list(SIZES), 20, labels=LABELS_OF)
    spec = _by_labels(shown, n_label)
    with place:
        st.vega_lite_chart(spec, width="stretch", alt=_in_words(shown), key="tune-labels-chart")
    _course(shown, n_label)
    _verdict(shown, n_label)
    _confusion(shown, n_label)
    _answers(shown, n_label)
    return Shown(
        numbers=lambda: task.table(record), arrays=lambda: dict(record), figure=spec, script=lambda: _script(shown)
    )


def _script(shown: Live) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "Three ways to begin, six numbers of labels: eighteen judges in one record.",
    )


def _final(shown: Live, way: str, what: str = "held") -> Any:
    return shown.record[f"fine.{way}.{what}"][-1]


def _pretraining(shown: Live) -> None:
    record = shown.record
    st.markdown("**1. Pretraining: filling gaps, without labels**")
    st.vega_lite_chart(
        race(
            {"right kind": (record["step"], record["curve.sides"])},
            [Reference(0.5, "guessing")],
            y_title="share that is right",
            n_step=task.Options(n_step=shown.n_step).n_pretrain,
            mode=layout.color_mode(),
            y_limits=(0.4, 1.02),
        ),
        width="stretch",
        alt="How often a hidden word of praise or blame is expected to be of its kind; now "
        f"{percent(float(record['curve.sides'][-1]))}.",
        key="tune-sides",
    )
    st.caption(
        "A word of praise or blame is hidden in a new review: does the model expect one of its kind? It was never told "
        "that there are two kinds."
    )


def _by_labels(shown: Live, n_label: int) -> dict[str, Any]:
    return label_counts(
        {NAMES[way]: _final(shown, way).tolist() for way in WAYS},
        SIZES,
        marked=n_label,
        chance=0.5,
        x_title="labeled reviews",
        y_title="new reviews judged right",
        mode=layout.color_mode(),
        height=260,
    )


def _in_words(shown: Live) -> str:
    at = SIZES.index(20)
    now = ", ".join(f"{NAMES[way]} {percent(float(_final(shown, way)[at]))}" for way in WAYS)
    return f"Share of {task.N_HELD} new reviews judged right, by number of labeled reviews. With 20: {now}."


def _course(shown: Live, n_label: int) -> None:
    """Own and new reviews while the models of this size learn."""
    at, record = SIZES.index(n_label), shown.record
    for place, what, title in zip(
        layout.pair("tune-course"), ("own", "held"), ("the labeled reviews themselves", "new reviews"), strict=True
    ):
        with place:
            st.markdown(f"**With {n_label:,} labels: {title}**")
            st.vega_lite_chart(
                race(
                    {NAMES[way]: (record["fine.step"], record[f"fine.{way}.{what}"][:, at]) for way in WAYS},
                    [Reference(0.5, "guessing")],
                    y_title="share judged right",
                    n_step=max(1, shown.n_step - task.Options(n_step=shown.n_step).n_pretrain),
                    mode=layout.color_mode(),
                    y_limits=(0, 1.05),
                    height=260,
                ),
                width="stretch",
                alt=f"Share of {title} judged right over the fine-tuning. Now: "
                + ", ".join(f"{NAMES[way]} {percent(float(_final(shown, way, what)[at]))}" for way in WAYS),
                key=f"tune-course-{what}",
            )


def _verdict(shown: Live, n_label: int) -> None:
    at = SIZES.index(n_label)
    rows = "".join(
        f"| {NAMES[way]} | {percent(float(_final(shown, way, 'own')[at]))} | "
        f"**{percent(float(_final(shown, way)[at]))}** | {_moving(way):,} |\n"
        for way in WAYS
    )
    st.markdown(
        f"| with {n_label:,} labels | its own | new ones | parameters that move |\n|---|---|---|---|\n{rows}"
        f"\n\nMeasured on at most {task.N_TRAIN} of its own reviews and {task.N_HELD} new ones. A model can know its "
        "own by heart: only new ones show whether it has learned to judge."
    )
    st.caption(
        f"Why pretraining helps: there are {len(reviews.GOOD)} words of praise and {len(reviews.BAD)} of blame, and "
        "“not”, “never” or “hardly” reverses each of them. Twenty labels don't even show every word once. But the "
        "sentences of a review share one verdict, so filling gaps well takes knowing which words belong together and "
        "what a negation does. After that, a few labels say which kind is called praise. For comparison, just counting "
        f"words (logistic regression) is right on {percent(BAG_OF_WORDS)} of the example's new reviews, with 1,000 "
        "labels."
    )


def _moving(way: str) -> int:
    from core.models import registry

    model = registry.empty(task.config("sequence"))
    return sum(w.numel() for w in parts.to_train(model, frozen=way == "frozen").values())


def _confusion(shown: Live, n_label: int) -> None:
    """Which verdict was taken for which."""
    way = controls.segmented("tune_way", "The model's confusions", list(WAYS), "full", labels=dict(NAMES))
    counts = shown.record[f"confusion.{way}"][SIZES.index(n_label)]
    shares = counts / np.maximum(counts.sum(1, keepdims=True), 1)
    picture, table = layout.pair("tune-confusion")
    with picture:
        widgets.matrix(
            shares,
            rows=list(LABELS),
            columns=list(LABELS),
            row_title="truth (it is)",
            column_title="answer (it says)",
            value_title="share of the row",
            key=f"tune-confusion-{way}-{n_label}",
            label=f"What it says about new reviews: {NAMES[way]}, {n_label:,} labels",
            height=200,
        )
    with table:
        st.markdown("| | says blame | says praise |\n|---|---|---|\n" + "".join(
            f"| **is {name}** | {row[0]} ({percent(share[0])}) | {row[1]} ({percent(share[1])}) |\n"
            for name, row, share in zip(LABELS, counts.tolist(), shares.tolist(), strict=True)
        ))  # fmt: skip
        st.caption("Counts of new reviews; in brackets the share of the row, which the colors show.")


def _answers(shown: Live, n_label: int) -> None:
    """One review, judged by all eighteen models."""
    st.markdown("**One review, eighteen judges**")
    words = ask_review("tune", "waiter never disappointing.")
    if not words:
        return
    models = trained(shown)
    judges = [judge(models, way, n) for way in WAYS for n in SIZES]
    praise = answers(judges, WORDS.encode(words))[:, reviews.PRAISE].reshape(len(WAYS), len(SIZES))
    widgets.matrix(
        praise,
        rows=[name.split()[-1] for name in NAMES.values()],
        columns=[f"{n:,}" for n in SIZES],
        row_title="model",
        column_title="labeled reviews",
        value_title="probability of praise",
        key="tune-answers",
        label="How likely each model finds praise",
        height=200,
    )
    at = SIZES.index(n_label)
    st.markdown(
        f"With {n_label:,} labels: "
        + "; ".join(f"{NAMES[w]}: {_told(p)}" for w, p in zip(WAYS, praise[:, at], strict=True))
        + "."
    )


def _told(p: float) -> str:
    return f"**{LABELS[int(p > 0.5)]}** ({percent(float(p if p > 0.5 else 1 - p))})"
