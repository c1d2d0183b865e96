"""BERT's second task: do two sentences follow each other? Segments, `<sep>` and the tanh pooler at work."""

import numpy as np
import streamlit as st

from core.charts.curves import Reference
from core.charts.race import race
from core.data.synthetic import gap_stories
from core.models.bert import BERT, SequenceHead
from core.rooms.encoder.experiments import next_sentence as task
from core.rooms.encoder.experiments.next_sentence import SEP, Answer, Row
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models.own_words import READS_UNKNOWN, tell_words
from core.ui.text import percent
from core.ui.training import live
from core.ui.widgets import widgets

NAME = "next-sentence"
FIRST, SECOND = "Ben had a yellow drum.", "One day he took the drum to the beach."
MOST_CHARS = 200
CHANCE = Reference(0.5, "guessing")


@exhibit(
    title="Two sentences at once",
    look_for="what makes the model take the second sentence for the next one. `<sep>` ends each sentence, a *segment* "
    "says which of the two a word belongs to, and the answer is read only from `<class>`.",
    try_this=[
        (
            "Change “drum” to “kite” in the second sentence.",
            "It's a different toy, and the model still says yes. It has learned which kind of sentence follows which, "
            "not what they are about. That's enough to be right on 97% of the pairs.",
        ),
        (
            "Swap the two sentences.",
            "It was never trained on the wrong order, and still says no: stories begin in certain ways. Of the new "
            "pairs that belong together, it accepts 10% in the wrong order.",
        ),
        (
            "Switch the segments off.",
            "Every word now counts as part of the first sentence. `<sep>` still separates the two, yet the model is "
            "right on 68% of the pairs instead of 97%: it relies on what it was trained with.",
        ),
    ],
    code=(task.row, BERT.embed, SequenceHead.forward, task.draw, task.NextSentence.advance),
    formula=r"\begin{gathered} x_t = e(\text{token}_t) + p_t + s(\text{segment}_t) \\[1ex]"
    r"v = \tanh(W_1\, h_{\text{class}} + b_1) \\[1ex] P(\text{next}) = \mathrm{softmax}(W_2\, v + b_2) \end{gathered}",
)
def next_sentence() -> Shown | None:
    """The training, two sentences of the learner's own, and the vector that the answer is read from."""
    seed = controls.seed(name="next_seed")
    shown = live.train(NAME, {}, seed, about="500 steps take about fifteen seconds.")
    if shown is None:
        return None
    read = _ask_pair()
    if read is None:
        return None
    segments = controls.toggle("next_segments", "Tell it which sentence each word belongs to (segments)", True)
    found = task.ask(task.rebuilt(shown.record), read, segments)
    _draw_pair(read, segments, found)
    spec = _curves(shown)
    st.vega_lite_chart(spec, alt=_in_words(shown), key="next-curves")
    st.markdown(_in_words(shown))
    st.caption(
        "BERT learned this task along with its gaps; here it's learned on its own. A task that can be solved "
        "without knowing what a sentence is about teaches little: RoBERTa (2019) left it out and lost nothing."
    )
    depth.note("BERT's paper writes `[CLS]` for `<class>` and `[SEP]` for `<sep>`.")
    return Shown(
        numbers=lambda: task.table(shown.record),
        arrays=lambda: dict(shown.record) | {"class": found.class_vector, "pooled": found.pooled},
        figure=spec,
        formula=rf"P(\text{{next}}) = {found.p_next:.4f}",
        script=lambda: _script(shown),
    )


def _ask_pair() -> Row | None:
    words = gap_stories.words()
    sides, given = st.columns(2, gap="medium"), []
    for side, name, label, default in zip(
        sides, ("next_first", "next_second"), ("First sentence", "Second sentence"), (FIRST, SECOND), strict=True
    ):
        with side:
            text = controls.text_input(name, label, default, max_chars=MOST_CHARS)
            read = words.read(text)
            known = words.vocabulary()[: words.n_plain]
            tell_words(read.unknown, name, text, known, READS_UNKNOWN, changed=read.changed)
            given.append(read.text)
    ids = [words.encode(text) for text in given]
    if not all(ids):
        st.info("Type two sentences, in the words of the little stories.")
        return None
    if max(map(len, ids)) > task.MOST:
        st.caption(f"The model reads only the first {task.MOST} words and signs of each sentence.")
    return task.row(*ids)


def _draw_pair(read: Row, segments: bool, found: Answer) -> None:
    words = gap_stories.words()
    labels = [SEP if i == task.sep_id() else words.labels([i])[0] for i in read.ids]
    told = read.segments if segments else (0,) * len(read.ids)
    widgets.token_row(
        labels,
        key="next-row",
        values=told,
        limits=(0, 1),
        value_title="segment",
        title="What the model reads, and the segment of each token",
        details=[f"segment {one}, position {t}" for t, one in enumerate(told)],
        takeaway=f"{len(labels)} tokens, {sum(told)} of them in segment 1.",
    )
    verdict = "they follow each other" if found.p_next > 0.5 else "they don't"
    st.markdown(f"The model says: **{verdict}**. It gives “next” a probability of **{found.p_next:.1%}**.")
    if not depth.at_least("numbers"):
        return
    widgets.matrix(
        np.stack([found.class_vector, found.pooled]),
        rows=["h of <class>", "tanh(W h + b)"],
        columns=[str(i) for i in range(len(found.pooled))],
        key="next-pooled",
        kind="signed",
        row_title="vector",
        column_title="number",
        value_title="value",
        label="The pooler",
        takeaway=f"Behind the pooler, from −1 to 1: {found.pooled.min():.2f} to {found.pooled.max():.2f}.",
        height=120,
    )


def _curves(shown: Live) -> dict[str, object]:
    record = shown.record
    return race(
        {
            "right": (record["step"], record["curve.accuracy"]),
            "right, without segments": (record["step"], record["curve.one_segment"]),
            "called next, wrong order": (record["step"], record["curve.turned"]),
        },
        [CHANCE],
        y_title="share of the pairs",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        height=240,
    )


def _in_words(shown: Live) -> str:
    right, blind, turned = (shown.record[f"curve.{name}"][-1] for name in ("accuracy", "one_segment", "turned"))
    return (
        f"After step {shown.step}, on {task.N_HELD} pairs from stories not trained on: {percent(float(right))} right, "
        f"{percent(float(blind))} if all words count as part of the first sentence. Of the pairs that belong together, "
        f"{percent(float(turned))} are called next in the wrong order (seed {shown.seed})."
    )


def _script(shown: Live) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.encoder.experiments import next_sentence

        print_table(next_sentence.table($record))
        """,
        record=scripts.record(NAME, shown),
    )
