"""From the last hidden row to logits to probabilities: one dot product for each token, then the softmax."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.cache import MAX_MODELS, MAX_TRACES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.models.gpt import GPT
from core.rooms.decoder import predictions_widget
from core.rooms.decoder.compute import unembedding
from core.rooms.decoder.experiments import lens as task
from core.rooms.decoder.frozen_step import taught
from core.rooms.decoder.inputs import MOST, content, model_of
from core.train import experiment
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey
from core.ui.numbers import signed
from core.ui.text import escape_markdown
from core.ui.training import live

if TYPE_CHECKING:
    from core.rooms.decoder.compute.unembedding import Kinship, LastRow

MODELS = {"chosen": "the chosen model", "small": "a small one with tied weights"}


@memoize(MAX_TRACES)
def row_of(key: ModelKey, packed: str, asked: int | None) -> "LastRow":
    """The last hidden row after these tokens."""
    return unembedding.last_row(model_of(key), models.unpack(packed), asked)


@memoize(MAX_MODELS)
def kin(key: ModelKey) -> "Kinship":
    """Whether tokens enter and leave by the same vectors."""
    return unembedding.kinship(model_of(key))


@dataclass(frozen=True)
class Read:
    """A text as one model reads it.

    Attributes:
        model: which has the rows.
        ids, tokens: of the text.
        vocabulary: all tokens as they can be read.
        name: tells model and text apart, for the keys of pictures.
        row: gives the last row after position t, with the token that came next shown in any case.
        kin: gives the likeness of the vectors.
    """

    model: GPT
    ids: tuple[int, ...]
    tokens: Sequence[str]
    vocabulary: Sequence[str]
    name: str
    row: Callable[[int, int | None], "LastRow"]
    kin: Callable[[], "Kinship"]


def chosen(looked: ModelAndText) -> Read:
    """The model of the room."""
    key, ids = looked.key, looked.encoded.ids
    return Read(
        model_of(key), ids, looked.encoded.tokens, models.vocabulary(key), content(looked),
        lambda t, truth: row_of(key, ",".join(map(str, ids[: t + 1])), truth), lambda: kin(key),
    )  # fmt: skip


def small(looked: ModelAndText, shown: Live) -> Read | None:
    """The model of the film, as far as it is trained; None if the text has no token for it."""
    tokenizer = experiment.tokenizer_of(shown.record)
    ids = tuple(tokenizer.encode(looked.encoded.text)[-MOST:])
    if not ids:
        return None
    # Not cached: while the training goes on the weights change, and this takes some milliseconds.
    model: GPT = task.model_of(shown.record, task.Options(**shown.options))
    return Read(
        model, ids, tokenizer.tokens(list(ids)), tokenizer.tokens(range(tokenizer.vocab_size)),
        content_key("small", shown.step, *ids)[:12],
        lambda t, truth: unembedding.last_row(model, ids[: t + 1], truth), lambda: unembedding.kinship(model),
    )  # fmt: skip


@exhibit(
    title="From the last hidden row to a probability",
    look_for="how few steps it takes. The last row of numbers, h, is multiplied by a token's row w, number by number, "
    "and added up: that's the token's **logit**. The **softmax** turns all logits into probabilities. That's all a "
    "prediction is.",
    try_this=[
        (
            "Point at the first token of the list, then at the last.",
            "Same h, different w. Nearly all of the favorite's largest products go one way and add up; those of the "
            "last one go back and forth.",
        ),
        (
            "Move the position.",
            "Each position has its own row, and so its own list. Training reads all of them; when the model writes, it "
            "reads only the last one.",
        ),
        (
            "Choose the small model with tied weights.",
            "It's tied: a token leaves by the vector it came in with. An untied model learns the two separately.",
        ),
    ],
    code=(unembedding.last_row, unembedding.kinship, GPT.forward),
    formula=r"z_v = h \cdot w_v \qquad p_v = \frac{e^{z_v}}{\sum_u e^{z_u}}",
)
def last_row(looked: ModelAndText) -> Shown | None:
    """The likeliest tokens of one position, with their logits taken apart."""
    which = controls.segmented("row_model", "Model", list(MODELS), "chosen", labels=MODELS)
    film = live.current(task.NAME) if which == "small" else None
    if which == "small" and film is None:
        st.info("There's no trained model yet: train one in “The lens over a training”.")
        return None
    read = chosen(looked) if film is None else small(looked, film)
    if read is None:
        st.info("The small model knows none of these tokens: it was trained on little stories.")
        return None
    last = len(read.ids) - 1
    # Where there is most to choose from.
    unsure = min(last, int(taught(looked.key, looked.encoded.packed).loss.argmax()))
    place = int(controls.slider("row_place", "Position whose row is read", 0, last, unsure, step=1))
    truth = read.ids[place + 1] if place < last else None
    row = read.row(place, truth)
    config, shown = read.model.config, row.shown.tolist()
    names = [read.vocabulary[i] for i in shown]
    largest = float(row.logits.max())
    asked = shown.index(truth) if truth in shown else None
    predictions_widget.unembed(
        hidden=row.hidden,
        rows=row.rows,
        biases=row.biases,
        tokens=names,
        largest=largest,
        total=float(np.exp(row.logits - largest).sum()),
        vocab_size=config.vocab_size,
        truth=asked,
        has_bias=config.output_bias,
        key=f"row.{read.name}.{place}",
        label=f"After “{read.tokens[place].strip()}” (position {place})",
        takeaway=f"The likeliest next token is {names[0]!r} with {row.probabilities[shown[0]]:.3f}.",
    )
    related = read.kin()
    st.markdown(_tied(related, config.d_embed is not None))
    if asked is not None:
        st.caption(f"✓ “{escape_markdown(names[asked].strip())}” is what came next in your text.")
    z, p = row.logits[shown[0]], row.probabilities[shown[0]]
    return Shown(
        numbers=lambda: row.table(read.vocabulary, related),
        arrays={"hidden": row.hidden, "logits": row.logits, "rows": row.rows, "biases": row.biases,
                "shown": row.shown},
        formula=rf"p = \frac{{e^{{{z:.3f}}}}}{{\sum_u e^{{z_u}}}} = {p:.4f}",
        script=lambda: _script(looked, place) if film is None else _small_script(looked, film, place, len(read.ids)),
    )  # fmt: skip


def _script(looked: ModelAndText, place: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.decoder.compute import unembedding
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        ids = $ids

        # The row of one position, which has read all tokens up to it; what really came next is shown in any case.
        place = $place
        came = $came
        row = unembedding.last_row(found.model, ids[: place + 1], came)
        print_table(row.table(found.vocabulary, unembedding.kinship(found.model)))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        place=place,
        came=_came(place, len(looked.encoded.ids)),
    )


def _small_script(looked: ModelAndText, film: Live, place: int, n_token: int) -> str:
    """The same for the model of the film, as far as it is trained."""
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.decoder.compute import unembedding
        from core.train.experiment import record_of, tokenizer_of
        from core.rooms.decoder.experiments import lens

        # The small model that is trained for the film: some eight seconds, unless it is the record that ships.
        record = $record
        tokenizer = tokenizer_of(record)
        model = lens.model_of(record, $options)
        ids = tokenizer.encode($text)[-$most:]

        # The row of one position, which has read all tokens up to it; what really came next is shown in any case.
        place = $place
        came = $came
        row = unembedding.last_row(model, ids[: place + 1], came)
        print_table(row.table(tokenizer.tokens(range(tokenizer.vocab_size)), unembedding.kinship(model)))
        """,
        record=scripts.record(task.NAME, film),
        options=scripts.Code(f"lens.{scripts.settings(task.Options(**film.options))}"),
        text=looked.encoded.text,
        most=MOST,
        place=place,
        came=_came(place, n_token),
    )


def _came(place: int, n_token: int) -> scripts.Code:
    """What came after a position; after the last one nothing has."""
    return scripts.Code("ids[place + 1]" if place < n_token - 1 else "None")


def _tied(related: "Kinship", is_narrow: bool) -> str:
    own = float(np.nanmean(related.own))
    deep = depth.at_least("numbers")
    if related.tied:
        told = "**Tied.** A token leaves by the same vector it came in with, its **embedding**: w is that vector."
        cosines = f"Cosine between the two: {signed(own, 3)}"
    else:
        widened = " brought to the width of the stream," if is_narrow and deep else ""
        told = f"**Not tied.** A token comes in by one vector, its **embedding**,{widened} and leaves by another, w."
        cosines = f"Cosine between the two, mean over the vocabulary: {signed(own, 3)}"
    return f"{told} {cosines}; between those of different tokens {signed(related.others, 3)}." if deep else told
