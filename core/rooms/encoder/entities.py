"""Named entities: an answer for each word, learned live."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.charts.curves import Reference
from core.charts.race import race
from core.data.synthetic import entities as data
from core.data.synthetic.entities import KINDS, SHORT, WORDS
from core.models.bert import TokenHead
from core.rooms.encoder.compute.class_attention import label_table, label_words
from core.rooms.encoder.compute.finetune import token_loss
from core.rooms.encoder.experiments import entities as task
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models.own_words import READS_UNKNOWN, tell_words
from core.ui.text import escape_markdown, percent
from core.ui.training import live
from core.ui.widgets import widgets

NAME = "entities"
COLORS = ("blue", "green", "orange")  # of person, place, organization
EXAMPLES = (
    "Paris ate soup in Jordan.", "Jordan works for Paris Bank in Sydney.", "In Paris Paris met Paris.",
    "Yesterday Glassformer flew to Rome.",
)  # fmt: skip
OWN = "your own"
MOST_CHARS = 200


@exhibit(
    title="Named entities: an answer for each word",
    look_for="names of people, places and organizations, and one name marked in two ways. “Paris” can be a person or a "
    "city, and only the words around it tell.",
    try_this=[
        (
            "Choose “In Paris Paris met Paris.”",
            "The same token three times, with two different answers. A list of names must give all three the same.",
        ),
        (
            "Choose “Yesterday Glassformer flew to Rome.”",
            "No training sentence has this word. The model reads <unknown> instead and still takes it for a person: "
            "who else flies to Rome?",
        ),
        (
            "Train with one layer.",
            "For sentences this short, one round of looking around is nearly enough.",
        ),
    ],
    code=(TokenHead.forward, token_loss, task.Entities.advance, data.spans, data.score, data.lookup),
    formula=r"F_1 = \frac{2 \cdot \text{right}}{\text{said} + \text{true}}",
)
def entities() -> Shown | None:
    """The training, a sentence of the learner's own, and the confusions."""
    left, right = st.columns([1, 1], gap="medium")
    with left:
        seed = controls.seed(name="entity_seed")
    with right:
        n_layer = controls.segmented("entity_layers", "Layers", [1, 2], 2)
    shown = live.train(NAME, {"n_layer": n_layer}, seed, about="250 steps take about three seconds.")
    if shown is None:
        return None
    record = shown.record
    f1, by_list = record["curve.f1"], float(record["list.f1"])
    spec = race(
        {"the encoder": (record["step"], f1)},
        [Reference(by_list, "the best list of names")],
        y_title="F1 of entities",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        height=240,
    )
    chart, text = layout.pair("entity-sides")
    with chart:
        st.vega_lite_chart(
            spec, width="stretch", alt=f"F1 by training step; now {f1[-1]:.3f}. A list: {by_list:.3f}.", key="entity-f1"
        )
    with text:
        st.markdown(
            f"After step {shown.step}: F1 **{f1[-1]:.3f}** on {task.N_HELD} new sentences. The best list of names, "
            f"which gives each word its most frequent label in {task.N_LIST:,} sentences, has **{by_list:.3f}**."
        )
        st.caption(
            f"**F1** is 1 if every name is found and none is made up. {percent(data.SHARED_SHARE)} of the names here "
            f"can be a person, a place or an organization. In training, one word in {round(1 / task.UNKNOWN)} is "
            "hidden as &lt;unknown&gt;, so that the model learns to go by the others."
        )
        depth.note(
            "F1 is 2 × right / (said + true), counted in entities; one is right if all its words and its kind are."
        )
    found = _own(shown)
    _confusion(shown)
    if found is None:
        return Shown(
            numbers=lambda: task.table(record),
            arrays=lambda: dict(record),
            figure=spec,
            script=lambda: _script_of_training(shown),
        )
    words, p = found
    return Shown(
        numbers=lambda: label_table(words, p),
        arrays=lambda: dict(record),
        figure=spec,
        script=lambda: _script(shown, words),
    )


