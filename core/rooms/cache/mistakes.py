"""Cached decoding with a mistake in it: positions that are forgotten, and keys of a text that was edited since."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st

from core.cache import MAX_FIGURES, content_key, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.cache.compute import cache_mistakes
from core.rooms.cache.compute.cache_mistakes import SUFFERS, Derailed, Mistake
from core.rooms.cache.inputs import Prompt, prompt_of
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey, ModelUnreadable
from core.ui.text import escape_markdown
from core.ui.widgets import widgets

LEARNED, DISTANCES = "stories", "stories-alibi"  # shipped: positions that can be forgotten, and that cannot
MISTAKES = {
    "zero": "Every new token gets position 0",
    "restart": "Positions start again after the prompt",
    "stale": "The prompt is edited, the cache is not",
}
SCHEMES = {
    "learned": "looks up a vector for each position in a table, so a wrong number brings a wrong vector.",
    "sinusoidal": "adds a vector of sines for each position, so a wrong number brings a wrong vector.",
    "rotary": "turns queries and keys by an angle for each position, so a wrong number turns them wrongly.",
    "alibi": "(ALiBi) only subtracts something for each step of distance, and the distance is counted in the table "
    "itself, from the newest row back. There's no position number that could be forgotten.",
    "relative": "only adds something for each distance, and the distance is counted in the table itself, from the "
    "newest row back. There's no position number that could be forgotten.",
    "none": "is no scheme at all: this model is told nothing about positions, so there's nothing to forget.",
}
EDITS = (("Mia", "Ben"), ("bottle", "cup"), ("exception", "error"), ("name", "value"), ("light", "night"))


@memoize(MAX_FIGURES)
def forgotten(key: ModelKey, packed: str, n_new: int, mistake: Mistake) -> Derailed:
    """The right text and the one with wrong positions."""
    model: Any = models.load(key).model
    return cache_mistakes.forget_positions(model, models.unpack(packed), n_new, mistake)


@memoize(MAX_FIGURES)
def stale(key: ModelKey, before: str, packed: str, n_new: int) -> Derailed:
    """The text after an edit, read anew and from the old cache."""
    model: Any = models.load(key).model
    return cache_mistakes.keep_stale_keys(model, models.unpack(before), models.unpack(packed), n_new)


@exhibit(
    title="Break it: a cache that is wrong",
    look_for="the first token that differs, and the strongly colored tokens after it: there the right model is "
    "surprised by what the broken program writes.",
    try_this=[
        (
            "Take the stories model and put every new token at position 0.",
            "Only the first new word is still right. Soon it says the same words again and again: it can no longer "
            "tell where it is.",
        ),
        (
            "Take the shipped model with ALiBi.",
            "With either mistake in the positions, it writes word for word the same. Its positions are distances, and "
            "these are counted anew at each step.",
        ),
        (
            "Edit the prompt and keep the cache.",
            "Every model fails here. With Ben in place of Mia, the right text looks for Ben; the broken one still "
            "looks for Mia, who's no longer in the prompt.",
        ),
    ],
    code=(cache_mistakes.WrongPositions, cache_mistakes.forget_positions, cache_mistakes.keep_stale_keys),
)
def break_it(looked: ModelAndText) -> Shown | None:
    """The mistake, the model, and both texts below one another."""
    mistake = controls.segmented("break_mistake", "The mistake", list(MISTAKES), "zero", labels=MISTAKES)
    key, is_made = looked.key, True
    if mistake != "stale":
        key = _choose_model(looked)
    prompt = _prompt(looked, key)
    if mistake == "stale":
        edited = _edit(prompt)
        if edited is None:
            return None
        with models.patience(key, "Writing both texts …"):
            found = stale(key, prompt.packed, edited.packed, prompt.n_new)
        is_made = edited.ids != prompt.ids
        script = partial(_stale_script, prompt, edited)
        prompt = edited
    else:
        which: Mistake = "zero" if mistake == "zero" else "restart"
        with models.patience(key, "Writing both texts …"):
            found = forgotten(key, prompt.packed, prompt.n_new, which)
        script = partial(_forgotten_script, prompt, which)
        scheme = str(models.load(key).config.positions)
        st.markdown(f"**Positions: {scheme}.** This scheme {SCHEMES[scheme]}")
    if is_made:
        _verdict(key, found)
    return _rows(prompt, found, mistake, script)


def _choose_model(looked: ModelAndText) -> ModelKey:
    """The chosen model, or a shipped one of the other kind: one needs the numbers of positions, one doesn't."""
    suffers = str(models.load(looked.key).config.positions) in SUFFERS
    try:
        other = models.shipped_key(DISTANCES if suffers else LEARNED)
    except ModelUnreadable:
        return looked.key
    labels = {
        "above": "The chosen model",
        "other": f"The shipped model with {'ALiBi' if suffers else 'learned positions'}",
    }
    first = "above" if suffers else "other"
    chosen = controls.segmented("break_model", "Model", list(labels), first, labels=labels)
    return looked.key if chosen == "above" else other


