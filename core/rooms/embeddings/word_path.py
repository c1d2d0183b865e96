"""One word in two sentences: where its vector goes, part by part of the model."""

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_TRACES, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.compute import word_path as paths
from core.rooms.embeddings.compute.word_path import WordPath
from core.rooms.embeddings.word_paths_chart import likeness, two_paths
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.models import Encoded, ModelKey
from core.ui.models.own_words import offer_words
from core.ui.models.pick_inputs import control_name
from core.ui.text import escape_markdown, quote_briefly, visible

MOST_TOKENS = 128
LINE = 300  # characters of a sentence: longer ones do not fit beside each other
SHOWS = {"directions": "directions", "vectors": "whole vectors"}
# Two sentences that share their last word, of a kind that each corpus's models know.
SENTENCES = {
    "stories": ("Mia had a red ball. One day she took the", "Tom had a blue kite. One day he took the", "the"),
    "bottle-and-cup": (
        "I poured water from the bottle into the cup until it was full. It is the",
        "I poured water from the jug into the bowl until it was empty. It is the",
        "the",
    ),
    "python-topics": (
        "The statement raises an exception if the name",
        "The module is imported under another name",
        "name",
    ),
    "python-library": ("def __init__(self, name):\n    self.name", "for name in names:\n    print(name", "name"),
    "tiny-shakespeare": ("But soft, what light through yonder window breaks", "The light of the sun breaks", "light"),
}


# For models that were trained on nearly everything: one word with two meanings.
BANKS = ("They sat down in the grass of the river bank", "They brought all their money to the savings bank", "bank")


@memoize(MAX_TRACES)
def path_of(key: ModelKey, first: str, second: str, at_first: int, at_second: int) -> WordPath:
    """Both texts through the model, followed at one token each."""
    return paths.word_path(models.reader(key), models.unpack(first), models.unpack(second), at_first, at_second)


@memoize(MAX_TRACES)
def placed(
    key: ModelKey, first: str, second: str, at_first: int, at_second: int, shows: str
) -> tuple[NDArray[np.float64], tuple[float, ...]]:
    """The two paths on the two axes along which their vectors differ most: (2, S, 2), and the axes' shares."""
    path = path_of(key, first, second, at_first, at_second)
    points, shares = path.on_two_axes(directions=shows == "directions")
    return points, tuple(map(float, shares))


@exhibit(
    title="One word in two sentences",
    look_for="where the two paths part. Both start from the same row of the table. What the words before say can "
    "come in only through attention; a layer's other half, the **feed-forward part**, reads each word on its own.",
    try_this=[
        (
            "Keep the stories model and its two sentences, and look at the bars.",
            "The vectors of “the” start out identical (cosine 1, distance 0). Attention turns them apart, above all in "
            "layer 1; the feed-forward part of layer 0 turns them back a little. In the end one says that “ball” comes "
            "next, the other “kite”.",
        ),
        (
            "In the second sentence, write “red ball” instead of “blue kite”.",
            "Now only the name and “he” differ. The two paths stay together, and both expect “ball”.",
        ),
        (
            "Make both sentences the same.",
            "Every distance is 0: the same words before give the same vector.",
        ),
    ],
    code=(paths.word_path, paths.last_token_of, embeddings.cosine, embeddings.principal_components),
    formula=r"\cos(a, b) = \frac{a \cdot b}{\lVert a\rVert\,\lVert b\rVert}",
)
def word_in_two_sentences(key: ModelKey) -> Shown | None:
    """Ask for the sentences and the word, then draw both paths."""
    asked = _ask(key)
    if asked is None:
        return None
    first, second, word, (at_first, at_second) = asked
    where = (key, first.packed, second.packed, at_first, at_second)
    with models.patience(key, "Reading both sentences …"):
        path = path_of(*where)
    shows = controls.segmented("path", "Show the paths of", list(SHOWS), "directions", labels=SHOWS)
    points, shares = placed(*where, shows)
    left, right = layout.pair("word-path")
    with left:
        st.vega_lite_chart(
            two_paths(
                points,
                path.stages,
                ("first sentence", "second sentence"),
                tuple(f"axis {i + 1}: {share:.0%} of the differences" for i, share in enumerate(shares)),  # type: ignore[arg-type]
                mode=color_mode(),
            ),
            alt=f"Two paths of {len(path.stages)} stages; they start at a cosine of {path.cosines[0]:.3f} and end at "
            f"{path.cosines[-1]:.3f}.",
            key="word-path-map",
        )
        st.caption(
            f"The numbers match the bars; 0 is {_start(key)}. "
            + (
                "Every vector is divided by its length, so only its direction shows."
                if shows == "directions"
                else "The vectors are shown as they are; they usually grow, because each part adds to them."
            )
        )
    with right:
        st.vega_lite_chart(
            likeness(path.cosines.tolist(), path.distances.tolist(), path.stages, mode=color_mode()),
            alt="Cosine after each part: "
            + ", ".join(f"{s} {c:.3f}" for s, c in zip(path.stages, path.cosines, strict=True)),
            key="word-path-bars",
        )
        st.markdown(_told(key, path, word))
    return Shown(
        numbers=lambda: path.table(points),
        arrays={"vectors": path.vectors, "points": points, "probabilities": path.probabilities},
        formula=_with_numbers(path),
        script=lambda: _script(key, first, second, (at_first, at_second), shows == "directions"),
    )


def _start(key: ModelKey) -> str:
    """What the first vector is: where positions are added to the words, more than the row of the table."""
    added = getattr(models.load(key).config, "positions", "") in ("learned", "sinusoidal")
    return "the row of the table, with the position's vector added" if added else "the row of the table"


