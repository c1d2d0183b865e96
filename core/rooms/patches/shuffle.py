"""The patches of a digit change places: what a ViT with positions and one without make of it."""

import numpy as np
import streamlit as st
import torch

from core.cache import memoize
from core.charts.decades import told as sized
from core.data import images
from core.inspect.pictures import Picture
from core.models.vit import ViT
from core.rooms.patches.compute import patch_embedding, patch_order
from core.rooms.patches.compute.patch_order import Reordered, Score
from core.rooms.patches.experiments import digits as task
from core.rooms.patches.reading import DIGITS
from core.train.experiment import rebuild
from core.ui.controls import controls
from core.ui.frame import depth, layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.guess import NOT_YET, guess, told
from core.ui.text import percent
from core.ui.training.digit_reader import Reader, current
from core.ui.training.trained_models import MAX_RESULTS
from core.ui.widgets import widgets
from core.ui.widgets.picture import ask_digit
from core.ui.widgets.pictures import pictures

NAMES = {"vit": "ViT", "bag": "bag"}
GUESSES = {"most": "more than 90%", "half": "about half", "ten": "about 10%, as by guessing"}


@memoize(MAX_RESULTS)
def _model(reader: Reader, variant: str) -> ViT:
    config = task.config(reader.patch_size, reader.n_layer)
    model: ViT = rebuild(reader.models.record, variant, config).float()
    return model


@memoize(MAX_RESULTS)
def reordered(reader: Reader, variant: str, picture: Picture, order: tuple[int, ...]) -> Reordered:
    """One picture in one of the models, in both orders."""
    return patch_order.reorder(_model(reader, variant), picture.shades, order)


@memoize(MAX_RESULTS)
def n_right(reader: Reader, variant: str, order: tuple[int, ...] | None) -> int:
    """How many held-out digits one of the models reads rightly."""
    return patch_order.n_right(_model(reader, variant), images.held_out(), order)


@exhibit(
    title="Shuffle the patches",
    look_for="the answers of two models to the same heap of patches. They were trained side by side, but the second "
    "has its positions held at zero: to it a picture is a bag of patches, so we call it the bag.",
    try_this=[
        (
            "Move the slider to 0, then up one pair at a time.",
            "The bag doesn't move at all: attention without positions can't tell one order from another. The ViT "
            "loses its way.",
        ),
        (
            "Make a guess, then look at the bag: it reads about half of the digits.",
            "Far more than one in ten. A bag holds a lot: how many patches are empty, how many are full, how many "
            "have a slanted edge. What positions are worth here is the distance to the ViT.",
        ),
        (
            "In “A ViT learns to read”, train with patches of 4 × 4 and come back.",
            "Now the bag reads nearly all: four large pieces say most of it on their own, and positions are worth "
            "far less.",
        ),
    ],
    code=(patch_embedding.shuffled, patch_order.reorder, ViT.embed, task.without_positions),
)
def shuffle() -> Shown | None:
    """A digit, pairs of its patches swapped, the answers of both models, and all 360 held-out digits."""
    reader = current()
    if reader is None or not any(name.startswith("model.bag.") for name in reader.models.record):
        return None
    most = reader.n_patch // 2
    answer = guess(
        "shuffle_guess",
        "All patches change places, the same way in all held-out digits. How many will the ViT still read?",
        GUESSES,
    )
    picture = ask_digit("shuffle", 3)
    left, right = layout.pair("shuffle-controls")
    with left:
        n_pair = int(controls.slider("shuffle_pairs", "Pairs of patches that change places", 0, most, most, step=1))
    with right:
        seed = controls.seed(name="shuffle_seed", label="Seed of the pairs")
    if picture is None:
        return None
    order = patch_embedding.swapped(reader.n_patch, n_pair, seed)
    both = {variant: reordered(reader, variant, picture, order) for variant in NAMES}
    left, right = layout.pair("shuffle")
    with left:
        _pictures(reader, picture, order, n_pair)
    with right:
        _answers(both)
    st.markdown(_in_words(both, picture))
    depth.note(_moved(both))
    if answer == NOT_YET:
        st.markdown(f"How the two do on all {_n_held()} held-out digits appears once you have guessed.")
        scores: dict[str, Score] = {}
    else:
        scores = {
            variant: Score(_n_held(), n_right(reader, variant, None), n_right(reader, variant, order))
            for variant in NAMES
        }
        st.markdown(_table(scores, n_pair, most, answer))
        depth.note(
            "Counted here with the weights as a training keeps them, in 16 bits each. The training's own count uses "
            "all 32, so it may differ by a digit."
        )
    return Shown(
        numbers=lambda: patch_order.table(
            {name: both[variant] for variant, name in NAMES.items()},
            {NAMES[variant]: one for variant, one in scores.items()},
        ),
        arrays={
            "order": np.array(order),
            **{
                f"{variant}.{when}": getattr(one, when) for variant, one in both.items() for when in ("before", "after")
            },
        },
        script=lambda: _script(reader, picture, n_pair, seed, is_told=bool(scores)),
    )


