"""Attention is not explanation: equal accuracy, other maps, and heads whose weight does not tell what they do."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray
from torch import nn

from core.charts.race import race
from core.charts.scatter import Points, scatter
from core.data import referents
from core.data.synthetic import BottleAndCup
from core.exhibits.work.common import (
    MAX_RESULTS,
    NOT_YET,
    Trained,
    ask_sentence,
    guess,
    percent,
    told,
    trained,
)
from core.inspect import agreement, knockouts, naming
from core.inspect.naming import Naming
from core.train.experiment import rebuild
from core.train.experiments import explanation as task
from core.train.experiments.naming import Namer
from core.ui import controls, layout, live, widgets
from core.ui.cache import kept
from core.ui.frame import Shown, exhibit
from core.ui.live import Live

NAME = "explanation"
NAMES = {name: f"model {name}" for name in task.MODELS}
GUESSES = {
    "weight": "one that reads the right noun most",
    "other": "one that reads it less",
    "none": "it makes no difference",
}


@dataclass(frozen=True)
class Weighed:
    """The heads of one model on the held-out sentences, each (L, H).

    Args:
        right, other: mean weight of "it" on the right noun, and on the other one.
        rise: by how much the loss of the answer rises when the head alone is off, nats.
        accuracy_without_layer: (L,) share of right answers with all heads of a layer off.
    """

    right: NDArray[np.float64]
    other: NDArray[np.float64]
    rise: NDArray[np.float64]
    accuracy_without_layer: NDArray[np.float64]


@kept(MAX_RESULTS)
def weighed(models: Trained, name: str, n_head: int, seed: int) -> Weighed:
    """Where the heads of a model look, beside what is lost without them."""
    model, held = rebuild(models.record, name, task.config(n_head)), referents.split(seed)[1]
    ids, answers = (torch.from_numpy(array) for array in referents.encode(held))

    def loss(logits: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(logits[:, referents.IT], answers)

    def accuracy_without(layer: int) -> float:
        logits = knockouts.logits_without(model, ids, [(layer, head) for head in range(n_head)])
        return float((logits[:, referents.IT].argmax(-1) == answers).double().mean())

    looks = naming.pointing(model, held)
    return Weighed(
        right=looks.right,
        other=looks.other,
        rise=knockouts.rise_without_each(model, ids, loss),
        accuracy_without_layer=np.array([accuracy_without(layer) for layer in range(model.config.n_layer)]),
    )


@kept(MAX_RESULTS)
def named(models: Trained, name: str, n_head: int, first: str, second: str, ending: str) -> Naming:
    """One sentence through one of the three models."""
    return naming.name_it(rebuild(models.record, name, task.config(n_head)), BottleAndCup(first, second, ending))


@exhibit(
    title="Attention is not explanation",
    look_for="heads far to the right and at the bottom: they read the right noun with nearly all of their weight, and "
    "nothing is lost without them.",
    try_this=[
        (
            "Compare the rows of the three models, layer 0 first.",
            "The three answer alike. In layer 0 their heads look at quite different words; in layer 1 most of them "
            "read the noun that “it” stands for.",
        ),
        (
            "Find the highest point of the scatter.",
            "It is a head of layer 0, in the example and with most seeds. It looks before “it” knows how the sentence "
            "ends, so it cannot turn from one noun to the other; but what it writes is what layer 1 needs to choose.",
        ),
        (
            "Train with one head in each layer.",
            "Now no head has a twin to stand in for it: switching off the head that points costs a lot. The same "
            "picture, weight 1 on the right noun, now does tell what matters.",
        ),
    ],
    code=(task.Explanation, Namer, naming.pointing, knockouts.rise_without_each, agreement.kendall),
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
    st.vega_lite_chart(_curves(shown), alt=_in_words(shown), key="explain-curves")
    models = trained(shown)
    _maps(shown, models, n_head)
    measured = {name: weighed(models, name, n_head, shown.seed) for name in task.MODELS}
    spec = _weight_against_effect(measured, answer, shown)
    return Shown(numbers=lambda: _table(measured), arrays=lambda: dict(shown.record), figure=spec)


def _final(shown: Live, name: str) -> float:
    return float(shown.record[f"curve.{name}.accuracy"][-1])


def _in_words(shown: Live) -> str:
    now = ", ".join(f"{label} {percent(_final(shown, name))}" for name, label in NAMES.items())
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
    said = ", ".join(f"{name} says {one.said} ({one.nouns.max():.1%})" for name, one in found.items())
    for layer, place in enumerate(layout.pair("explain-maps")):
        with place:
            _map(sentence, found, layer)
    apart = [
        np.mean(
            [
                agreement.total_variation(found[one].rows[layer].mean(0), found[other].rows[layer].mean(0))
                for one, other in combinations(task.MODELS, 2)
            ]
        )
        for layer in range(2)
    ]
    st.markdown(
        f"Model {said}. Averaged over their heads, two of these models place **{apart[0]:.0%}** of the weight "
        f"of layer 0 on different words, and **{apart[1]:.0%}** of that of layer 1."
    )


def _map(sentence: BottleAndCup, found: dict[str, Naming], layer: int) -> None:
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
    )


def _weight_against_effect(measured: dict[str, Weighed], answer: str, shown: Live) -> dict[str, Any] | None:
    """The scatter with its correlation, and what both sides of the dispute say to it."""
    st.markdown("**Does the weight tell what a head does?**")
    if answer == NOT_YET:
        st.caption("The picture is shown when you have made your guess above.")
        return None
    spec = scatter(
        {NAMES[name]: _points(name, one) for name, one in measured.items()},
        x_title="weight of “it” on the right noun",
        y_title="rise of the loss without this head (nats)",
        x_limits=(0, 1),
        mode=layout.color_mode(),
    )
    right = np.concatenate([one.right.ravel() for one in measured.values()])
    other = np.concatenate([one.other.ravel() for one in measured.values()])
    rise = np.concatenate([one.rise.ravel() for one in measured.values()])
    tau = agreement.kendall(right, rise)
    worst = int(rise.argmax())
    names = [name for one, each in measured.items() for name in _points(one, each).names]
    chart_side, text_side = layout.pair("explain-scatter")
    with chart_side:
        st.vega_lite_chart(
            spec,
            alt=f"{len(right)} heads: weight on the right noun against what is lost without them; Kendall's tau "
            f"{tau:.2f}. Missed most: {names[worst]}, weight {right[worst]:.2f}, rise {rise[worst]:.2f}.",
            key="explain-scatter",
        )
    with text_side:
        strong = right > 0.9
        without = ", ".join(f"{name} {percent(one.accuracy_without_layer[1])}" for name, one in measured.items())
        harmless = (
            f" **{int(strong.sum())} of {len(right)}** heads read the right noun with more than 0.9 of their weight; "
            f"without any one of these the loss rises by {max(rise[strong].max(), 0):.2f} nats at most."
            if strong.any()
            else ""
        )
        came = f"{names[worst]}, which reads it with {right[worst]:.2f}"
        learned = all(_final(shown, name) > 0.99 for name in measured)
        on = ", ".join(percent(_final(shown, name)) for name in measured)
        layer = (
            f"And yet the weights are not idle. With **all** heads of layer 1 off, right answers fall to {without} "
            f"(with all heads on: {on})."
            if learned
            else f"So far the three are right in {on} of the sentences: too early to say what their heads do."
        )
        st.markdown(
            f"Missed most is head **{names[worst]}**: without it the loss of the answer rises by {rise[worst]:.2f} "
            f"nats. Its weight on the right noun is {right[worst]:.2f}, on the other one {other[worst]:.2f}."
            f"{told(answer, GUESSES, came)}{harmless}\n\n"
            f"Kendall's τ between weight and effect is **{tau:.2f}** (1: the weights rank the heads just as their "
            f"effects do, 0: no relation, −1: the other way round).\n\n{layer}"
        )
    layout.prose(
        "**Two sides.** Jain and Wallace (2019, *Attention is not Explanation*) found that weights often agree poorly "
        "with other measures of importance, and that other weights can give the same answer. Wiegreffe and Pinter "
        "(2019, *Attention is not not Explanation*) reply that weights made up after the training say little about "
        "those that a model learned, and that being one explanation of several is not being none. They weighed words, "
        "in recurrent networks for the most part; here heads are weighed, in small transformers. Either way, a map "
        "shows where to look, and what a head does is found out by taking it away."
    )
    return spec


def _points(name: str, one: Weighed) -> Points:
    n_layer, n_head = one.right.shape
    names = [f"{name} {layer}.{head}" for layer in range(n_layer) for head in range(n_head)]
    return Points(names, one.right.ravel().tolist(), one.rise.ravel().tolist())


def _table(measured: dict[str, Weighed]) -> dict[str, Any]:
    points = [_points(name, one) for name, one in measured.items()]
    return {
        "head": [name for each in points for name in each.names],
        "weight on the right noun": [x for each in points for x in each.x],
        "rise of the loss without it": [y for each in points for y in each.y],
    }