def _prompt(looked: ModelAndText, key: ModelKey) -> Prompt:
    if key == looked.key:
        return prompt_of(looked)
    about = models.about(key)
    text = looked.encoded.text if models.about(looked.key).corpus == about.corpus else about.sample
    return prompt_of(ModelAndText(key, models.encode(key, text, 40)))


def _edit(prompt: Prompt) -> Prompt | None:
    """The prompt as the person has changed it; None, after plain words, where it cannot be compared."""
    found: Any = models.load(prompt.key)
    text = found.tokenizer.decode(list(prompt.ids))
    default = text
    for old, new in EDITS:
        if len(found.tokenizer.encode(text.replace(old, new))) == len(prompt.ids):
            default = default if default != text else text.replace(old, new)
    name = f"break_text.{content_key(prompt.key, prompt.packed)[:8]}"
    given = controls.text_input(name, "The prompt after the edit", default, max_chars=400)
    encoded = models.encode(prompt.key, given)
    models.show_notes(encoded, prompt.key, name, given)
    if len(encoded.ids) != len(prompt.ids):
        st.info(
            f"The prompt was read as {len(prompt.ids)} tokens; this text has {len(encoded.ids)}. Swap words for others "
            "that are one token each, so that every other token keeps its position."
        )
        return None
    changed = [n for n, (old, new) in enumerate(zip(prompt.ids, encoded.ids, strict=True)) if old != new]
    told = ", ".join(f"{prompt.tokens[n].strip()} → {encoded.tokens[n].strip()}" for n in changed[:6])
    st.caption(
        f"Changed since it was read: {escape_markdown(told)}."
        if changed
        else "Nothing has changed yet. Swap a word, and the cache is wrong."
    )
    return Prompt(ModelAndText(prompt.key, encoded), prompt.n_new)


def _verdict(key: ModelKey, found: Derailed) -> None:
    right, wrong = found.right_loss.mean(), found.wrong_loss.mean()
    if found.first is None:
        st.markdown(f"All {len(found.right)} new tokens are the same: this mistake does no harm here.")
        return
    names = models.vocabulary(key)
    one, other = (escape_markdown(names[row[found.first]].strip() or "space") for row in (found.right, found.wrong))
    unit = depth.unit("nats per token")
    st.markdown(
        f"The texts part at new token **{found.first + 1}**: “{one}” and “{other}”. The right model's mean "
        f"**surprisal** (how surprised it is by a token) is {right:.2f}{unit} at the right text and **{wrong:.2f}** at "
        "the broken one."
    )


def _rows(prompt: Prompt, found: Derailed, mistake: str, script: Callable[[], str]) -> Shown:
    names = models.vocabulary(prompt.key)
    highest = max(4.0, float(found.right_loss.max()), float(found.wrong_loss.max()))
    texts = {
        "The right text": (found.right, found.right_loss),
        f"With the mistake: {MISTAKES[mistake][0].lower()}{MISTAKES[mistake][1:]}": (found.wrong, found.wrong_loss),
    }
    unit = depth.unit("nats")
    for n, (title, (row, loss)) in enumerate(texts.items()):
        widgets.token_row(
            [names[token] for token in row],
            key=f"break-{n}-{content_key(prompt.key, prompt.packed, mistake)[:12]}",
            values=loss,
            kind="value",
            limits=(0.0, highest),
            value_title=depth.measured("surprisal of the right model", "nats"),
            details=[f"{one:.2f}{unit}" for one in loss],
            title=title,
            takeaway=f"{title}: mean surprisal {loss.mean():.2f}{unit}.",
        )
    n_prompt = len(prompt.ids)
    return Shown(numbers=lambda: found.table(names, n_prompt), script=script)


def _forgotten_script(prompt: Prompt, mistake: Mistake) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.cache.compute import cache_mistakes
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        prompt = $ids

        # The right text, and one whose new tokens are told a wrong position: "zero" or "restart".
        texts = cache_mistakes.forget_positions(found.model, prompt, n_new=$n_new, mistake=$mistake)
        print_table(texts.table(found.vocabulary, n_prompt=len(prompt)))
        """,
        folder=scripts.folder(prompt.key),
        ids=scripts.ids(prompt.looked),
        n_new=prompt.n_new,
        mistake=mistake,
    )


def _stale_script(before: Prompt, edited: Prompt) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.cache.compute import cache_mistakes
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        before = $before
        edited = $edited

        # The edited prompt, read anew; and written on with keys and values of the prompt as it was.
        texts = cache_mistakes.keep_stale_keys(found.model, before, edited, n_new=$n_new)
        print_table(texts.table(found.vocabulary, n_prompt=len(edited)))
        """,
        folder=scripts.folder(before.key),
        before=scripts.ids(before.looked),
        edited=scripts.ids(edited.looked),
        n_new=before.n_new,
    )
