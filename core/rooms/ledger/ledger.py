"""The chain-rule ledger: one sentence, what every model takes for each of its tokens, and why."""

from typing import Any

import numpy as np
import streamlit as st

from core.charts.curves import Reference
from core.charts.race import race
from core.models.ngram import NGram
from core.rooms.ledger import sheet
from core.rooms.ledger.compute import ledger as computing
from core.rooms.ledger.experiments import ledger as water
from core.rooms.ledger.experiments import ledger_topics as topics
from core.rooms.ledger.ledger_widget import LedgerRow
from core.rooms.ledger.ledger_widget import ledger as draw
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import depth, layout
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models.own_words import tell_words
from core.ui.text import escape_markdown
from core.ui.training import live
from core.ui.training.trained_models import trained

NAMES = {sheet.WATER: "ledger", sheet.TOPICS: "ledger-topics"}
SENTENCES = {"bottle": "bottle and cup", "courage": "great courage", "own": "your own"}
SOURCES = {sheet.WATER: "80 sentences about water", sheet.TOPICS: "Python's documentation"}
SMOOTHINGS = {"mle": "none", "laplace": "add one", "interpolated": "interpolated"}
STEPS = {sheet.WATER: (300, 1_500), sheet.TOPICS: (600, 2_000)}
COURAGE = "It takes great courage to let yourself appear weak."
OWN = "I poured water from the jug into the vase until it was full. It is the vase."
LN8 = float(np.log(8))


def pace() -> float | None:
    """How often the exhibit looks again: while one of its two trainings goes on."""
    paces = [live.pace(name) for name in NAMES.values()]
    return next((seconds for seconds in paces if seconds is not None), None)


@exhibit(
    title="The chain-rule ledger",
    look_for="the last noun of the bottle sentence, second column from the right. From the 2-gram on, every n-gram "
    "guesses among eight nouns there, while the GPT is nearly certain.",
    try_this=[
        (
            "Switch from “full” to “empty”, and point at the GPT's cell for the last noun each time.",
            "No n-gram's number changes: the words just before the noun are the same. Only the two nets could notice, "
            "and only the GPT has: the cup is now as good as impossible. Below the rows you see what it reads.",
        ),
        (
            "Point at the GPT's cell for the first “cup”, the darkest of its row.",
            "Its loss is 5 and more: where a bottle came first, no cup came second in any of the 80 sentences, "
            "and the net has learned that too. Being sure is costly when you're wrong.",
        ),
        (
            "Set the smoothing to “none”.",
            "From the 2-gram on, the noun's loss is exactly that of a guess among eight, 2.08: all eight are "
            "equally frequent there. But the 4- and the 5-gram now call the sentence impossible, because these two "
            "nouns never met in training.",
        ),
        (
            "Take 1,500 steps and train (about half a minute).",
            "The GRU now knows its training sentences by heart, but still not the noun when two nouns meet for the "
            "first time. That's this GRU on 80 sentences, not a law about recurrent nets.",
        ),
        (
            "Choose “great courage”.",
            "A real text, with every factor of the sentence in numbers. On the held-out part, the 4-gram and the GPT "
            "are about even after a few seconds of training; the GRU is behind both.",
        ),
    ],
    code=(computing.counted, computing.guessed, NGram.log_probs, water.Ledger),
    formula=r"p(x_1, \dots, x_T) = p(x_1) \prod_{t=2}^{T} p(x_t \mid x_1, \dots, x_{t-1})",
)
def ledger() -> Shown | None:
    """The sentence, the training, the ledger and the curves."""
    which = controls.segmented("ledger_sentence", "Sentence", list(SENTENCES), "bottle", labels=SENTENCES)
    source, sentence = _ask(which)
    smoothing: Any = controls.segmented(
        "ledger_smoothing",
        "Smoothing",
        list(SMOOTHINGS),
        "interpolated",
        labels=SMOOTHINGS,
        help="What an n-gram, a table of counts, does about what it has never seen.",
    )
    left, right = st.columns(2, gap="medium")
    with left:
        steps = STEPS[source]
        n_step = controls.segmented(
            f"ledger_steps_{source}", "Training steps", list(steps), steps[0], labels={one: f"{one:,}" for one in steps}
        )
    with right:
        seed = controls.seed(name="ledger_seed")
    about = "About six seconds." if source == sheet.WATER else "About ten seconds."
    shown = live.train(NAMES[source], {"n_step": n_step}, seed, label="Train both nets", about=about)
    if shown is None:
        return None
    models = trained(shown)
    cut = sheet.cut(models, source, shown.seed, sentence)
    for note in cut.notes:
        st.caption(f":material/info: {escape_markdown(note)}")
    then = "Each is shown as <unknown>, which no model has ever seen."
    field, read = f"ledger_own_{source}" if which == "own" else "", cut.read
    tell_words(read.unknown, field, sentence, cut.known, then, changed=read.changed, who="These models don't")
    if not sheet.is_the_same_text(models, source):
        st.caption(
            ":material/info: These nets learned from the documentation of another version of Python; the n-grams count "
            "that of the version running here. Train both nets, and all learn from the same text."
        )
    if len(cut.ids) < 2:
        st.info("The sentence is empty. Type at least one word.")
        return None
    found = sheet.rows(models, source, shown.seed, smoothing, cut.ids)
    is_water, tokenizer = source == sheet.WATER, sheet.text_of(models, source, shown.seed).tokenizer
    draw(
        found,
        tokens=cut.tokens,
        vocabulary=tokenizer.tokens(range(tokenizer.vocab_size)),
        smoothing=smoothing,
        key=f"ledger-{source}",
        selected=(len(found) - 1, min(water.ANSWER if is_water else 5, len(cut.ids) - 2)),
        mean_title="per held-out token",
        label="Probability of each token, given all before it",
        takeaway=_takeaway(found),
    )
    _tell(found, cut.tokens, which)
    spec = _curves(shown, source, found)
    st.markdown("**While the nets learn**")
    st.vega_lite_chart(spec, alt=_in_words(shown, source), key="ledger-curves")
    st.caption(_what_is_judged(source))
    return Shown(
        numbers=lambda: sheet.table(found, cut.tokens),
        script=lambda: sheet.script(shown, source, smoothing, cut.read.text),
        arrays=lambda: sheet.arrays(found),
        figure=spec,
        formula=_formula(found[-1]),
    )


