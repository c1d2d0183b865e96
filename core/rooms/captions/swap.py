"""The picture is changed in mid-sentence: what follows the picture, and what the decoder remembers by itself."""

import numpy as np
import streamlit as st

from core.inspect.pictures import Picture
from core.models.captioner import Captioner
from core.nn.block import Block
from core.rooms.captions.caption_film_widget import caption_film
from core.rooms.captions.common import changed, current, described, in_script, quoted
from core.rooms.captions.compute import captions
from core.rooms.captions.compute.captioning import Described, change
from core.rooms.captions.compute.captions import LONGEST, WORDS
from core.ui.controls import controls
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import escape_markdown
from core.ui.training.trained_models import Trained
from core.ui.widgets.picture import ask_digit

FIRST, SECOND, WORD = 79, 187, 4
LEAST = 0.001  # of a probability: less is not told as a difference
KEEPS = {"vectors": "its words and vectors", "words": "its words only"}


@exhibit(
    title="Change the picture in mid-sentence",
    look_for="the words after the cut. From there on the cross-attention reads the second picture; the words before "
    "were written about the first one and stay in the sentence.",
    try_this=[
        (
            "Move the cut from 0 to the right.",
            "What is said before the cut belongs to the first picture, what is said after it to the second: a "
            "caption of no picture at all, in good English.",
        ),
        (
            "Choose digit 30, an eight, as the first picture and cut after 1 word, after “an”.",
            "The second picture shows a two, but grammar wants an eight: in all captions nothing else follows “an”. "
            "The model writes “eight”, and is sure of it. Ink and slant then follow the picture.",
        ),
        (
            "Cut after 6 words and compare what stays: words and vectors, or words only.",
            "The decoder's self-attention reads its own earlier vectors, made while it read the first picture. With "
            "“words only” they're made anew, from the second. Here the next word is a little less sure with one of "
            "the two; after other numbers of words it makes no difference.",
        ),
    ],
    code=(change, Captioner.decode, Block.forward),
)
def swap() -> Shown | None:
    """Two pictures, where the change is made, what stays, and the sentence that comes out."""
    models = current()
    if models is None:
        return None
    first = ask_digit("swap_first", FIRST, "First picture")
    second = ask_digit("swap_second", SECOND, "Second picture")
    if first is None or second is None:
        return None
    before, after = described(models, "patches", first), described(models, "patches", second)
    one, two = st.columns([1, 1], gap="medium", vertical_alignment="bottom")
    with one:
        word = int(controls.slider("swap_word", "Words written before the change", 0, LONGEST - 1, WORD, step=1))
    with two:
        keep = controls.segmented("swap_keep", "What stays of the first", list(KEEPS), "vectors", labels=KEEPS)
    mixed = changed(models, first, second, word, keep)
    st.markdown(
        f"First picture only: {quoted(before.words)}  \nSecond picture only: {quoted(after.words)}  \nChanged after "
        f"{word} {'word' if word == 1 else 'words'}: **{quoted(mixed.words)}**"
    )
    caption_film(
        mixed.words,
        mixed.probabilities,
        mixed.weights,
        np.stack([first.pixels, second.pixels]),
        reads=mixed.reads.tolist(),
        names=["first picture", "second picture"],
        vocabulary=WORDS.words,
        key="swap-film",
        start=min(word, len(mixed.words) - 1),
        label=f"The picture is changed after {word} {'word' if word == 1 else 'words'}",
        takeaway="The words of the caption; each shows which picture it read, and where.",
    )
    st.markdown(whose(before, after, mixed, word))
    st.caption(note(word, apart(models, first, second, word)))
    return Shown(
        numbers=lambda: mixed.table_beside(before, after),
        arrays={"weights": mixed.weights, "probabilities": mixed.probabilities, "reads": mixed.reads},
        script=lambda: _script(first, second, word, keep),
    )


def _script(first: Picture, second: Picture, word: int, keep: str) -> str:
    return scripts.script(
        """
        from core.data import images
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.captions.compute.captioning import change, describe
        from core.train.experiment import rebuild, record_of
        from core.rooms.captions.experiments import captions

        model = $model
        first = images.shades($first)
        second = images.shades($second)

        # The picture is changed after some words; what stays of the first one is the decoder's own.
        mixed = change(model, first, second, word=$word, keep=$keep)
        print_table(mixed.table_beside(describe(model, first), describe(model, second)))
        """,
        model=in_script(),
        first=scripts.pixels(first),
        second=scripts.pixels(second),
        word=word,
        keep=keep,
    )


def whose(before: Described, after: Described, mixed: Described, word: int) -> str:
    """Digit, ink and slant of the sentence: whose they are."""
    told = []
    said = zip(captions.PARTS, *(captions.parts(one.words) for one in (before, after, mixed)), strict=True)
    for name, of_first, of_second, now in said:
        is_late = now in mixed.words[word:]
        if of_first == of_second == now:
            side = "the same in both"
        elif now == of_second:
            side = "the second's"
        elif now == of_first:
            side = "the first's" + (", although it was written after the change" if is_late else "")
        else:
            side = "neither's"
        told.append(f"{name} **{escape_markdown(now or 'missing')}**: {side}")
    line = "; ".join(told)
    return line[0].upper() + line[1:] + "."


def apart(models: Trained, first: Picture, second: Picture, word: int) -> float:
    """By how much the two ways of keeping differ in the probabilities of the first word after the change."""
    vectors, words = (changed(models, first, second, word, keep) for keep in KEEPS)
    if word >= min(len(vectors.ids), len(words.ids)):
        return 0.0
    return float(np.abs(vectors.probabilities[word] - words.probabilities[word]).max())


def note(word: int, difference: float) -> str:
    """What the decoder remembers by itself."""
    if not word:
        return "Nothing was written before the change, so nothing of the first picture is left."
    told = "What is left of the first picture reaches later words only through the decoder's self-attention. "
    if difference < LEAST:
        return told + (
            "Here the words are enough: in the first word after the change, no probability differs by as much as "
            f"{LEAST:g} whether or not the vectors stay."
        )
    return told + (
        f"In the first word after the change, the probability of a word differs by up to {difference:.3f} between "
        "the two ways of keeping. That's how much the vectors remember that the words don't say."
    )
