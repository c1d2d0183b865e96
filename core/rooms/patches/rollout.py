"""Rollout of the class token over the patches, beside what hiding each patch really changes."""

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import MAX_FIGURES, content_key, memoize
from core.inspect import rollout as rolling
from core.inspect.pictures import Picture
from core.inspect.tap_lines import line_of
from core.rooms.patches.answers_chart import in_percent
from core.rooms.patches.compute import patch_effect
from core.rooms.patches.compute.patch_effect import TITLES, WAYS, Way
from core.rooms.patches.reading import FEW, VIT, held_out, held_out_attention, looked
from core.ui.controls import controls
from core.ui.frame import depth, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.numbers import signed
from core.ui.text import percent
from core.ui.training import live
from core.ui.training.digit_reader import NAME, Reader, current
from core.ui.training.trained_models import MAX_RESULTS
from core.ui.widgets import badges
from core.ui.widgets.badge import Badge
from core.ui.widgets.picture import ask_digit
from core.ui.widgets.pictures import as_grid, pictures

DEFAULT_DIGIT = 5
LEAST_SCALE = 1.0  # nats: noise must not look like an effect
GUESSES = {"rollout": "Rollout", "last layer": "Last layer, mean of its heads", "ink": "Ink in the patch"}
LIMITS = (
    "Rollout follows where attention points, not what it carries, and how much stays in place is set by hand. Hiding "
    "has limits too: two patches with the same message can stand in for each other, and the model never learned to "
    "read a picture with a hole."
)
CONVENTION = (
    "In detail: rollout takes the mean over the heads, ignores what the values carry and the feed-forward parts, and "
    "its share of one half is a convention."
)


@dataclass(frozen=True)
class Compared:
    """Three guesses at which patches matter, against two measurements, over held-out digits.

    Attributes:
        n: how many pictures.
        n_empty: in how many the patch that matters most when it is left out has no ink at all.
        empty: share of all their patches that have none: what n_empty / n would be if blank ones were as likely as any.
        correlation: guess -> way of hiding -> mean rank correlation with the size of the effect.
    """

    n: int
    n_empty: int
    empty: float
    correlation: dict[str, dict[Way, float]]


@memoize(MAX_RESULTS)
def effect(reader: Reader, picture: Picture, way: Way) -> NDArray[np.float64]:
    """(P,) what the log-probability of the answer loses without each patch."""
    found: NDArray[np.float64] = patch_effect.effect_of_each(reader.vit, torch.from_numpy(picture.shades), way)[0]
    return found


@memoize(MAX_RESULTS)
def compared(reader: Reader, residual: float) -> Compared:
    """The comparison over the held-out digits; with many patches, over the first of them."""
    first = np.abs(held_out_effects(reader, "removed")).argmax(1)
    ink = guesses(reader, rolling.RESIDUAL)["ink"]  # (N, P)
    of_first = ink[np.arange(len(first)), first]
    shares = {name: residual if name == "rollout" else rolling.RESIDUAL for name in GUESSES}  # only one depends on it
    correlation = {
        name: {way: correlation_of(reader, name, way, share) for way in WAYS} for name, share in shares.items()
    }
    return Compared(len(first), int((of_first == 0).sum()), float((ink == 0).mean()), correlation)


@memoize(MAX_FIGURES)
def correlation_of(reader: Reader, name: str, way: Way, residual: float) -> float:
    """The mean rank correlation of one guess with the effect of one way of hiding."""
    return patch_effect.mean_rank_correlation(guesses(reader, residual)[name], held_out_effects(reader, way))[0]


@memoize(MAX_RESULTS)
def held_out_effects(reader: Reader, way: Way) -> NDArray[np.float64]:
    """(N, P) the effect of hiding each patch of each of the held-out digits."""
    return patch_effect.effect_of_each(reader.vit, torch.from_numpy(held_out(reader).shades), way)


@memoize(FEW)
def guesses(reader: Reader, residual: float) -> dict[str, NDArray[np.floating]]:
    """What might matter in each of the held-out digits, by each of `GUESSES`: (N, P)."""
    shades = torch.from_numpy(held_out(reader).shades)
    return patch_effect.guesses(held_out_attention(reader), shades, reader.patch_size, residual)


