"""A sentence read from both ends: who knows which word, what the last state is, and what padding does to it."""

from typing import Any

import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.inspect.padding import PADDING, pad_id, room_for_padding
from core.nn.recurrent import unroll
from core.rooms.recurrent.compute import bidirectional
from core.rooms.recurrent.compute.bidirectional import Dependence, Padded
from core.rooms.recurrent.inputs import numbered
from core.ui.controls import controls, picks
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.numbers import power_of_ten
from core.ui.text import escape_markdown, plural
from core.ui.widgets import widgets

MOST_PADDING = 20
NEW_WORD = "Anna"


@memoize(MAX_TRACES)
def dependence(key: ModelKey, packed: str, replacement: int) -> Dependence:
    """Which states change when each word in turn is replaced."""
    return bidirectional.dependence(models.load(key).model, models.unpack(packed), replacement)


@memoize(MAX_TRACES)
def padded(key: ModelKey, packed: str, n_pad: int) -> Padded:
    """What padding behind the text changes."""
    return bidirectional.padded(models.load(key).model, models.unpack(packed), n_pad, pad_id(key))


@exhibit(
    title="From both ends",
    look_for="the two triangles. A column is one replaced word, a row one state, a cell how much that state changed. "
    "Reading forward, a word changes the states from there on. Reading backward, from the end of the text, it changes "
    "those up to there.",
    try_this=[
        (
            "Move “Word to replace” from the first word to the last.",
            "The sentence below the pictures says which states changed, and which stayed the same to the last digit.",
        ),
        (
            "Look at the bottom row of each picture, the states after the last word.",
            "The forward state can know every word. The backward state has read only one word there: its row is 0 "
            "everywhere but in the last column.",
        ),
        (
            "Now look at the top row of the backward picture.",
            "There it has read the whole sentence. That's the state to take.",
        ),
    ],
    code=(unroll, bidirectional.both_ways, bidirectional.dependence),
    formula=r"\begin{aligned} a_t &= \text{cell}(x_t, a_{t-1}) \\ b_t &= \text{cell}'(x_t, b_{t+1}) \\ "
    r"\text{last state} &= [a_n, b_1] \\ \text{and not}\ &\phantom{=}\ [a_n, b_n] \end{aligned}",
)
def from_both_ends(looked: ModelAndText) -> Shown | None:
    """The word to replace, the two triangles, and what the candidates for a last state know."""
    tokens, n = looked.encoded.tokens, len(looked.encoded.ids)
    content = content_key(str(looked.key), looked.encoded.packed)[:12]
    for name in ("ahead", "back"):
        if pick := picks.news(f"both.{name}", content):
            controls.put("both_word", pick["column"])
    left, right = st.columns(2, gap="medium")
    with left:
        word = int(controls.slider("both_word", "Word to replace", 0, n - 1, min(2, n - 1), step=1))
    with right:
        text = controls.text_input("both_new", "Put in its place", NEW_WORD, max_chars=40)
    new = _first_token(looked.key, text)
    if new is None:
        st.info("Type one word to put in.")
        return None
    models.show_notes(models.encode(looked.key, f" {text.strip()}"), looked.key, "both_new", text)
    if new[1].strip() != text.strip():
        st.caption(f"Only the first token of your text is put in: “{escape_markdown(new[1].strip())}”.")
    found = dependence(looked.key, looked.encoded.packed, new[0])
    _triangles(found, tokens, word, content)
    _say(found, tokens, word, new[1])
    _last_states(found)
    return Shown(
        numbers=lambda: found.table(tokens),
        script=lambda: _script_of_both(looked, new),
        arrays={"ahead": found.ahead, "back": found.back, "a": found.states_ahead, "b": found.states_back},
    )


def _first_token(key: ModelKey, text: str) -> tuple[int, str] | None:
    """The first token of a word as it stands inside a sentence, with the space before it where tokens have one."""
    found = models.encode(key, f" {text.strip()}")
    if not text.strip():
        return None
    return next(((i, token) for i, token in zip(found.ids, found.tokens, strict=True) if token.strip()), None)


def _triangles(found: Dependence, tokens: tuple[str, ...], word: int, content: str) -> None:
    most = max(float(found.ahead.max()), float(found.back.max())) or 1.0
    shown = {"ahead": ("Forward states a", found.ahead, len(tokens) - 1), "back": ("Backward states b", found.back, 0)}
    for place, (name, (label, values, row)) in zip(layout.pair("both"), shown.items(), strict=True):
        with place:
            widgets.matrix(
                values,
                rows=tokens,
                columns=tokens,
                key=picks.key(f"both.{name}", content),
                kind="value",
                limits=(0.0, most),
                row_title="state after",
                column_title="replaced word",
                value_title="change",
                selected=(row, word),
                height=420,
                label=label,
                takeaway=f"{label}: how much each changes when one word is replaced.",
            )


def _say(found: Dependence, tokens: tuple[str, ...], word: int, new: str) -> None:
    """Which states changed, counted."""
    if found.unchanged[word]:
        st.info(f"{escape_markdown(numbered(tokens, word))} is already that word: nothing is replaced.")
        return
    changed = {name: values[:, word] > 0 for name, values in (("forward", found.ahead), ("backward", found.back))}
    furthest = {"forward": float(found.ahead[-1, word]), "backward": float(found.back[0, word])}
    exactly = depth.at_least("numbers")
    told = [
        f"{int(which.sum())} of {plural(len(tokens), f'{name} state')} changed ({_span(which)}"
        f"{f'; the furthest by {_short(furthest[name])}' if exactly else ''}), the others by exactly 0"
        for name, which in changed.items()
    ]
    st.markdown(
        f"With “{escape_markdown(new.strip() or 'space')}” in place of {escape_markdown(numbered(tokens, word))}: "
        f"{'; '.join(told)}."
    )


