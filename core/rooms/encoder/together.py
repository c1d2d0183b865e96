"""Two gaps at once: each is filled by itself, so two answers that are good alone may not go together."""

import numpy as np
import streamlit as st

from core.cache import memoize
from core.inspect import gaps as inspect_gaps
from core.inspect.gaps import Together
from core.rooms.encoder.common import MAX_MODELS, Text, ask_text, current, ids_in_script, models_in_script, pair
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.experiments.masked import Pair
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown
from core.ui.training.trained_models import Trained
from core.ui.widgets import widgets

N_WORD = 5
FIRST, SECOND = 18, 19  # "an apple"


@memoize(8 * MAX_MODELS)
def two(models: Trained, ids: tuple[int, ...], gaps: tuple[int, int]) -> Together:
    """The most probable words of both gaps, apart and in turn."""
    opened = pair(models)
    return inspect_gaps.fill_two(opened.bert, ids, gaps, opened.words.mask_id, N_WORD, opened.words.n_plain)


@exhibit(
    title="Two gaps at once",
    look_for="the framed cell of the first picture: the most probable word for each gap. Do the two go together? In "
    "the second picture, the second gap was asked again with the first one filled in.",
    try_this=[
        (
            "Read the framed pair of the first picture aloud.",
            "“a apple”: each word is the best answer for its gap, and together they're wrong. The stories never say "
            "it.",
        ),
        (
            "Look at the same cell in the second picture.",
            "It has next to nothing. With “a” filled in, the second gap says “bun”, “cake” or “pear”.",
        ),
        (
            "Move the second gap to another word, such as “sad”.",
            "Where two gaps have nothing to do with each other, the two pictures are nearly the same.",
        ),
    ],
    code=(inspect_gaps.fill_two,),
    formula=r"P(a)\,P(b) \quad\text{against}\quad P(a)\,P(b \mid a)",
)
def together() -> Shown | None:
    """The same pairs of words, filled apart and in turn."""
    models = current()
    if models is None:
        return None
    opened = pair(models)
    text = ask_text("two_text", opened.words, task.PROBE)
    if text is None:
        return None
    last = len(text.ids) - 1
    left, right = st.columns(2, gap="medium")
    with left:
        one = int(controls.slider("two_first", "First gap", 1, last, min(FIRST, last - 1), step=1))
    with right:
        other = int(controls.slider("two_second", "Second gap", 1, last, min(SECOND, last), step=1))
    if one == other:
        other = one + 1 if one < last else one - 1
        st.caption(f"These would be one gap, so the second is at position {other} here.")
    st.markdown(f"The model reads: {_spelled(text, (one, other))}")
    found = two(models, text.ids, (one, other))
    first, second = (opened.words.labels(ids.tolist()) for ids in (found.first, found.second))
    titles = "Both at once", "One after the other"
    if depth.at_least("formula"):
        titles = f"{titles[0]}: P(first) × P(second)", f"{titles[1]}: P(first) × P(second | first)"
    for place, values, key, label in zip(
        layout.pair("two-maps"), (found.apart, found.in_turn), ("apart", "turn"), titles, strict=True
    ):
        best = np.unravel_index(int(values.argmax()), values.shape)
        with place:
            widgets.matrix(
                values,
                rows=first,
                columns=second,
                key=f"two-{key}",
                row_title="first gap",
                column_title="second gap",
                value_title="probability",
                limits=(0, max(0.01, float(max(found.apart.max(), found.in_turn.max())))),
                truth=_true(opened, found, text, (one, other)),
                truth_title="what was there",
                selected=(int(best[0]), int(best[1])),
                label=label,
                takeaway=f"{label}. Most probable: {first[best[0]]} and {second[best[1]]}, {values.max():.2f}.",
                height=240,
            )
    st.markdown(_in_words(found, first, second))
    return Shown(
        numbers=lambda: found.table(opened.words),
        arrays={"apart": found.apart, "in_turn": found.in_turn, "first": found.first, "second": found.second},
        formula=rf"{found.apart.max():.3f} \quad\text{{against}}\quad "
        rf"{found.in_turn.ravel()[found.apart.argmax()]:.3f}",
        script=lambda: _script(text, (one, other)),
    )


def _script(text: Text, gaps: tuple[int, int]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import gaps
        from core.train.experiment import record_of
        from core.rooms.encoder.experiments import masked

        $models
        words = models.words
        ids = $ids

        # Both gaps at once; and the second asked again, with each of the first one's words filled in.
        found = gaps.fill_two(models.bert, ids, $gaps, words.mask_id, n=$n, n_plain=words.n_plain)
        print_table(found.table(words))
        """,
        models=models_in_script(),
        ids=ids_in_script(text),
        gaps=gaps,
        n=N_WORD,
    )


def _spelled(text: Text, gaps: tuple[int, int]) -> str:
    """The text with its gaps, for Markdown."""
    parts = [f"**[{escape_markdown(w)}]**" if i in gaps else escape_markdown(w) for i, w in enumerate(text.labels) if i]
    return " ".join(parts) + " (the words in brackets are hidden)"


def _true(opened: Pair, found: Together, text: Text, gaps: tuple[int, int]) -> np.ndarray:
    """(n, n) True where both words are those of the text."""
    return (found.first == text.ids[gaps[0]])[:, None] & (found.second == text.ids[gaps[1]])[None, :]


def _in_words(found: Together, first: list[str], second: list[str]) -> str:
    """The best pair of each picture, and what becomes of the first one's when the gaps are filled in turn."""
    a, b = np.unravel_index(int(found.apart.argmax()), found.apart.shape)
    c, d = np.unravel_index(int(found.in_turn.argmax()), found.in_turn.shape)
    best = f"“{escape_markdown(first[a])} {escape_markdown(second[b])}”"
    turned = f"“{escape_markdown(first[c])} {escape_markdown(second[d])}”"
    return (
        f"Filled at once, the best words are {best}: their probabilities multiply to {found.apart[a, b]:.1%}. Filled "
        f"one after the other, this pair has {found.in_turn[a, b]:.1%}; the best is {turned}, with "
        f"{found.in_turn[c, d]:.1%}. A decoder never has this problem: it writes one word at a time, and each reads "
        "those before it."
    )