@exhibit(
    title="Rollout, and what hiding a patch really changes",
    look_for="whether the last picture of the first row resembles those of the second. The first row is **rollout**: "
    "the attention of all layers, chained together. The second is measured: each patch was hidden in turn, and the "
    "model had to answer again.",
    try_this=[
        (
            "Compare the two pictures of the second row, patch by patch.",
            "A bare patch painted as paper changes nothing: it already is paper. Left out, it can change a lot. In "
            "held-out digit 5, a 3, row 1, column 1 is nearly bare, yet without it the model takes the digit for "
            "another one: that nothing is written there was a message too.",
        ),
        (
            "Read the table. Which guess would you trust?",
            "That depends on the question. For patches left out, rollout is a fair guide and ink a misleading one. "
            "For patches painted over, rollout is no guide at all, while ink, which knows no model, is a very good "
            "one.",
            "numbers",
        ),
        (
            "Move the share that stays in place to 0.00, then to 1.00.",
            "At 0.00 rollout is a poorer guide than at 0.50. At 1.00 every token keeps to itself, so nothing lands "
            "on the picture. Nothing in the model says which share is right.",
            "numbers",
        ),
    ],
    code=(rolling.rollout, patch_effect.class_rollout, patch_effect.effect_of_each, rolling.rank_correlation),
    formula=r"R_\ell = \big((1 - r)\,\overline{W}_\ell + r\,I\big)\, R_{\ell-1}, \qquad "
    r"\text{effect of } p = \log P(\text{answer}) - \log P(\text{answer} \mid p \text{ hidden})",
)
def rollout() -> Shown | None:
    """Rollout after each layer, two measurements, and how well one tells the other."""
    reader = current()
    if reader is None:
        return None
    picture = ask_digit("roll", DEFAULT_DIGIT)
    if picture is None:
        return None
    residual = controls.slider("roll_share", "Share that stays in place", 0.0, 1.0, rolling.RESIDUAL, step=0.05)
    seen = looked(reader, picture)
    whole = rolling.rollout(seen.weights, residual)  # (L, T, T)
    layers = whole[:, 0]  # of the class token
    effects = np.stack([effect(reader, picture, way) for way in WAYS])  # (2, P)
    content = content_key(reader.models.digest, picture.key)[:12]
    _draw_rollout(reader, picture, layers, content, _badge(reader, picture, whole, residual))
    _draw_effects(reader, picture, effects, content)
    said = int(seen.probabilities.argmax())
    st.markdown(_in_words(reader, layers[-1, 1:], effects, said, float(seen.probabilities[said])))
    shades = torch.from_numpy(picture.shades)
    guessed = patch_effect.guesses(seen.weights[None], shades, reader.patch_size, residual)
    here = {name: one[0] for name, one in guessed.items()}
    found = compared(reader, residual)
    st.markdown(_blank(found))
    if depth.at_least("numbers"):
        st.markdown(_comparison(here, effects, found))
    st.caption(LIMITS)
    depth.note(CONVENTION)
    return Shown(
        numbers=lambda: patch_effect.effect_table(here, dict(zip(WAYS, effects, strict=True))),
        arrays={"rollout": layers, "effects": effects, "weights": seen.weights},
        formula=_with_numbers(reader, layers, seen.weights, residual),
        script=lambda: _script(reader, picture, residual),
    )


def _script(reader: Reader, picture: Picture, residual: float) -> str:
    return scripts.script(
        """
        import torch

        from core.data import images
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.patches.compute import patch_effect
        from core.train.experiment import rebuild, record_of
        from core.rooms.patches.experiments import digits

        model = $model
        picture = $picture
        shades = torch.from_numpy(images.shades(picture))

        # What might matter: the rollout of the class token, its last layer's attention, the ink.
        weights = patch_effect.attention_of(model, shades)
        guesses = patch_effect.guesses(weights, shades, patch_size=$patch_size, residual=$residual)

        # What does matter: each patch is hidden, in two ways, and the model answers again.
        effects = {way: patch_effect.effect_of_each(model, shades, way)[0] for way in patch_effect.WAYS}
        print_table(patch_effect.effect_table({name: one[0] for name, one in guesses.items()}, effects))
        """,
        model=reader.in_script(),
        picture=scripts.pixels(picture),
        patch_size=reader.patch_size,
        residual=residual,
    )


def _badge(reader: Reader, picture: Picture, whole: NDArray[np.float64], residual: float) -> Badge | None:
    """Rollout is made of the weights, which a second pass knows; its first column is the class token's."""
    shown = live.current(NAME)
    if shown is None:
        return None
    names = [f"blocks.{layer}.attn.weights" for layer in range(len(whole))]
    made = badges.Derived(
        line_of(rolling.rollout, "@ so_far"),
        lambda taps: rolling.again([taps[name] for name in names], residual),
        option=f"residual={residual}",
    )
    badge = badges.of_live(
        shown, reader.vit, "rollout", ("row", 0, "column"), whole, VIT, derived=made, image=picture.shades[0]
    )
    return replace(badge, columns=tuple(range(1, whole.shape[-1])))


