"""A ViT learns to read digits, beside two plain classifiers on the same split; and what they get wrong."""

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.charts.curves import Reference
from core.charts.race import race
from core.data import images
from core.models.vit import ViT
from core.rooms.patches.answers_chart import in_percent
from core.rooms.patches.experiments import digits as task
from core.train.experiment import Record
from core.train.experiments.augment import augment
from core.train.experiments.plain_classifiers import logistic_regression, support_vectors
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training import live
from core.ui.widgets import widgets
from core.ui.widgets.pictures import pictures

NAME = "digits"
WHO = {"vit": "ViT", "logistic": "logistic regression", "vectors": "support vector machine"}
OVER = {"step": "training step", "seconds": "seconds of processor time"}
TAKES = {1: "more than a minute", 2: "about twenty seconds", 4: "about twelve seconds"}  # by the patch, with two layers
LOWEST = 0.8  # of the chart of accuracies, unless the model stays below
N_SHOWN = 24


@exhibit(
    title="A ViT learns to read",
    look_for="where the curve ends compared with the dashed lines of two simpler methods. A transformer starts out "
    "knowing nothing about pictures, not even which patches are neighbors. Is it worth its time here?",
    try_this=[
        (
            "Compare the seconds under the curves.",
            "The support vector machine is as good or better in a fraction of a second. 1,437 small pictures don't "
            "need a transformer; this one is here because you can look into all of it.",
        ),
        (
            "Switch the warping off and train again.",
            "It soon knows the digits it learns from by heart: their **loss**, a measure of how wrong it is, goes to "
            "0. On the others the loss is several times what it was with warping, and more of them are wrong.",
        ),
        (
            "Choose patches of 4 pixels, which makes four patches to a picture, and train again.",
            "It takes little more than half the time and is about as good. Now even the twin without positions reads "
            "nearly all: the quarters of a digit can be told apart by what they show.",
        ),
    ],
    code=(ViT.forward, augment, task.Digits.advance, logistic_regression, support_vectors),
)
def training() -> Shown | None:
    """The training, its curves, whom it has to beat, and the mistakes of each."""
    options, seed = _ask()
    about = (
        f"{task.Options().n_step:,} steps take {TAKES[options['patch_size']]}; a twin without positions learns "
        "alongside."
    )
    shown = live.train(NAME, options, seed, about=about)
    if shown is None:
        return None
    record, labels = shown.record, images.held_out().labels
    over = controls.segmented("train_over", "Drawn over", list(OVER), "step", labels=OVER)
    spec = _curves(shown, over)
    _tell(shown)
    said = answers(record)
    asked = [name for name in WHO if name in said]
    who = controls.segmented("train_who", "Mistakes of", list(WHO), "vit", labels=WHO)
    if who in asked:
        _mistakes(who, said[who], record, labels)
    else:
        st.caption(f"The {WHO[who]} hasn't been computed yet.")
    return Shown(
        numbers=lambda: task.table(record),
        arrays=lambda: dict(record),
        figure=spec,
        script=lambda: _script(shown),
    )


def _script(shown: Live) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "A ViT and its twin without positions; with the settings that ship, the record that ships. Trained "
        "anew, all is the same but the seconds.",
    )


def answers(record: Record) -> dict[str, NDArray[np.int64]]:
    """Which digit each takes the 360 held-out ones for, as far as that is computed."""
    said = {"vit": record["p.vit"].argmax(-1).astype(np.int64)}
    return said | {name: record[f"said.{name}"].astype(np.int64) for name in task.PLAIN if f"said.{name}" in record}


def _ask() -> tuple[dict[str, Any], int]:
    left, middle, right = st.columns([4, 4, 4], gap="small")
    with left:
        seed = controls.seed(name="train_seed")
    with middle:
        patch_size = controls.segmented("train_patch", "Patch (pixels)", list(task.PATCH_SIZES), 2)
    with right:
        n_layer = controls.segmented("train_layers", "Layers", [1, 2, 3], 2)
    warped = controls.toggle(
        "train_warp", "Warp the digits", True,
        help="Turns, slants, stretches and moves each digit a little, differently every time.",
    )  # fmt: skip
    return {"patch_size": patch_size, "n_layer": n_layer, "warped": warped}, seed


def _curves(shown: Live, over: str) -> dict[str, Any]:
    """Accuracy with both lines to reach, and the losses, side by side."""
    record, mode = shown.record, layout.color_mode()
    x = record["step"] if over == "step" else record["seconds.vit"]
    now = float(record["curve.vit.accuracy"][-1])
    end = shown.n_step if over == "step" else max(1.0, float(x[-1]) * shown.n_step / max(1, int(record["step"][-1])))
    scale: dict[str, Any] = {
        "n_step": end, "x_title": OVER[over], "x_format": ",d" if over == "step" else ".1f", "mode": mode
    }  # fmt: skip
    references = [
        Reference(accuracy(record, name), f"{WHO[name]}, {in_percent(accuracy(record, name))}")
        for name in task.PLAIN
        if f"said.{name}" in record
    ]
    low = LOWEST if now > LOWEST + 0.05 else 0.0
    spec = race(
        {"right on held-out digits": (x, record["curve.vit.accuracy"])},
        references,
        y_title="share that is right",
        y_limits=(low, 1.005),
        height=300,
        **scale,
    )
    losses = race(
        {
            "loss on held-out digits": (x, record["curve.vit.loss"]),
            "on digits it learns from": (x, record["curve.vit.known_loss"]),
        },
        y_title=depth.measured("loss", "nats per digit"),
        height=280,  # the second name takes the rest
        **scale,
    )
    left, right = layout.pair("train-sides")
    with left:
        st.vega_lite_chart(
            spec, width="stretch", alt=f"Accuracy by {OVER[over]}; now {in_percent(now)}.", key="train-accuracy"
        )
    with right:
        loss = float(record["curve.vit.loss"][-1])
        st.vega_lite_chart(losses, width="stretch", alt=f"Losses by {OVER[over]}; now {loss:.3f}.", key="train-loss")
    return spec