def _short(change: float) -> str:
    return f"{change:.3f}" if change == 0 or change >= 1e-3 else power_of_ten(change)


def _span(which: NDArray[Any]) -> str:
    places = which.nonzero()[0]
    return "none" if not len(places) else f"{places[0]} to {places[-1]}"


def _last_states(found: Dependence) -> None:
    """What the states that are taken for the whole sentence know of the words other than the last."""
    n = len(found.ahead)
    if n < 2:
        st.caption("With only one word, all last states are the same. Write a longer text.")
        return
    rows = {
        "a, after the last word": found.ahead[-1],
        "b, after the last word": found.back[-1],
        "b, after the first word": found.back[0],
    }
    lines = ["| state | words whose change it notices | largest change by any word but the last |", "|---|--:|--:|"]
    for name, row in rows.items():
        most = float(row[:-1].max())
        told = "**exactly 0**" if most == 0 else f"{most:.3f}"
        lines.append(f"| {name} | {int((row > 0).sum())} of {int((~found.unchanged).sum())} | {told} |")
    st.markdown("**What each state knows of the sentence**\n\n" + "\n".join(lines))
    st.caption(
        "A **bidirectional** net has a second cell, with its own weights, for the way back. Here the model’s lowest "
        "cell goes both ways: which words a state can know doesn’t depend on the weights."
    )
    depth.note(
        "“The output is [aₙ, bₙ]”, as often written, pairs a state that has read everything with one that has read a "
        "single word. Libraries give the last state of each direction: the forward one after the last word, the "
        "backward one after the first."
    )


@exhibit(
    title="The padding trap",
    look_for="row b, the backward states. **Padding** fills up the shorter texts of a **batch**, texts computed "
    "together. The way back starts on it, so every state of the sentence changes, most of all near the end. On the "
    "way forward (row a) it comes after the last word and changes nothing.",
    try_this=[
        (
            "Move the padding to 0, then all the way up.",
            "At 0 everything is the same. One token of padding is enough to change the backward state at every word, "
            "so a text’s states depend on how long its neighbors in the batch are.",
        ),
        (
            "Compare the two numbers for the end of the padded line.",
            "Take the last column of a padded batch as “the last state”, and you get the state after the padding. "
            "With a mask the state waits, and the last column is right.",
        ),
    ],
    code=(unroll, bidirectional.padded),
)
def padding_trap(looked: ModelAndText) -> Shown | None:
    """How much padding there is, what it changes at each word, and at the end of the line."""
    tokens, n = looked.encoded.tokens, len(looked.encoded.ids)
    most = room_for_padding(looked.key, n, MOST_PADDING)
    if not most:
        st.info("The text fills the model's whole context. Shorten it to make room for padding.")
        return None
    n_pad = int(controls.slider("pad_more", f"Tokens of padding ({PADDING})", 0, most, min(5, most), step=1))
    found = padded(looked.key, looked.encoded.packed, n_pad)
    rows = found.rows
    values = [row.tolist() for row in rows.values()]
    largest = max(map(max, values))
    widgets.matrix(
        values,
        rows=["a", "b", "a+mask", "b+mask"],  # more would be cut off on a phone
        columns=tokens,
        key=f"pad:{content_key(str(looked.key), looked.encoded.packed)[:12]}",
        kind="value",
        limits=(0.0, largest or 1.0),
        row_title="states",
        column_title="state after",
        value_title="change",
        height=200,
        label=f"How much {n_pad} tokens of padding after the text change each state",
        takeaway=f"How much padding changes each state; at most {largest:.2f}.",
    )
    lines = ["| state | without a mask | with a mask |", "|---|--:|--:|"]
    for name, bare, masked in (
        ("a (forward), after the last word", found.ahead[-1], found.ahead_masked[-1]),
        ("a (forward), at the end of the padded line", found.end, found.end_masked),
        ("b (backward), after the last word", found.back[-1], found.back_masked[-1]),
        ("b (backward), after the first word", found.back[0], found.back_masked[0]),
    ):
        lines.append(f"| {name} | {_size(float(bare))} | {_size(float(masked))} |")
    st.markdown("**Largest change of each state, compared with the text without padding**\n\n" + "\n".join(lines))
    return Shown(
        numbers=lambda: found.table(tokens),
        arrays=dict(rows),
        script=lambda: _script_of_padding(looked, n_pad),
    )


_READ = """
    from core.data.csv_table import print_table
    from core.rooms.recurrent.compute import bidirectional
    from core.models.pretrained import load

    $folder
    found = load(FOLDER)
    model, tokenizer = found.model, found.tokenizer
    ids = $ids
"""


def _script_of_padding(looked: ModelAndText, n_pad: int) -> str:
    return scripts.script(
        _READ
        + """
    # The same text with padding behind it: what the padding changes, without a mask and with one.
    changed = bidirectional.padded(model, ids, n_pad=$n_pad, pad_id=$pad_id)
    print_table(changed.table(tokenizer.tokens(ids)))
    """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        n_pad=n_pad,
        pad_id=pad_id(looked.key),
    )


def _script_of_both(looked: ModelAndText, new: tuple[int, str]) -> str:
    return scripts.script(
        _READ
        + """
    # Each word in turn is replaced by another one, $word: which states change?
    changed = bidirectional.dependence(model, ids, replacement=$replacement)
    print_table(changed.table(tokenizer.tokens(ids)))
    """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        word=new[1],
        replacement=new[0],
    )


def _size(change: float) -> str:
    if change == 0 or change > 1e-4:
        return f"**{change:.3f}**" if change else "exactly 0"
    return f"{power_of_ten(change)}: rounding" if depth.at_least("numbers") else "only rounding"
