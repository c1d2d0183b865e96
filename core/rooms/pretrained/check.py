"""Does it work? A text through the opened model, and whether its guesses are better than blind ones."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.cache import MAX_MODELS, MAX_TRACES, content_key, memoize
from core.charts.neighbor_bars import neighbor_bars
from core.inspect.model_and_text import ModelAndText
from core.inspect.model_key import ModelKey
from core.rooms.pretrained.compute import tryout
from core.rooms.pretrained.compute.tryout import Guess
from core.rooms.pretrained.shelf import Chosen
from core.ui.controls import controls, picks
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.models import Encoded
from core.ui.models.pick_inputs import control_name
from core.ui.text import escape_markdown, visible
from core.ui.widgets import widgets

MOST_TOKENS = 48  # each token of an encoder's text is hidden once: a pass of the model for each
N_SHOWN = 5
MOST_LABELS = 12  # of a text, in a sentence
GAPS = "The <extra_id_0> walks in the park with her <extra_id_1>."  # T5's own task: it writes what stood in the gaps
MUCH = 0.8  # of the blind surprise: what lies above has learned next to nothing of texts like this


@memoize(MAX_TRACES)
def next_guess(key: ModelKey, packed: str) -> Guess:
    """What follows the text."""
    return tryout.next_token(models.load(key).model, models.unpack(packed))


@memoize(MAX_TRACES)
def gap_guess(key: ModelKey, packed: str, at: int) -> Guess:
    """What stands at a place, and how surprised the model is at each token when it is hidden."""
    ids = models.unpack(packed)
    return tryout.gaps(models.load(key).model, ids, _mask_id(key), at, _words(key, ids))


@memoize(MAX_TRACES)
def written(key: ModelKey, packed: str, start: int, end: int) -> tuple[int, ...]:
    """What an encoder-decoder writes."""
    return tuple(tryout.written(models.load(key).model, models.unpack(packed), start, end))


@memoize(MAX_TRACES)
def labels_of(key: ModelKey, packed: str) -> NDArray[np.float32]:
    """The answers of a BERT with a task's head."""
    return tryout.label_probabilities(models.load(key).model, models.unpack(packed))


@memoize(MAX_MODELS)
def answer_names(key: ModelKey, n_label: int) -> tuple[str, ...]:
    """What a task's answers are called in the model's config, else "label 0" and so on."""
    return tryout.answer_names(key.folder, n_label)


@exhibit(
    title="Does it work?",
    look_for="whether the first guesses make sense, and how much less the text surprises the model than a blind "
    "guesser. A file can load without an error and still be noise, or come with another model's tokenizer.",
    try_this=[
        (
            "Write a sentence of the kind the model was trained on, then one in another language.",
            "The second surprises it more: no model has learned all texts.",
        ),
        (
            "Compare the tokens with what you wrote.",
            "Pieces of words, marks for spaces, special tokens at the ends: that's what the model really reads.",
        ),
    ],
    code=(tryout.next_token, tryout.gaps, tryout.written),
)
def does_it_work(chosen: Chosen) -> Shown | None:
    """The text, its tokens, and what the model makes of them."""
    if not chosen.has_text:
        st.info("This model can't be given text, so there's nothing to try.")
        return None
    about = models.about(chosen.key)
    found = models.load(chosen.key)
    has_gaps = chosen.kind == "t5" and "<extra_id_0>" in models.vocabulary(chosen.key)
    name = control_name("try_text", about) + (".gaps" if has_gaps else "")
    text = controls.text_area(
        name,
        "Your text",
        GAPS if has_gaps else about.sample,
        height=80,
    )
    encoded = models.encode(chosen.key, text, MOST_TOKENS)
    models.show_notes(encoded, chosen.key, name, text)
    if not encoded.ids:
        st.info("The text is empty. Type at least one word.")
        return None
    if models.predicts(chosen.key) == "next":
        return _next(chosen.key, encoded)
    if tryout.can_fill(found.model, found.tokenizer):
        return _gap(chosen.key, encoded)
    if hasattr(found.model, "decoder"):
        return _translated(chosen.key, encoded)
    return _labels(chosen.key, encoded)