def accuracy(record: Record, name: str) -> float:
    """Share of the held-out digits that one gets right now."""
    return float((answers(record)[name] == images.held_out().labels).mean())


def _tell(shown: Live) -> None:
    """All three beside one another, honestly."""
    record, n = shown.record, len(images.held_out())
    right = accuracy(record, "vit")
    seconds = float(record["seconds.vit"][-1])
    text = (
        f"After step {int(record['step'][-1]):,}: the ViT gets **{round(right * n)} of {n}** held-out digits right, "
        f"**{in_percent(right)}**, after {seconds:.1f} seconds on one core. "
    )
    if "said.vectors" in record:
        text += (
            f"Logistic regression: {in_percent(accuracy(record, 'logistic'))} in "
            f"{float(record['seconds.logistic']):.2f} seconds. Support vector machine: "
            f"**{in_percent(accuracy(record, 'vectors'))}** in {float(record['seconds.vectors']):.2f} seconds. "
            f"{verdict(record)}"
        )
    st.markdown(text)
    st.caption(
        f"One digit is {in_percent(1 / n)}; chance alone moves these shares by half a point. All three learn from the "
        f"same {len(images.to_learn()):,} digits and are measured on the same {n} others. A twin of the ViT without "
        f"positions gets {in_percent(float(record['curve.bag.accuracy'][-1]))}."
    )
    depth.note(
        "The ViT's last step counts, whether or not an earlier one was better. Learning rate and warping were chosen "
        "on digits from the training set; sizes and length in trials measured on the held-out ones, which flatters "
        "it a little. The two others see the digits unwarped, as 64 pixels in a row, and would read them in any "
        "other order just as well."
    )


def verdict(record: Record) -> str:
    """Who is better, in words that its numbers bear."""
    n = len(images.held_out())
    ahead = round((accuracy(record, "vit") - accuracy(record, "vectors")) * n)
    times = float(record["seconds.vit"][-1]) / max(float(record["seconds.vectors"]), 1e-3)
    faster = f" It needed 1/{times:,.0f} of the time." if times >= 10 else ""
    if ahead <= 0:
        told = "is as good as the ViT" if ahead == 0 else f"gets {-ahead} more right than the ViT"
        return f"The support vector machine {told}.{faster}"
    return (
        f"The ViT gets {ahead} more right than the support vector machine, which needed 1/{times:,.0f} of the time; "
        "another seed may turn that around."
    )


def _mistakes(who: str, said: NDArray[np.int64], record: Record, labels: NDArray[np.int64]) -> None:
    """The digits that it takes for others, and how often each for which."""
    wrong = np.flatnonzero(said != labels)
    left, right = layout.pair("train-mistakes")
    with left:
        some = wrong[:N_SHOWN]
        if not len(wrong):
            st.success(f"The {WHO[who]} gets all {len(labels)} right.")
        else:
            pictures(
                images.held_out().pixels[some],
                key=f"train-wrong-{who}",
                label=f"Mistakes of the {WHO[who]}",
                takeaway=f"{len(wrong)} of {len(labels)} held-out digits are misread.",
                titles=[f"{labels[i]}, said {said[i]}" for i in some],
                details=[_detail(who, int(i), said, record, labels) for i in some],
                size=84,
            )
            first = f"the first {len(some)} of {len(wrong)}" if len(some) < len(wrong) else f"all {len(wrong)}"
            st.caption(f"Its mistakes ({first}), by number. Above each: what it is, and what the model said.")
    with right:
        counts = task.confusion(labels, said)
        widgets.matrix(
            np.where(counts > 0, counts, np.nan),
            rows=[str(d) for d in range(10)],
            columns=[str(d) for d in range(10)],
            row_title="truth (it is)",
            column_title="answer (it says)",
            value_title="digits",
            empty_title="none",
            kind="value",
            limits=(0, images.N_HELD_OUT_OF_EACH),
            key="train-confusion",
            label=f"Confusions of the {WHO[who]}",
            takeaway=f"{int(np.trace(counts))} of {len(labels)} are right.",
            height=340,
        )


def _detail(who: str, i: int, said: NDArray[np.int64], record: Record, labels: NDArray[np.int64]) -> str:
    told = f"held-out digit {i}: a {labels[i]}; the {WHO[who]} says {said[i]}"
    if who != "vit":
        return told
    p = record["p.vit"][i].astype(np.float32)
    return f"{told} with probability {p[said[i]]:.2f}, and {labels[i]} with {p[labels[i]]:.2f}"