def _ask(key: ModelKey) -> tuple[Encoded, Encoded, str, tuple[int, int]] | None:
    """The two sentences, the word, and its place in each; None, after plain words, where there is no such place."""
    about = models.about(key)
    default = SENTENCES.get(about.corpus) or (about.sample, about.sample, (about.sample.split() or [""])[-1])
    if about.sample == models.GENERAL:
        default = BANKS
    left, right = layout.pair("word-path-texts")
    with left:
        one = controls.text_area(control_name("first", about), "First sentence", default[0], max_chars=LINE, height=80)
        first = models.encode(key, one, MOST_TOKENS)
        models.show_notes(first, key, control_name("first", about), one)
    with right:
        two = controls.text_area(
            control_name("second", about), "Second sentence", default[1], max_chars=LINE, height=80
        )
        second = models.encode(key, two, MOST_TOKENS)
        models.show_notes(second, key, control_name("second", about), two)
    word = controls.text_input(
        control_name("word", about),
        "The word that both hold",
        default[2],
        max_chars=40,
        help="Its last occurrence in each counts.",
    ).strip()
    if not first.ids or not second.ids:
        st.info("A sentence is empty. Type at least one word in each.")
        return None
    at_first, at_second = (_place_of(key, text, word) for text in (first, second))
    if at_first is None or at_second is None:
        _tell_missing(key, first, second, word, control_name("word", about), at_first is None, at_second is None)
        return None
    return first, second, word, (at_first, at_second)


def _place_of(key: ModelKey, text: Encoded, word: str) -> int | None:
    """The last token of the word; a model that knows small letters only finds it in small ones."""
    tokens = models.spelled(key, text.tokens)
    found = paths.last_token_of(tokens, word)
    return paths.last_token_of(tokens, word.lower()) if found is None else found


def _tell_missing(
    key: ModelKey, first: Encoded, second: Encoded, word: str, control: str, not_first: bool, not_second: bool
) -> None:
    where = "either sentence" if not_first and not_second else f"the {'first' if not_first else 'second'} sentence"
    shared = paths.shared_words(models.spelled(key, first.tokens), models.spelled(key, second.tokens))
    if shared:
        offered = "Both contain: " + ", ".join(quote_briefly(one, 20) for one in shared[:8]) + "."
    else:
        offered = "The two sentences, as this model reads them, share no word."
    said = f"{quote_briefly(word, 40)} is not in {where}." if word else "No word is given."
    st.info(escape_markdown(f"{said} {offered}"))
    offer_words([word], control, word, lambda _: shared[:6])


def _expected(key: ModelKey, path: WordPath, word: str) -> str:
    """What the model expects in each sentence: after the word or, if it fills gaps, in its place."""
    if not path.probabilities.shape[1]:
        return ""
    vocabulary = models.vocabulary(key)
    likely = [int(row.argmax()) for row in path.probabilities]
    expected = [
        f"**{escape_markdown(quote_briefly(visible(vocabulary[best])))}** ({path.probabilities[i][best]:.0%})"
        for i, best in enumerate(likely)
    ]
    where = "After" if models.predicts(key) == "next" else "In place of"
    return (
        f"{where} {escape_markdown(quote_briefly(word, 40))} the model expects {expected[0]} in the first sentence and "
        f"{expected[1]} in the second."
    )


def _told(key: ModelKey, path: WordPath, word: str) -> str:
    """What the model expects in each sentence, and where the paths part."""
    steps, apart = np.diff(path.cosines), path.distances[0] > 1e-4 * path.lengths[0, 0]
    text = _expected(key, path, word)
    if apart:
        text += (
            " This model adds positions to the vectors at the start, and the word has a different position in each "
            f"sentence, so the two are already {path.distances[0]:.3g} apart before any layer."
        )
    if len(steps) and np.nanmin(steps) < -1e-4:
        part = path.stages[int(np.nanargmin(steps)) + 1]
        text += f" The part that turns the two apart most is **{part}**: {np.nanmin(steps):+.3f} in cosine."
    elif float(path.distances.max()) < 1e-4:
        text += " The two vectors are the same after every part."
    return text.strip().replace("-0.", "−0.")


def _with_numbers(path: WordPath) -> str:
    dot = float(path.vectors[0, -1].astype(np.float64) @ path.vectors[1, -1].astype(np.float64))
    a, b = (float(v) for v in path.lengths[:, -1])
    return rf"\frac{{{_tex(dot)}}}{{{_tex(a)} \cdot {_tex(b)}}} = {path.cosines[-1]:.4f}"


def _tex(value: float) -> str:
    """Four digits, and no exponents: vectors of a fresh model are tiny, those of a trained one are not."""
    return f"{value:.2f}" if abs(value) >= 10 else f"{value:.4f}"


def _script(key: ModelKey, first: Encoded, second: Encoded, at: tuple[int, int], directions: bool) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.readers import reader_of
        from core.rooms.embeddings.compute.word_path import word_path
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = reader_of(found.model), found.tokenizer
        first = $first
        second = $second

        # The vector of one token of each text, part by part of the model; the numbers are their places.
        path = word_path(model, first, second, $at_first, $at_second)
        points, shares = path.on_two_axes(directions=$directions)
        print_table(path.table(points))
        """,
        folder=scripts.folder(key),
        first=scripts.ids(ModelAndText(key, first)),
        second=scripts.ids(ModelAndText(key, second)),
        at_first=at[0],
        at_second=at[1],
        directions=directions,
    )