def _ask(which: str) -> tuple[str, str]:
    """Which text the models learned, and the sentence."""
    if which == "courage":
        return sheet.TOPICS, COURAGE
    if which == "bottle":
        left, right = st.columns(2, gap="medium")
        with left:
            ending = controls.segmented("ledger_ending", "… until it was …", ["full", "empty"], "full")
        with right:
            answer = controls.segmented("ledger_answer", "It is the …", ["cup", "bottle"], "cup")
        return (
            sheet.WATER,
            f"I poured water from the bottle into the cup until it was {ending}. It is the {answer}.",
        )
    source = controls.segmented(
        "ledger_source", "Models that learned from …", list(SOURCES), sheet.WATER, labels=SOURCES
    )
    default = OWN if source == sheet.WATER else COURAGE
    return source, controls.text_input(f"ledger_own_{source}", "Your sentence", default, max_chars=200)


def _takeaway(found: tuple[LedgerRow, ...]) -> str:
    costs = ", ".join(f"{row.name} {row.nats:.1f}" for row in found)
    return f"{depth.measured('Loss of the sentence', 'nats')}: {costs}. Arrow keys go through the cells."


def _tell(found: tuple[LedgerRow, ...], tokens: tuple[str, ...], which: str) -> None:
    """The bottle sentence's last noun, in words; and what the start is."""
    if which == "bottle":
        with np.errstate(divide="ignore"):
            cost = {row.name: -float(np.log(row.p[water.ANSWER])) for row in found}
        noun = escape_markdown(tokens[water.ANSWER + 1].strip())
        st.markdown(
            f"At the noun “{noun}”, the loss of the 2-gram is {cost['2-gram']:.2f}{depth.unit('nats')}, of the 5-gram "
            f"**{cost['5-gram']:.2f}**, of the GRU **{cost['GRU']:.2f}** and of the GPT **{cost['GPT']:.2f}**. A "
            f"guess among eight nouns has {'ln 8 = ' if depth.at_least('numbers') else ''}{LN8:.2f}."
        )
    st.caption(
        "⏎ start is a line end that every model reads first; it isn't counted. **Perplexity**: a guess among that many "
        "equally likely tokens has the same loss as this sentence has per token. “Per **held-out** token”: the mean "
        "loss on other text that no row has learned from."
    )


def _what_is_judged(source: str) -> str:
    """What the curves of a text measure."""
    if source == sheet.WATER:
        return (
            "“New pairs of nouns”: sentences whose two nouns never met in training. A net that only knows its training "
            "sentences by heart stays high there."
        )
    return "Judged on text that no model has learned from. The horizontal lines are two of the n-grams."


def _formula(row: LedgerRow) -> str:
    return rf"-\ln p(\text{{sentence}}) = {row.nats:.2f}\ \text{{nats for the GPT}}"


def _curves(shown: Live, source: str, found: tuple[LedgerRow, ...]) -> dict[str, Any]:
    """The two nets over their training, beside what counting reaches."""
    step = shown.record["step"]
    if source == sheet.WATER:
        curves = {
            f"{name}, {what}": (step, shown.record[f"curve.{net}.{part}"])
            for net, name in (("gpt", "GPT"), ("gru", "GRU"))
            for part, what in (("held", "new pairs of nouns"), ("train", "trained sentences"))
        }
        lines, y_title = [Reference(LN8, "a guess among eight nouns")], depth.measured("loss at the last noun", "nats")
    else:
        curves = {name: (step, shown.record[f"curve.{net}"]) for net, name in (("gpt", "GPT"), ("gru", "GRU"))}
        lines = [Reference(row.mean, row.name) for row in found if row.order in (2, 4)]  # the others lie too close
        y_title = "nats per held-out token" if depth.at_least("numbers") else "loss on held-out text"
    return race(curves, lines, y_title=y_title, n_step=shown.n_step, mode=layout.color_mode(), height=260)


def _in_words(shown: Live, source: str) -> str:
    part = ".held" if source == sheet.WATER else ""
    now = ", ".join(
        f"{name} {float(shown.record[f'curve.{net}{part}'][-1]):.2f}" for net, name in (("gpt", "GPT"), ("gru", "GRU"))
    )
    return f"Loss by training step, in nats. After step {shown.step}: {now}."


def warm_up() -> None:
    """Cut the real text into pieces once, so that no visitor waits for it."""
    topics.text()
