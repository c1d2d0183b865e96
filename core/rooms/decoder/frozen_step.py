"""Self-supervised training, frozen at one step: a window is shifted by one, and each place becomes a lesson."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from core.cache import MAX_TRACES, frozen, memoize
from core.inspect.model_and_text import ModelAndText
from core.rooms.decoder.compute import training_window
from core.rooms.decoder.inputs import MOST_WEIGHTS, content, model_of, n_weight
from core.rooms.decoder.predictions_widget import Top, training_step
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.models import models
from core.ui.models.models import ModelKey

if TYPE_CHECKING:
    from core.models.gpt import GPT
    from core.rooms.decoder.compute.training_window import Teaching


@memoize(MAX_TRACES)
def taught(key: ModelKey, packed: str) -> "Teaching":
    """The step of the trained model."""
    return training_window.teach(model_of(key), models.unpack(packed))


@memoize(4)  # up to forty megabytes each
def untrained(key: ModelKey, seed: int) -> "GPT":
    """The same model before its first step: the same sizes, weights drawn anew."""
    from core.models import registry

    model: GPT = frozen(registry.build(model_of(key).config, seed))  # type: ignore[assignment]
    return model


@memoize(MAX_TRACES)
def untaught(key: ModelKey, packed: str, seed: int) -> "Teaching":
    """The step of its untrained copy."""
    return training_window.teach(untrained(key, seed), models.unpack(packed))


@exhibit(
    title="Self-supervised training, frozen at one step",
    look_for="the row of targets: it's the row of inputs, moved one position to the left, so no one had to label "
    "anything. That's what **self-supervised** means. The bars are the loss of each answer: how surprised the model "
    "was by it.",
    try_this=[
        (
            "Point at the columns from left to right.",
            "Each position reads only what is framed: itself and what came before. One pass through the model gives "
            "all these lessons at once.",
        ),
        (
            "Find a bar near 0, and one above 1.",
            "In the stories model's own text, “the” after “near” has a loss of almost 0: nothing else can come there. "
            "“park” after it has a loss of more than 1: there was no way to know which place it would be.",
        ),
        (
            "Change the seed of the untrained copy.",
            "Its lines hardly move: whatever its weights are, it gives each token about the same share.",
        ),
    ],
    code=(training_window.teach, training_window.blind),
    formula=r"\text{loss} = \frac{1}{T} \sum_{t=0}^{T-1} -\ln p(w_{t+1} \mid w_0 \dots w_t)",
)
def frozen_step(looked: ModelAndText) -> Shown:
    """The window as lessons, for the model and its untrained copy."""
    key, packed = looked.key, looked.encoded.packed
    small = n_weight(key) <= MOST_WEIGHTS
    seed = controls.seed(name="step_seed", label="Seed of the untrained copy") if small else 0
    step = taught(key, packed)
    other = untaught(key, packed, seed) if small else None
    vocabulary = models.vocabulary(key)
    blind = training_window.blind(model_of(key).config.vocab_size)
    named = [vocabulary[int(i)] for i in (*step.inputs, step.targets[-1])]
    training_step(
        inputs=named[:-1],
        targets=named[1:],
        top=_named(step, vocabulary),
        probability=step.probability,
        untrained_top=None if other is None else _named(other, vocabulary),
        untrained=None if other is None else other.probability,
        vocab_size=model_of(key).config.vocab_size,
        first=int(np.argmax(step.loss)),
        key=f"step.{content(looked)}",
        label="One window, and what the model is asked at each position",
        takeaway=f"{len(step.loss)} predictions. Mean loss {step.mean:.3f}; a blind guess has {blind:.3f}.",
    )
    if other is None:
        st.caption(
            f"The model has {n_weight(key):,} parameters; an untrained copy is drawn only for models of at most "
            f"{MOST_WEIGHTS:,}."
        )
    depth.note(
        "A loss is −ln of the probability that the right token was given, in nats. A blind guess among V tokens has a "
        f"loss of ln V, here {blind:.3f}."
    )
    return Shown(
        numbers=lambda: step.table(vocabulary, other),
        arrays={
            "inputs": step.inputs, "targets": step.targets, "loss": step.loss, "probability": step.probability,
            "top": step.top, "top_probabilities": step.top_probabilities,
        },
        formula=_in_numbers(step.loss, step.mean),
        script=lambda: _script(looked, seed) if small else _script_alone(looked),
    )  # fmt: skip


def _script(looked: ModelAndText, seed: int) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.decoder.compute import training_window
        from core.models import registry
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        window = $ids

        # The window, shifted by one: each token is the answer to all that stand before it.
        step = training_window.teach(found.model, window)
        # The same for the model before its first training step: its weights drawn anew.
        untrained = training_window.teach(registry.build(found.config, seed=$seed), window)
        print_table(step.table(found.vocabulary, untrained))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
        seed=seed,
    )


def _script_alone(looked: ModelAndText) -> str:
    """For a model that is too large for an untrained copy."""
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.decoder.compute import training_window
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        tokenizer = found.tokenizer
        window = $ids

        # The window, shifted by one: each token is the answer to all that stand before it.
        step = training_window.teach(found.model, window)
        print_table(step.table(found.vocabulary))
        """,
        folder=scripts.folder(looked.key),
        ids=scripts.ids(looked),
    )


def _named(step: "Teaching", vocabulary: tuple[str, ...]) -> list[Top]:
    return [
        [(vocabulary[int(i)], float(share)) for i, share in zip(ids, shares, strict=True)]
        for ids, shares in zip(step.top, step.top_probabilities, strict=True)
    ]


def _in_numbers(losses: np.ndarray, mean: float) -> str:
    """The sum with the learner's own losses, short enough for a phone."""
    shown = [f"{loss:.2f}" for loss in losses]
    terms = shown if len(shown) <= 4 else [*shown[:2], r"\dots", shown[-1]]
    return rf"\frac{{{' + '.join(terms)}}}{{{len(losses)}}} = {mean:.4f}"
