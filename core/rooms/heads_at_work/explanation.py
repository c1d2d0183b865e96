"""Attention is not explanation: equal accuracy, other maps, and heads whose weight does not tell what they do."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import streamlit as st

from core.cache import memoize
from core.charts.race import race
from core.data.synthetic import BottleAndCup, referents
from core.rooms.heads_at_work.asking import ask_sentence
from core.rooms.heads_at_work.compute import knockouts, naming, rank_agreement
from core.rooms.heads_at_work.compute.naming import Naming, Weighed
from core.rooms.heads_at_work.experiments import explanation as task
from core.rooms.heads_at_work.origin import Part, of_it
from core.rooms.heads_at_work.weight_effect import GUESSES, NAMES, final, weight_against_effect
from core.train.experiment import rebuild
from core.train.experiments.naming import Namer
from core.train.live import Live
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import guess
from core.ui.text import percent
from core.ui.training import live
from core.ui.training.trained_models import MAX_RESULTS, Trained, trained
from core.ui.widgets import widgets

NAME = "explanation"


@memoize(MAX_RESULTS)
def weighed(models: Trained, name: str, n_head: int, seed: int) -> Weighed:
    """Where the heads of a model look in the held-out sentences, beside what is lost without them."""
    return naming.weigh(rebuild(models.record, name, task.config(n_head)), referents.split(seed)[1])


@memoize(MAX_RESULTS)
def named(models: Trained, name: str, n_head: int, first: str, second: str, ending: str) -> Naming:
    """One sentence through one of the three models."""
    return naming.name_it(rebuild(models.record, name, task.config(n_head)), BottleAndCup(first, second, ending))


@exhibit(
    title="Attention is not explanation",
    look_for="after your guess, heads at the bottom right of the scatter: nearly all their weight is on the right "
    "noun, and nothing is lost without them.",
    try_this=[
        (
            "Compare the rows of the three models, layer 0 first.",
            "The three answer alike. In layer 0 their heads look at quite different words; in layer 1 most read the "
            "noun that “it” stands for.",
        ),
        (
            "Make your guess, then find the highest point of the scatter.",
            "In the example and with most seeds it's a head of layer 0. It looks before “it” knows how the sentence "
            "ends, so it can't turn from one noun to the other, but layer 1 needs what it writes to choose.",
        ),
        (
            "Train with one head in each layer.",
            "Now no head has a twin to stand in for it: switching off the one that points costs a lot. The same "
            "picture, weight 1 on the right noun, now does show what matters.",
        ),
    ],
    code=(task.Explanation, Namer, naming.weigh, knockouts.rise_without_each, rank_agreement.kendall),
)
def explanation() -> Shown | None:
    """A guess, three models trained alike, their maps, and weight against effect."""
    answer = guess("explain_guess", "Before you look: which head will be missed most when it is off?", GUESSES)
    left, right = st.columns([1, 1], gap="medium")
    with left:
        seed = controls.seed(name="explain_seed")
    with right:
        n_head = controls.segmented("explain_heads", "Heads in each layer", list(task.N_HEAD), 4)
    shown = live.train(
        NAME, {"n_head": n_head}, seed, label="Train all three", about="200 steps take some seven seconds."
    )
    if shown is None:
        return None
    n_head = int(shown.options["n_head"])
    curves = _curves(shown)
    st.vega_lite_chart(curves, alt=_in_words(shown), key="explain-curves")
    models = trained(shown)
    _maps(shown, models, n_head)
    measured = {name: weighed(models, name, n_head, shown.seed) for name in task.MODELS}
    spec = weight_against_effect(measured, answer, shown)
    is_told = spec is not None
    return Shown(
        numbers=lambda: naming.weighed_table(measured) if is_told else task.accuracies(shown.record),
        arrays=(lambda: dict(shown.record)) if is_told else None,
        figure=spec if is_told else curves,
        script=lambda: _script(shown, n_head) if is_told else _script_of_curves(shown),
    )


def _script(shown: Live, n_head: int) -> str:
    return scripts.script(
        """
        from core.data.synthetic import referents
        from core.data.csv_table import print_table
        from core.rooms.heads_at_work.compute import naming
        from core.train.experiment import rebuild, record_of
        from core.rooms.heads_at_work.experiments import explanation

        # Three models from three seeds. With the settings that ship, the record that ships is read; with others
        # they are trained now, which takes some seconds.
        record = $record
        _, held_out = referents.split(seed=$seed)

        # For each head: how much "it" looks at the right noun, and by how much the loss rises without the head.
        weighed = {}
        for name in explanation.MODELS:
            model = rebuild(record, name, explanation.config(n_head=$n_head))
            weighed[name] = naming.weigh(model, held_out)
        print_table(naming.weighed_table(weighed))
        """,
        record=scripts.record(NAME, shown),
        seed=shown.seed,
        n_head=n_head,
    )


def _script_of_curves(shown: Live) -> str:
    """Before the guess: what the curves show."""
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.train.experiment import record_of
        from core.rooms.heads_at_work.experiments import explanation

        # Three models from three seeds. With the settings that ship, the record that ships is read; with others
        # they are trained now, which takes some seconds.
        print_table(explanation.accuracies($record))
        """,
        record=scripts.record(NAME, shown),
    )