def _script_of_training(shown: Live) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.encoder.experiments import entities

        print_table(entities.table($record))
        """,
        record=scripts.record(NAME, shown),
    )


def _script(shown: Live, words: list[str]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.data.synthetic.entities import WORDS
        from core.rooms.encoder.compute.class_attention import label_table, label_words
        from core.train.experiment import record_of
        from core.rooms.encoder.experiments import entities

        record = $record
        model = entities.rebuilt(record, n_layer=$n_layer)
        words = $words

        # An answer for each word: a probability for each label.
        print_table(label_table(words, label_words(model, WORDS.encode(words))))
        """,
        record=scripts.record(NAME, shown),
        n_layer=int(shown.options["n_layer"]),
        words=words,
    )


def _own(shown: Live) -> tuple[list[str], NDArray[np.float32]] | None:
    """One sentence with its labels, as text with colors and letters and as probabilities: its words, and (T, C)."""
    chosen = controls.select("entity_sentence", "Sentence", [*EXAMPLES, OWN], EXAMPLES[0])
    text = chosen
    if chosen == OWN:
        text = controls.text_input(
            "entity_text", "Your sentence", "Victoria met John Lincoln near Chelsea.", max_chars=MOST_CHARS
        )
    words = data.read(text)
    if not any(word.isalnum() for word in words):
        st.info("Type a sentence with a name in it.")
        return None
    unknown = [word for word in WORDS.split(text) if word.lower() not in WORDS.words[: WORDS.n_plain]]
    tell_words(unknown, "entity_text" if chosen == OWN else "", text, data.WRITTEN, READS_UNKNOWN)
    model = task.rebuilt(shown.record, int(shown.options["n_layer"]))
    p = label_words(model, WORDS.encode(words))
    st.markdown(colored(words, p.argmax(-1).tolist()))
    kinds = " · ".join(f":{color}-background[{kind}]" for color, kind in zip(COLORS, KINDS, strict=True))
    st.caption(f"{kinds}. Below, B begins a name and I continues it; per is person, org organization.")
    widgets.matrix(
        p.T,
        rows=list(SHORT),
        columns=words,
        row_title="label (answer)",
        column_title="word",
        value_title="probability",
        key="entity-labels",
        label="Probability of each label, word by word",
        height=260,
    )
    return words, p


def colored(words: list[str], labels: list[int]) -> str:
    """The sentence as Markdown: each entity on the color of its kind, with the kind's name after it."""
    told, at = [], 0
    for start, end, kind in sorted(data.spans(labels)):
        told += [escape_markdown(word) for word in words[at:start]]
        name = escape_markdown(" ".join(words[start:end]))
        told.append(f":{COLORS[kind]}-background[**{name}** {KINDS[kind]}]")
        at = end
    return " ".join([*told, *(escape_markdown(word) for word in words[at:])])


def _confusion(shown: Live) -> None:
    """Which label is taken for which: by the model, and by the best list."""
    for place, name, title in zip(
        layout.pair("entity-confusion"),
        ("confusion", "list.confusion"),
        ("the encoder", "a list of names"),
        strict=True,
    ):
        counts = shown.record[name]
        with place:
            widgets.matrix(
                counts / np.maximum(counts.sum(1, keepdims=True), 1),
                rows=list(SHORT),
                columns=list(SHORT),
                row_title="truth (it is)",
                column_title="answer (it says)",
                value_title="share of the row",
                key=f"entity-{name}",
                label=f"Confusions of {title}",
                takeaway=f"{percent(float(np.trace(counts) / max(1, counts.sum())))} of the labels are right.",
                height=300,
            )
    counts = shown.record["confusion"]
    numbers = ", ".join(f"{n:,} {label}" for label, n in zip(SHORT, counts.sum(1).tolist(), strict=True))
    st.caption(
        f"Each row adds up to 1. The words: {numbers}. Counting words flatters: always answering “other” is right for "
        f"{percent(float(counts[0].sum() / max(1, counts.sum())))} of them and finds nothing. F1 counts what is found."
    )
