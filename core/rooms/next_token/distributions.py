"""What a model expects at each place of a text, and how temperature, top-k and top-p change it."""

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.generate import filters
from core.generate.settings import Settings
from core.inspect import loss as token_losses
from core.inspect.model_and_text import ModelAndText
from core.rooms.next_token.sampling_settings import settings_in_force, take_settings
from core.ui.controls import controls, picks
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.pick_inputs import pick_inputs
from core.ui.models.place_in_text import choose_place, losses_of, next_logits, shown_text
from core.ui.text import escape_markdown
from core.ui.widgets import widgets

if TYPE_CHECKING:
    pass

# Longer texts take seconds to read here, and their chips fill more than a screen.
MOST_TOKENS = 256


def look_here() -> ModelAndText | None:
    """Any model that writes, and a text."""
    return pick_inputs(most=MOST_TOKENS, kinds=models.WRITERS)


def look_at_place() -> tuple[ModelAndText, int] | None:
    """Any model that writes, a text, and a place in it."""
    looked = look_here()
    return None if looked is None else (looked, choose_place(looked))


@exhibit(
    title="How surprised was the model?",
    look_for="strongly colored tokens, where the model expected something else: its **loss** (how surprised it was "
    "by the token that came) is high there. Right after, it often does well again.",
    try_this=[
        (
            "Click a strongly colored token.",
            "The line below the text says how likely the model found it, and how far down its list of guesses it was. "
            "On the page Next token, the picture below then shows everything the model expected there.",
        ),
        (
            "In the stories model's own text, change “box” to “kite”.",
            "Its own loss shoots up, to almost 15, and for some words after it the loss "
            "changes too. Before it, every loss stays the same to the last digit: nothing flows backward.",
        ),
        (
            "Compare the mean loss with “guessing blindly”.",
            "A blind guess gives every token the same probability. Whatever the model does better, it has learned.",
        ),
    ],
    code=(token_losses.token_loss, token_losses.from_logits),
    formula=r"\begin{aligned}\text{loss}_t &= -\ln p(w_t \mid w_0 \dots w_{t-1}) \\ "
    r"\text{perplexity} &= e^{\text{mean loss}}\end{aligned}",
)
def each_token(looked: ModelAndText, place: int) -> Shown:
    """The text, colored by the loss or the probability of each token."""
    if picks.has_news("next.text", shown_text(looked)):
        st.rerun()
    ids, tokens = looked.encoded.ids, looked.encoded.tokens
    with models.patience(looked.key, "Reading the text …"):
        losses = losses_of(looked.key, looked.encoded.packed)
    n_vocabulary = len(models.vocabulary(looked.key))
    blind = math.log(n_vocabulary)
    colors = controls.segmented(
        "colors", "Color by", ["loss", "probability"], "loss", labels={"loss": "Loss", "probability": "Probability"}
    )
    by_loss = colors == "loss"
    current = place if place < len(ids) else None
    widgets.token_row(
        tokens,
        key=picks.key("next.text", shown_text(looked), current),
        ids=ids,
        values=losses.loss if by_loss else losses.probability,
        kind="value" if by_loss else "probability",
        limits=(0.0, max(blind, float(np.nanmax(losses.loss)) if len(ids) > 1 else blind)) if by_loss else None,
        value_title=depth.measured("loss", "nats") if by_loss else "probability",
        details=["nothing predicts the first token", *map(_detail, losses.probability[1:], losses.rank[1:])],
        selected=current,
        title="The text as the model reads it",
    )
    with st.container(horizontal=True):
        mean = losses.mean
        st.metric("Mean loss", "–" if math.isnan(mean) else f"{mean:.3f}{depth.unit('nats')}")
        if depth.at_least("numbers"):
            st.metric(
                "Perplexity",
                "–" if math.isnan(mean) else f"{math.exp(min(mean, 700)):.2f}",
                help="On average, the model was as unsure as if it chose among this many equally likely tokens.",
            )
        st.metric(
            f"Guessing blindly{' (ln V)' if depth.at_least('formula') else ''}",
            f"{blind:.3f}{depth.unit('nats')}",
            help=f"With {n_vocabulary:,} tokens, all equally likely.",
        )
    arrays = {"ids": losses.ids, "loss": losses.loss, "probability": losses.probability, "rank": losses.rank}
    return Shown(
        numbers=lambda: losses.table(tokens),
        arrays=arrays | {"entropy": losses.entropy},
        script=lambda: _script_of_text(looked),
    )


