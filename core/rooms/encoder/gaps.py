"""Click a word to hide it: what the encoder puts into the gaps of the learner's own text."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import content_key, memoize
from core.inspect import gaps as inspect_gaps
from core.models.bert import BERT, MaskedHead
from core.rooms.encoder.common import MAX_MODELS, Text, ask_text, current, ids_in_script, models_in_script, pair
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.experiments.masked import Pair
from core.rooms.encoder.gap_row_widget import gap_row, places
from core.ui.controls import picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.training.trained_models import Trained

N_TOP = 5
DEFAULT = task.PROBE
FIRST_GAPS = [14, 18]  # "hungry" and "an"


@memoize(8 * MAX_MODELS)
def filled(models: Trained, ids: tuple[int, ...], gaps: tuple[int, ...]) -> NDArray[np.float32]:
    """(T, V) what the encoder says at each place."""
    opened = pair(models)
    return inspect_gaps.fill(opened.bert, ids, gaps, opened.words.mask_id)


@exhibit(
    title="Click a word to hide it",
    look_for="how the answers in a gap change when you hide another word, left or right of it. The model reads in both "
    "directions at once.",
    try_this=[
        (
            "Hide “apple” as well as “an”.",
            "Now nothing after the gap settles “a” or “an”, and both become possible.",
        ),
        (
            "Show all words again, then point at one after the other.",
            "The model has a guess at every position, hidden or not. Mostly it's the word that is there; where others "
            "fit as well, it has its doubts.",
        ),
        (
            "Change “apple” to “bun” in the text.",
            "The gap before it changes from “an” to “a”.",
        ),
    ],
    code=(inspect_gaps.fill, BERT.body, MaskedHead.forward),
    formula=r"P(x_i = w \mid \tilde x) = \mathrm{softmax}\big(E\,\mathrm{norm}(\mathrm{gelu}(W h_i + c)) + b\big)_w",
)
def gaps() -> Shown | None:
    """A text, its gaps and the answers."""
    models = current()
    if models is None:
        return None
    opened = pair(models)
    text = ask_text("gap_text", opened.words, DEFAULT)
    if text is None:
        return None
    hidden = _hidden(opened, text)
    chances = filled(models, text.ids, tuple(hidden))
    words = chances[:, : opened.words.n_plain]
    top = np.argsort(-words, axis=1, kind="stable")[:, :N_TOP]
    stands = words_there(chances, text)
    gap_row(
        text.labels,
        hidden,
        top,
        np.take_along_axis(words, top, 1),
        stands,
        vocabulary=opened.words.labels(range(opened.words.n_plain)),
        never=[0],
        key=picks.key(*_place(text)),
        label="Your text, and what the model puts into its gaps",
        takeaway=_in_words(opened, text, hidden, words),
    )
    if not hidden:
        st.caption("Nothing is hidden: the model reads every word, and may still doubt any of them.")
    return Shown(
        numbers=lambda: inspect_gaps.gap_table(opened.words, text.ids, hidden, chances),
        arrays={"ids": np.array(text.ids), "gaps": np.array(hidden, np.int64), "probabilities": chances},
        script=lambda: _script(text, hidden),
    )


def _script(text: Text, hidden: list[int]) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect import gaps
        from core.train.experiment import record_of
        from core.rooms.encoder.experiments import masked

        $models
        words = models.words
        ids = $ids
        hidden = $hidden

        # The mask token stands in the gaps; one pass says something at every place.
        chances = gaps.fill(models.bert, ids, hidden, words.mask_id)
        print_table(gaps.gap_table(words, ids, hidden, chances))
        """,
        models=models_in_script(),
        ids=ids_in_script(text),
        hidden=hidden,
    )


def words_there(chances: NDArray[np.float32], text: Text) -> NDArray[np.float32]:
    """(T,) the probability of the word that stands at each place."""
    return chances[np.arange(len(text.ids)), list(text.ids)]


def _place(text: Text) -> tuple[str, str]:
    return "gaps.row", content_key(*map(str, text.ids))[:12]


def _hidden(opened: Pair, text: Text) -> list[int]:
    """The gaps: the last ones clicked, those of the link, or the first ones of the default text."""
    n = len(text.ids)
    news = picks.news(*_place(text))
    if news is not None:
        chosen = places(news, n, [0]) or []
        picks.remember("gap_places", ".".join(map(str, chosen)) or "none")
        return chosen
    asked = picks.remembered("gap_places")
    if asked is None:
        found = FIRST_GAPS
    else:
        found = [int(one) for one in asked[:200].split(".") if one.isascii() and one.isdigit() and len(one) < 4]
    return places(sorted(set(found)), n, [0]) or []


def _in_words(opened: Pair, text: Text, hidden: list[int], words: NDArray[np.float32]) -> str:
    if not hidden:
        return f"A text of {len(text.ids) - 1} words, none of them hidden."
    best = opened.words.labels(words[hidden].argmax(1).tolist())
    told = "; ".join(f"position {i}, {text.labels[i]}: {one}" for i, one in zip(hidden, best, strict=True))
    return f"A text with {len(hidden)} hidden words. Most probable: {told}."