def _next(key: ModelKey, encoded: Encoded) -> Shown:
    _row(key, encoded, None)
    with models.patience(key, "Reading the text …"):
        guess = next_guess(key, encoded.packed)
    st.markdown(f"**What comes next?**\n\n{_verdict(guess, 'each token, given those before it')}")
    return _bars(key, guess, lambda: _script(key, encoded, _NEXT))


def _gap(key: ModelKey, encoded: Encoded) -> Shown | None:
    places = _words(key, list(encoded.ids))
    if not places:
        _row(key, encoded, None)
        st.info("There's no token here to hide. Type a word.")
        return None
    if picks.has_changed("try.text", encoded.packed):
        controls.reset("try_gap", places[-1])
    pick = picks.news("try.tokens", _content(key, encoded))
    if pick is not None:
        controls.put("try_gap", pick)
    at = int(controls.slider("try_gap", "Token to hide", places[0], places[-1], places[-1], step=1))
    _row(key, encoded, at)
    with models.patience(key, "Hiding one token at a time …"):
        guess = gap_guess(key, encoded.packed, at)
    token = escape_markdown(visible(encoded.tokens[at]))
    told = (
        f"Token {at}, **“{token}”**, is hidden behind a gap. **What does the model put there?** (★ is what was there.)"
        if encoded.ids[at] != _mask_id(key)
        else f"Token {at} is already a gap. **What does the model put there?**"
    )
    st.markdown(f"{told}\n\n{_verdict(guess, 'each token, when only that one is hidden')}")
    return _bars(key, guess, lambda: _script(key, encoded, _GAP, at=at))


def _translated(key: ModelKey, encoded: Encoded) -> Shown | None:
    _row(key, encoded, None)
    found = models.load(key)
    ends = tryout.start_and_end(found.model, found.tokenizer)
    if ends is None:
        st.info(
            "The files don't say with which token this model begins to write, so the other rooms show only its encoder."
        )
        return None
    with models.patience(key, "Writing …"):
        ids = written(key, encoded.packed, *ends)
    tokenizer: Any = found.tokenizer
    text = tokenizer.decode(ids).strip()
    st.markdown(
        f"**What it writes**, the likeliest token each time, at most {tryout.MOST_WRITTEN}: “{escape_markdown(text)}”"
        if text
        else "**It writes nothing:** its first token is the one that ends a text."
    )
    return Shown(
        numbers={"id": list(ids), "token": tokenizer.tokens(ids)},
        script=lambda: _script(key, encoded, _WRITTEN, start=ends[0], end=ends[1]),
    )


def _labels(key: ModelKey, encoded: Encoded) -> Shown | None:
    _row(key, encoded, None)
    if getattr(models.load(key).config, "head", "") == "none":
        st.info(
            "This BERT comes without a head: it makes a vector for each token, and nothing that could be checked in "
            "words. The other rooms show how it reads."
        )
        return None
    if models.predicts(key) == "here":
        st.info("This model's tokenizer has no token for a gap, so it can't be asked to fill one.")
        return None
    with models.patience(key, "Reading the text …"):
        answers = labels_of(key, encoded.packed)
    names = answer_names(key, answers.shape[-1])
    shown = Shown(
        numbers=tryout.label_table(answers, names, encoded.tokens), script=lambda: _script(key, encoded, _LABELS)
    )
    told = "" if _are_named(names) else " What the labels mean isn't in any of its files."
    if answers.ndim == 1:
        shares = ", ".join(f"{escape_markdown(names[i])}: **{p:.1%}**" for i, p in enumerate(answers[:MOST_LABELS]))
        first = f" (the first {MOST_LABELS})" if len(answers) > MOST_LABELS else ""
        st.markdown(
            f"This BERT was made for a task with {len(answers)} labels for a whole text. Here it says "
            f"{shares}{first}.{told}"
        )
        return shown
    best = [names[i] for i in answers.argmax(-1)]
    st.markdown(
        f"This BERT was made for a task with {answers.shape[1]} labels for each token: "
        + ", ".join(
            f"{escape_markdown(visible(token))} **{escape_markdown(name)}**"
            for token, name in zip(encoded.tokens, best, strict=True)
        )
        + f".{told}"
    )
    return shown


