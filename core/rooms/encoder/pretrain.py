"""Pretraining in small: a BERT learns from gaps, in seconds, and is watched while it does."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import memoize
from core.charts.curves import Reference
from core.charts.race import race
from core.data.synthetic import gap_stories
from core.inspect import gaps as inspect_gaps
from core.rooms.encoder.common import NAME, pair
from core.rooms.encoder.compute import neighbors
from core.rooms.encoder.experiments import masked as task
from core.train.experiments.masking import KEPT, corrupt
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import percent
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained
from core.ui.widgets.film import film

SHARES = (15, 25, 40)  # percent
RULES = ("80/10/10", "100/0/0")
WHY = {
    "80/10/10": "Any word it sees may be a replaced one, and only a fifth of the questions are about a visible word: "
    "so far it relies more on the other words than on that one.",
    "100/0/0": "It was asked only about masks, never about a word it sees, so it never had to look at the word in the "
    "very position it answers for.",
}
N_COLUMN = 12  # words of the film


@dataclass(frozen=True)
class Baselines:
    """Who does not read the text, on the same gaps: losses in nats, and the share of right words by neighbors."""

    uniform: float
    frequency: float
    neighbors: float
    neighbors_right: float


@memoize(1)
def baselines() -> Baselines:
    """Guessing among all words, by frequency, and by counts of the two neighbors as the model reads them."""
    words = gap_stories.words()
    blind, held = task.blind(words), task.held_batch(words)
    chosen = np.argwhere(held.chosen.numpy())
    read = np.pad(held.inputs.numpy(), ((0, 0), (0, 1)), constant_values=words.pad_id)
    truth = held.targets.numpy()[tuple(chosen.T)]
    counted = neighbors.count(gap_stories.rows()[0].ids.numpy(), words.n_plain)
    told = counted.probabilities(read[chosen[:, 0], chosen[:, 1] - 1], read[chosen[:, 0], chosen[:, 1] + 1])
    loss = -np.log(told[np.arange(len(truth)), truth]).mean()
    return Baselines(blind["uniform"], blind["frequency"], float(loss), float((told.argmax(1) == truth).mean()))


def warm_up() -> None:
    """Cut the stories into words and count them, a third of a second, before somebody waits for it."""
    baselines()


@memoize(MAX_RESULTS)
def believed(models: Trained) -> float:
    """Where nothing is hidden, and the text is whole: how often the most probable word is the one that stands there."""
    opened = pair(models)
    held = task.held_batch(opened.words)
    ids = held.targets.numpy()
    said = inspect_gaps.at_the_places(opened.bert, ids, ids != opened.words.pad_id)
    asked = opened.words.eligible(held.targets).numpy() & (held.fate.numpy() == KEPT)
    return float((said == ids)[asked].mean())


@exhibit(
    title="Pretraining, live",
    look_for="the **loss**: how surprised the model is, on average, by the chosen words of stories it isn't trained "
    "on. Only below the line of the two neighbors has it read more than those.",
    try_this=[
        (
            "Play the film under the curve.",
            "First every gap gets the most frequent signs; then the kind of word is right; then “an”, which the next "
            "word decides. “dog” stays one of six: in these few seconds, the model didn't learn that a later sentence "
            "names it again.",
        ),
        (
            "Choose 40% and train again.",
            "The loss, still measured with 15%, falls sooner: each step asks about more words. Beyond some point, too "
            "little is left to read.",
        ),
        (
            "Choose “100/0/0” and train again; look at the sentences under the curve.",
            "Where nothing is hidden, it now says the word that's there clearly less often: it was never asked about a "
            "word it sees. That's what the other 20% are for.",
        ),
    ],
    code=(corrupt, task.loss_at, task.Masked.advance, neighbors.Neighbors.probabilities),
)
def pretrain() -> Shown | None:
    """The training, its curves, and the film of the gaps in one sentence."""
    left, middle, right = st.columns([4, 6, 7], gap="small")
    with left:
        seed = controls.seed(name="pre_seed")
    with middle:
        share = controls.segmented("pre_share", "Chosen, % of the words", list(SHARES), 15)
    with right:
        rule = controls.segmented("pre_rule", "% masked / replaced / unchanged", list(RULES), "80/10/10")
    about = f"{task.Options().n_step} steps take about fifteen seconds."
    shown = live.train(NAME, {"share": share, "rule": rule}, seed, about=about)
    if shown is None:
        return None
    spec = _curves(shown)
    st.vega_lite_chart(spec, width="stretch", alt=_in_words(shown), key="pre-curve")
    _tell(shown)
    _film(shown)
    return Shown(
        numbers=lambda: task.table(shown.record),
        arrays=lambda: dict(shown.record),
        figure=spec,
        script=lambda: _script(shown),
    )


def _script(shown: Live) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "The record that ships, if these are its settings; else some fifteen seconds of training.",
    )


def _curves(shown: Live) -> dict[str, Any]:
    line, n_word = baselines(), gap_stories.words().n_plain
    return race(
        {"loss at the gaps": (shown.record["step"], shown.record["curve.loss"])},
        [
            Reference(line.uniform, f"a blind guess{f', ln {n_word}' if depth.at_least('formula') else ''}"),
            Reference(line.frequency, "by how often words occur"),
            Reference(line.neighbors, "by counts of the two neighbors"),
        ],
        y_title=depth.measured("loss", "nats per word"),
        n_step=shown.n_step,
        mode=layout.color_mode(),
        height=340,
    )


def _in_words(shown: Live) -> str:
    losses = shown.record["curve.loss"]
    return f"Loss at the gaps by training step: from {losses[0]:.2f} to {losses[-1]:.2f} nats after step {shown.step}."


def _tell(shown: Live) -> None:
    record, line = shown.record, baselines()
    loss, right = float(record["curve.loss"][-1]), float(record["curve.accuracy"][-1])
    st.markdown(
        f"At step {int(record['step'][-1])}: a loss of **{loss:.2f}**{depth.unit('nats')} at the gaps, and "
        f"**{percent(right)}** of them filled with the very word that was there. By only the two neighbors: "
        f"{line.neighbors:.2f} and {percent(line.neighbors_right)}. Measured on {task.N_HELD} rows of stories "
        "that are never trained on. Many gaps have several good answers, so even a perfect reader wouldn't get them "
        "all."
    )
    st.markdown(
        f"And where **nothing** is hidden? It says the word in front of its eyes at "
        f"**{percent(believed(trained(shown)))}** of the positions. {WHY[shown.options['rule']]}"
    )


def _film(shown: Live) -> None:
    """What stands in the gaps of one sentence, over the training."""
    frames: NDArray[np.float32] = shown.record["frames.probe"].astype(np.float32)  # (looks, gaps, V)
    words = pair(trained(shown)).words
    row = [words.class_id, *words.encode(task.PROBE)]
    true = [row[place] for place in task.PROBE_GAPS]
    rest = [int(i) for i in np.argsort(-frames[1:].max((0, 1))) if i not in true] if len(frames) > 1 else []
    last = [int(i) for i in np.argsort(-frames[-1].max(0), kind="stable") if i not in true]
    columns = list(dict.fromkeys([*true, *last[:6], *rest]))[:N_COLUMN]
    labels = words.labels(columns)
    gaps = words.labels(true)
    text = " ".join(f"[{label}]" if i in task.PROBE_GAPS else label for i, label in enumerate(words.labels(row)) if i)
    film(
        frames[:, :, columns],
        steps=shown.record["step"].tolist(),
        rows=gaps,
        columns=labels,
        truth=np.array([[column == one for column in columns] for one in true]),
        truth_title="the word that was there",
        notes=[f"{percent(share)} right" for share in shown.record["curve.accuracy"]],
        row_title="gap",
        column_title="word",
        value_title="probability",
        key="pre-film",
        label="What it puts into three gaps, as it trains",
        takeaway=f"Probabilities of words in the gaps of: {text}",
    )
    st.caption(f"The text, with its gaps in brackets: {text}")