def _in_words(shown: Live) -> str:
    now = ", ".join(f"{label} {percent(final(shown, name))}" for name, label in NAMES.items())
    return f"Accuracy by training step. After step {shown.step}: {now}."


def _curves(shown: Live) -> dict[str, Any]:
    return race(
        {
            label: (shown.record[f"curve.{name}.step"], shown.record[f"curve.{name}.accuracy"])
            for name, label in NAMES.items()
        },
        y_title="share of right answers",
        n_step=shown.n_step,
        mode=layout.color_mode(),
        y_limits=(0, 1.05),
        height=260,
    )


def _maps(shown: Live, models: Trained, n_head: int) -> None:
    """The row of "it" in every head of the three models, and how far the models differ."""
    st.markdown("**One sentence, three maps**")
    sentence = ask_sentence("explain")
    found = {
        name: named(models, name, n_head, sentence.first, sentence.second, sentence.ending) for name in task.MODELS
    }
    rebuilt = {name: rebuild(models.record, name, task.config(n_head)) for name in task.MODELS}
    said = ", ".join(f"{name} says {one.said} ({one.nouns.max():.1%})" for name, one in found.items())
    for layer, place in enumerate(layout.pair("explain-maps")):
        with place:
            _map(sentence, found, layer, [Part(rebuilt[name], layer, f"{name}.") for name in task.MODELS], shown)
    apart = [
        np.mean(
            [
                rank_agreement.total_variation(found[one].rows[layer].mean(0), found[other].rows[layer].mean(0))
                for one, other in combinations(task.MODELS, 2)
            ]
        )
        for layer in range(2)
    ]
    st.markdown(
        f"Model {said}. Averaged over their heads, two of these models put **{apart[0]:.0%}** of layer 0's weight on "
        f"different words, and **{apart[1]:.0%}** of layer 1's."
    )


def _map(sentence: BottleAndCup, found: dict[str, Naming], layer: int, parts: Sequence[Part], shown: Live) -> None:
    """The row of "it" in one layer's heads of the three models."""
    heads = [(name, head) for name in task.MODELS for head in range(found[name].rows.shape[1])]
    widgets.matrix(
        np.stack([found[name].rows[layer, head] for name, head in heads]),
        rows=[f"{name}:{layer}.{head}" for name, head in heads],
        columns=referents.tokens(sentence),
        key=f"explain-map-{layer}",
        row_title="model: head (layer.head)",
        column_title="word that “it” looks at",
        selected=(0, referents.right_place(sentence)),
        label=f"Layer {layer} of all three: where “it” looks",
        height=340,
        badge=of_it(parts, sentence, shown, "models a, b and c of this exhibit"),
    )
