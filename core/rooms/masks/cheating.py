"""A language model trained with and without the causal mask: the better loss is the one that is worth nothing."""

from typing import Any

import streamlit as st

from core.cache import content_key
from core.charts.curves import Reference
from core.charts.race import race
from core.data import corpora
from core.inspect import trace
from core.rooms.masks.experiments import cheating as task
from core.train import experiment
from core.train.snapshots import N_PROMPT
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told
from core.ui.frame.layout import color_mode
from core.ui.models.own_words import READS_UNKNOWN, SAMPLE, read_words
from core.ui.training import live
from core.ui.training.live import Live
from core.ui.widgets import badges, widgets

NAME = "cheating"
SENTENCE = "A statement is executed."
MOST = 32  # letters whose map can still be read beside another one
GUESSES = {"higher": "higher", "same": "about the same", "lower": "much lower"}
MUCH = 1.5  # so many times the other loss counts as higher, or as much lower


@exhibit(
    title="Train without the mask: the model cheats",
    look_for="the curves on text the models never trained on, then, after your guess, what the two write. The **loss** "
    "is the average **surprise** at the next letter: how little the model expected it. 0 is none.",
    try_this=[
        (
            "Make your guess, then press Train.",
            "Without the mask the loss dives towards 0, even on new text. It looks like a triumph.",
        ),
        (
            "Compare the two samples.",
            "With the mask, the model writes something like words. Without it, the model is lost: as it writes, there "
            "is no next letter to copy yet, and copying is all it has learned.",
        ),
        (
            "Go through the layers and heads.",
            "Without the mask, every head of the shipped example reads the very letter it should predict: the stripe "
            "right of the diagonal holds about nine tenths of the weight.",
        ),
    ],
    code=(task.recipe, task.Cheating.advance, task.end_loss),
)
def train_without() -> Shown | None:
    """The guess, the training, the curves, the samples, and a head of each model on the learner's letters."""
    left, right = st.columns([4, 1], gap="medium")
    with left:
        corpus = controls.select(
            "cheat_corpus", "Text, read letter by letter", corpora.names(), "python-topics", labels=_titles()
        )
    with right:
        seed = controls.seed(name="cheat_seed")
    answer = guess("cheat_guess", "Before you look: without the mask the loss on new text will be …", GUESSES)
    shown = live.train(NAME, {"corpus": corpus}, seed, about="Two models, about 7 seconds on one core.")
    if shown is None:
        return None
    record = shown.record
    hidden = ("unmasked",) if answer == NOT_YET else ()
    st.markdown("**Validation loss**: on text held back from training (on a part of it until the end, then on all)")
    spec = race(
        {task.NAMES[v]: (record[f"curve.{v}.val_step"], record[f"curve.{v}.val_loss"]) for v in task.VARIANTS},
        [Reference(float(record["blind"]), "guessing blindly")],
        y_title=depth.measured("loss", "nats per letter"),
        n_step=shown.n_step,
        mode=color_mode(),
        hidden=[task.NAMES[v] for v in hidden],
    )
    st.vega_lite_chart(
        spec=spec,
        width="stretch",
        alt=f"Validation loss by training step, {'with' if hidden else 'with and without'} the causal mask.",
    )
    if hidden:
        st.caption("The other curve, and what both models write, appear once you've made your guess.")
        return _shown(shown, spec, hidden)
    _told(shown, answer)
    for place, variant in zip(layout.pair("cheat-samples"), task.VARIANTS, strict=True):
        with place:
            st.markdown(f"**What the model {task.NAMES[variant]} writes**")
            st.code(
                bytes(record[f"sample.{variant}"]).decode("utf-8", "replace").strip(), language=None, wrap_lines=True
            )
    st.caption(f"Both start from the same {N_PROMPT} letters.")
    _look_inside(shown)
    return _shown(shown, spec, hidden)


def _shown(shown: Live, spec: dict[str, Any], hidden: tuple[str, ...]) -> Shown:
    """What can be taken away: of the model that has still to be guessed, nothing."""
    return Shown(
        numbers=lambda: task.table(shown.record, hidden),
        arrays=None if hidden else dict(shown.record),
        figure=spec,
        script=lambda: _script(shown, hidden),
    )