def _are_named(names: tuple[str, ...]) -> bool:
    """Whether the names say more than a number: "LABEL_0" is what is written where nobody named anything."""
    return not all(name.upper() == f"LABEL_{i}" or name == f"label {i}" for i, name in enumerate(names))


def _row(key: ModelKey, encoded: Encoded, selected: int | None) -> None:
    if picks.has_news("try.tokens", _content(key, encoded)):
        st.rerun()
    widgets.token_row(
        encoded.tokens,
        key=picks.key("try.tokens", _content(key, encoded), selected),
        ids=encoded.ids,
        selected=selected,
        title="What the model reads",
    )


def _bars(key: ModelKey, guess: Guess, script: Callable[[], str]) -> Shown:
    vocabulary = models.vocabulary(key)
    best = [int(i) for i in np.argsort(-guess.probabilities, kind="stable")[:N_SHOWN]]
    values = [float(guess.probabilities[i]) for i in best]
    names = [visible(vocabulary[i]) for i in best]
    st.vega_lite_chart(
        neighbor_bars(
            names, values, [""] * len(best), [i == guess.true for i in best], title="probability", digits=3, limit=1.0,
            mode=color_mode(),
        ),
        alt="First guesses: " + ", ".join(f"{name} {p:.1%}" for name, p in zip(names, values, strict=True)),
        key="try-bars",
    )  # fmt: skip
    return Shown(numbers=lambda: guess.table(vocabulary), script=script)


def _script(key: ModelKey, encoded: Encoded, last: str, **values: Any) -> str:
    head = scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.pretrained.compute import tryout
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids
        """,
        folder=scripts.folder(key),
        ids=scripts.ids(ModelAndText(key, encoded)),
    )
    return f"{head}\n{scripts.script(last, **values)}"


# What the scripts end with, by what the model can do.
_NEXT = """
# What may follow the text.
guess = tryout.next_token(model, ids)
print_table(guess.table(found.vocabulary))
"""
_GAP = """
# One token is hidden behind a gap: what may stand there?
guess = tryout.gaps(model, ids, tokenizer.mask_id, at=$at, asked=[])
print_table(guess.table(found.vocabulary))
"""
_WRITTEN = """
# The likeliest token each time, from the one that begins a text to the one that ends it.
answer = tryout.written(model, ids, start_id=$start, end_id=$end)
print_table({"id": answer, "token": tokenizer.tokens(answer)})
"""
_LABELS = """
# The answers of the head that this model was taught its task with.
answers = tryout.label_probabilities(model, ids)
names = tryout.answer_names(FOLDER, answers.shape[-1])
print_table(tryout.label_table(answers, names, tokenizer.tokens(ids)))
"""


def _verdict(guess: Guess, what: str) -> str:
    """The mean surprise beside a blind guesser's, and what to think of it."""
    if not np.isfinite(guess.loss):
        return "A single token has no surprisal to measure."
    share = guess.loss / guess.blind
    told = (
        "so it has learned something about texts like this one."
        if share < MUCH
        else "which is hardly worse, or even better: the model was never trained, or not with such a text or tokenizer."
    )
    return (
        f"Its **surprisal**, how surprised it is on average by {what}, is **{guess.loss:.2f}**{depth.unit('nats')}, "
        f"over {guess.n_token} tokens. A blind guess has {guess.blind:.2f}, {told}"
    )


def _mask_id(key: ModelKey) -> int:
    tokenizer: Any = models.load(key).tokenizer
    return int(tokenizer.mask_id)


def _words(key: ModelKey, ids: list[int]) -> list[int]:
    """Places that can be hidden: all but what the tokenizer lays around a text, and gaps that are there already."""
    tokenizer: Any = models.load(key).tokenizer
    around = {getattr(tokenizer, name, None) for name in ("class_id", "end_id", "mask_id", "pad_id")}
    return [place for place, i in enumerate(ids) if i not in around]


def _content(key: ModelKey, encoded: Encoded) -> str:
    return content_key(key, encoded.packed)[:12]