def _draw_rollout(
    reader: Reader, picture: Picture, layers: NDArray[np.float64], content: str, badge: Badge | None
) -> None:
    best = int(layers[-1, 1:].argmax())
    pictures(
        np.repeat(picture.pixels[None], len(layers), 0),
        key=f"roll-layers-{content}",
        label="Rollout of the class token",
        takeaway=f"After the last layer most of it is on {reader.patch_name(best)}: {layers[-1, 1 + best]:.2f}.",
        titles=[f"after layer {layer}" for layer in range(len(layers))],
        details=[f"on the class token itself: {one[0]:.3f}" for one in layers],
        weights=as_grid(layers[:, 1:]),
        weight_title="share by rollout",
        limits=None,
        lines=reader.patch_size,
        badge=badge,
    )


def _draw_effects(reader: Reader, picture: Picture, effects: NDArray[np.float64], content: str) -> None:
    limit = max(LEAST_SCALE, float(np.abs(effects).max()))
    best = [reader.patch_name(int(np.abs(one).argmax())) for one in effects]
    pictures(
        np.repeat(picture.pixels[None], len(WAYS), 0),
        key=f"roll-effects-{content}",
        label="What the answer loses without the patch",
        takeaway=f"Most changes without {best[0]} when left out, and without {best[1]} when painted as paper.",
        titles=[TITLES[way] for way in WAYS],
        weights=as_grid(effects),
        weight_title=depth.measured("fall of the log-probability", "nats"),
        kind="signed",
        limits=(-limit, limit),
        lines=reader.patch_size,
    )


def _in_words(reader: Reader, guess: NDArray[np.float64], effects: NDArray[np.float64], said: int, sure: float) -> str:
    first = f"puts **{reader.patch_name(int(guess.argmax()))}** first" if guess.any() else "puts nothing on the picture"
    told = f"The model says **{said}** ({in_percent(sure)}). Rollout {first}."
    for way, one in zip(WAYS, effects, strict=True):
        most = int(np.abs(one).argmax())
        ways = "left out" if way == "removed" else "painted as paper"
        if abs(one[most]) < rolling.LEAST_CHANGE:
            what = "that by much"
            if depth.at_least("numbers"):
                what = f"the log-probability of {said} by {rolling.LEAST_CHANGE} nats"
            told += f" No single patch, {ways}, changes {what}."
            continue
        turn = "falls" if one[most] > 0 else "rises"
        told += f" With one patch {ways}, **{reader.patch_name(most)}** matters most: the probability of {said} {turn} "
        told += f"to {in_percent(sure * float(np.exp(-one[most])))}"
        told += f" (its logarithm by {abs(one[most]):.2f} nats)." if depth.at_least("numbers") else "."
    return told


def _blank(found: Compared) -> str:
    return (
        f"In {found.n_empty} of {found.n} held-out digits ({percent(found.n_empty / found.n)}), the patch that changes "
        f"the answer most when left out has no ink at all. Of all patches, {percent(found.empty)} have none."
    )


def _comparison(here: dict[str, NDArray[np.floating]], effects: NDArray[np.float64], found: Compared) -> str:
    rows = []
    for name, title in GUESSES.items():
        own = [rolling.rank_correlation(here[name], np.abs(one)) for one in effects]
        mean = [found.correlation[name][way] for way in WAYS]
        cells = " | ".join(signed(one) for one in (own[0], mean[0], own[1], mean[1]))
        rows.append(f"| {title} | {cells} |")
    return (
        "**Does the picture show the patches that matter?** Rank correlation with the size of the measured change: "
        f"1 is the same order, 0 no relation. “All” is the mean over {found.n} held-out digits. Ink is a guess that "
        "knows no model: the darker a patch, the more it matters.\n\n| guess by | left out: this | left out: all | "
        "painted: this | painted: all |\n|:--|--:|--:|--:|--:|\n"
        + "\n".join(rows)
        + ("" if len(effects[0]) > 4 else "\n\nWith so few patches no order can be told from chance.")
    )


def _with_numbers(reader: Reader, layers: NDArray[np.float64], weights: NDArray[np.floating], residual: float) -> str:
    """The first layer's step for the patch that rollout puts first there."""
    patch = int(layers[0, 1:].argmax())
    mean = float(weights[0, :, 0, 1 + patch].mean())
    return (
        rf"R_0[\text{{class}}, \text{{{reader.patch_name(patch)}}}] = {1 - residual:.2f} \cdot {mean:.4f} "
        rf"= {layers[0, 1 + patch]:.4f}"
    )