def _script(shown: Live, hidden: tuple[str, ...]) -> str:
    return scripts.of_record(
        NAME,
        shown,
        "Two models, trained on the same batches with and without the causal mask. With the settings that "
        "ship, the record that ships is read; with others they are trained now, which takes some seconds.",
        hidden,
    )


def _told(shown: Live, answer: str) -> None:
    """The losses at the end, where they can be trusted and where not; and what became of the guess."""
    record = shown.record
    if "val_loss.masked" not in record:
        return
    masked, unmasked = float(record["val_loss.masked"]), float(record["val_loss.unmasked"])
    if beside := told(answer, GUESSES, GUESSES[outcome(masked, unmasked)]):
        st.markdown(beside.strip())
    st.markdown(
        f"| {depth.measured('loss', 'nats per letter')} "
        f"| {task.NAMES['masked']} | {task.NAMES['unmasked']} |\n|---|---|---|\n"
        f"| over the whole validation text | {masked:.3f} | **{unmasked:.3f}** |\n"
        f"| at the end of a text, where nothing follows yet | {float(record['end_loss.masked']):.3f} | "
        f"**{float(record['end_loss.unmasked']):.3f}** |"
    )
    st.caption(
        "The second row asks both models for the letter after the last one, as when they write. Nothing follows that "
        "the mask could hide, and the low loss of the first row is gone."
    )


def outcome(masked: float, unmasked: float) -> str:
    """Which of the guesses came true."""
    return "lower" if unmasked * MUCH < masked else "higher" if unmasked > masked * MUCH else "same"


def _look_inside(shown: Live) -> None:
    """One head of both models on the same letters."""
    text = controls.text_input("cheat_text", "Your text", SENTENCE, max_chars=MOST)
    tokenizer = experiment.tokenizer_of(shown.record)
    sample = corpora.load(str(shown.options["corpus"])).text[:SAMPLE]
    ids = tuple(tokenizer.encode(read_words(tokenizer, "cheat_text", text, READS_UNKNOWN, sample=sample))[-MOST:])
    if not ids:
        st.info("Type at least one letter.")
        return
    left, right = st.columns(2, gap="medium")
    with left:
        layer = int(controls.slider("cheat_layer", "Layer", 0, 1, 0, step=1))
    with right:
        head = int(controls.slider("cheat_head", "Head", 0, 3, 0, step=1))
    tokens = tuple(tokenizer.tokens(list(ids)))
    content = content_key(str(shown.options["corpus"]), *map(str, ids))[:12]
    for place, variant in zip(layout.pair("cheat-maps"), task.VARIANTS, strict=True):
        # Not cached: while the training goes on the weights change, and this takes some milliseconds.
        options = task.Options(**shown.options)
        config = task.recipe(options, variant == "masked").config(tokenizer.vocab_size)
        model = experiment.rebuild(shown.record, variant, config)
        seen = trace.attention(model, ids)
        with place:
            widgets.matrix(
                seen.weights[layer, head],
                rows=tokens,
                columns=tokens,
                key=f"cheat.{variant}.{content}",
                mask=seen.mask,
                height=360,
                label=f"Layer {layer}, head {head}, {task.NAMES[variant]}",
                badge=badges.of_live(
                    shown,
                    model,
                    f"blocks.{layer}.attn.weights",
                    (head, "row", "column"),
                    seen.weights[layer],
                    f"the model {task.NAMES[variant]}",
                    ids=list(ids),
                ),
            )
    share = shown.record["look.unmasked.ahead"][-1]
    st.caption(
        f"On a line of the validation text, the heads without the mask give {share.min():.0%} to {share.max():.0%} of "
        f"their weight to the next letter; layer {layer}, head {head}, shown here, gives {share[layer, head]:.0%}."
    )


def _titles() -> dict[str, str]:
    return {name: corpora.title(name) for name in corpora.names()}