def _script_of_text(looked: ModelAndText) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.inspect.loss import token_loss
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # Each token's loss: minus the logarithm of the probability that the model gave it, from those before it.
        print_table(token_loss(model, ids).table(tokenizer.tokens(ids)))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
    )


@exhibit(
    title="What comes next, and what sampling does to it",
    look_for="what each slider does. **Temperature** makes the model bolder or more careful: it changes all bars and "
    "removes none. **Top-k** and **top-p** cut off the unlikely tokens and share their part among the rest.",
    try_this=[
        (
            "Pull the temperature to 0.3, then to 2.",
            "Below 1 the favorites gain, above 1 the others do. The order of the tokens never changes, and none "
            "disappears.",
        ),
        (
            "Set top-k to 3.",
            "Only the three likeliest tokens are left, however sure the model is, and their shares grow to add up to "
            "1.",
        ),
        (
            "Set top-k back to 0 and top-p to 0.9, then move “Token to predict” along the text.",
            "Where the model is sure, one token is enough; where it isn't, many stay. Top-p adapts to the model, top-k "
            "doesn't.",
        ),
    ],
    code=(filters.temperature, filters.top_k, filters.top_p),
    formula=r"p(w) = \frac{e^{z_w / T}}{\sum_v e^{z_v / T}}",
)
def what_comes_next(looked: ModelAndText, place: int) -> Shown:
    """The distribution of one place, with live temperature, top-k and top-p."""
    if take_settings(shown_text(looked)):
        st.rerun()  # what is written below uses the same settings
    ids, tokens = looked.encoded.ids, looked.encoded.tokens
    vocabulary = models.vocabulary(looked.key)
    logits = next_logits(looked.key, ",".join(map(str, ids[:place])))
    settings = settings_in_force(len(vocabulary))
    came = ids[place] if place < len(ids) else None
    before = escape_markdown(" ".join("".join(tokens[max(0, place - 8) : place]).split()))
    st.markdown(
        f"After “…{before}” the model expects, out of {len(vocabulary):,} tokens:"
        if came is None
        else f"After “…{before}” came **“{escape_markdown(tokens[place].strip() or tokens[place])}”**, marked below."
    )
    widgets.distribution(
        logits,
        tokens=vocabulary,
        key=picks.key("next.distribution", shown_text(looked)),
        temperature=settings.temperature,
        top_k=settings.top_k,
        top_p=settings.top_p,
        chosen=came,
        n_shown=12,
        label="The next token" if came is None else f"Token {place}",
    )
    return Shown(
        numbers=lambda: settings.table(vocabulary, logits),
        arrays={"logits": logits},
        formula=_numbers(logits, settings),
        script=lambda: _script_of_place(looked, place, settings),
    )


def _script_of_place(looked: ModelAndText, place: int, settings: Settings) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.generate.cache import CachedModel
        from core.generate.settings import Settings
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        model, tokenizer = found.model, found.tokenizer
        ids = $ids

        # What the model gives each token of its vocabulary, from the tokens before this place alone.
        logits = CachedModel(model, cached=False).next_logits([ids[:$place]])[0].numpy()
        settings = Settings(temperature=$temperature, top_k=$top_k, top_p=$top_p)
        print_table(settings.table(found.vocabulary, logits))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        place=place,
        **asdict(settings),
    )


def _detail(probability: float, rank: int) -> str:
    place = {1: "the model's first guess", 2: "its second guess"}.get(int(rank), f"its guess number {int(rank):,}")
    return f"probability {probability:.4f}, {place}"


def _numbers(logits: np.ndarray, settings: Settings) -> str:
    """The formula for the likeliest token, in its own numbers."""
    best, t = int(logits.argmax()), settings.temperature or 1.0
    scaled = logits.astype(np.float64) / t
    shift = float(scaled[best])
    total = float(np.exp(scaled - shift).sum())
    # Both sides divided by the largest term, so that the numbers stay readable whatever the logits are.
    return (
        rf"\begin{{aligned}}z_\text{{max}} &= {logits[best]:.3f}, \quad T = {t:g} \\"
        rf"p_\text{{max}} &= \frac{{1}}{{\sum_v e^{{(z_v - z_\text{{max}})/T}}}} = \frac{{1}}{{{total:.3f}}} "
        rf"= {1 / total:.4f}\end{{aligned}}"
    )