def _script(reader: Reader, picture: Picture, n_pair: int, seed: int, *, is_told: bool) -> str:
    scores = """\
# All held-out digits, their patches moved in the same way.
scores = {name: patch_order.score(model, images.held_out(), order) for name, model in models.items()}"""
    return scripts.script(
        """
        from core.data import images
        from core.data.csv_table import print_table
        from core.inspect import pictures
        from core.rooms.patches.compute import patch_order, patch_embedding
        from core.train.experiment import rebuild, record_of
        from core.rooms.patches.experiments import digits

        # Trained side by side; but the positions of the second were held at zero.
        record, config = $record, digits.config($patch_size, $n_layer)
        models = {
            "ViT": rebuild(record, "vit", config).float(),
            "bag": rebuild(record, "bag", config).float(),
        }
        picture = $picture

        # Some pairs of patches change places, and each model is asked about the picture in both orders.
        order = patch_embedding.swapped(n_patch=$n_patch, n_pair=$n_pair, seed=$seed)
        both = {name: patch_order.reorder(model, images.shades(picture), order) for name, model in models.items()}
        $scores
        print_table(patch_order.table(both$given))
        """,
        record=reader.record_in_script(),
        patch_size=reader.patch_size,
        n_layer=reader.n_layer,
        picture=scripts.pixels(picture),
        n_patch=reader.n_patch,
        n_pair=n_pair,
        seed=seed,
        scores=scripts.Code(scores if is_told else ""),
        given=scripts.Code(", scores" if is_told else ""),
    )


def _n_held() -> int:
    """Of how many held-out digits."""
    return len(images.held_out())


def _pictures(reader: Reader, picture: Picture, order: tuple[int, ...], n_pair: int) -> None:
    moved = patch_embedding.shuffled(torch.from_numpy(picture.pixels[None, None].copy()), order, reader.patch_size)
    pictures(
        np.concatenate([picture.pixels[None], moved[0].numpy()]),
        key="shuffle-pictures",
        label="The same patches, in two orders",
        takeaway=f"{picture.name} as it is, and with {n_pair} pairs of its patches swapped.",
        titles=["as it is", f"{n_pair} pairs swapped"],
        lines=reader.patch_size,
        columns=2,
        size=176,
    )


def _answers(both: dict[str, Reordered]) -> None:
    widgets.matrix(
        np.concatenate([one.probabilities for one in both.values()]),
        rows=[f"{name}{when}" for name in NAMES.values() for when in ("", "-mix")],  # short: a phone is narrow
        columns=DIGITS,
        key="shuffle-answers",
        row_title="model (asked)",
        column_title="answer (read)",
        value_title="probability",
        label="What the two say, before and after the mixing",
        height=220,
    )


def _in_words(both: dict[str, Reordered], picture: Picture) -> str:
    said = {name: (int(one.before.argmax()), int(one.after.argmax())) for name, one in both.items()}
    truth = "" if picture.label is None else f" It is a {picture.label}."
    return (
        f"The ViT says **{said['vit'][0]}**, and of the shuffled picture **{said['vit'][1]}**. The bag, which has no "
        f"positions, says **{said['bag'][0]}** and **{said['bag'][1]}**.{truth}"
    )


def _moved(both: dict[str, Reordered]) -> str:
    change = both["bag"].change
    moved = (
        "not at all: the very same numbers"
        if change == 0
        else f"by {sized(change)} at most, the rounding of sums taken in another order"
    )
    return (
        f"The ViT's logits (the scores before the softmax) move by up to {both['vit'].change:.2f}, the bag's {moved}."
    )


def _table(scores: dict[str, Score], n_pair: int, most: int, answer: str) -> str:
    n = _n_held()
    rows = "".join(
        f"| {NAMES[variant]} | {percent(score.before / n)} | {percent(score.after / n)} |\n"
        for variant, score in scores.items()
    )
    came = percent(scores["vit"].after / n)
    moved = "all patches" if n_pair == most else f"{2 * n_pair} of {2 * most} patches"
    worth = 100 * (scores["vit"].before - scores["bag"].before) / n
    return (
        f"**All {n} held-out digits**, {moved} moved in the same way\n\n| | as they are | shuffled |\n|---|--:|--:|\n"
        f"{rows}\n"
        f"On these digits, positions are worth **{worth:.0f}** percentage points."
        f"{told(answer, GUESSES, came) if n_pair == most else ''}"
    )
