"""Take patches away by clicking, and watch what the model still says; and how many it can do without."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
import torch
from numpy.typing import NDArray

from core.cache import content_key, memoize
from core.charts.curves import Curve, Spec
from core.charts.lines import lines
from core.inspect.pictures import Picture
from core.rooms.patches import hidden
from core.rooms.patches.answers_chart import answers, in_percent
from core.rooms.patches.compute import patch_effect
from core.rooms.patches.compute.patch_effect import CURVE_SEED, ORDERS, Way, counts
from core.rooms.patches.patch_switches_widget import from_browser, patch_switches
from core.rooms.patches.reading import DIGITS, held_out, held_out_attention, looked
from core.ui.controls import controls, picks
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.text import percent
from core.ui.training.digit_reader import Reader, current
from core.ui.training.trained_models import MAX_RESULTS
from core.ui.widgets.picture import ask_digit

PICTURE = "hide.picture"
DEFAULT_DIGIT = 5
WORDS: dict[Way, str] = {"removed": "leave its token out", "painted": "paint it as paper"}


@memoize(MAX_RESULTS)
def answer(reader: Reader, picture: Picture, gone: tuple[int, ...], way: Way) -> NDArray[np.float32]:
    """(10,) the probabilities without some patches."""
    numbers = torch.tensor([gone], dtype=torch.long).view(1, -1)
    logits = patch_effect.without(reader.vit, torch.from_numpy(picture.shades), numbers, way)
    found: NDArray[np.float32] = logits[0].softmax(-1).numpy()
    return found


@memoize(MAX_RESULTS)
def order_of(reader: Reader, picture: Picture) -> NDArray[np.int64]:
    """(P,) the patches, most attended first: by the rollout of the class token through all layers."""
    return np.argsort(-share_of(reader, picture), kind="stable")


def share_of(reader: Reader, picture: Picture) -> NDArray[np.float64]:
    """(P,) the rollout of the class token."""
    return patch_effect.class_rollout(looked(reader, picture).weights[None])[0, -1, 1:]


@memoize(MAX_RESULTS)
def accuracies(reader: Reader, way: Way) -> dict[str, NDArray[np.float64]]:
    """Order -> the share of held-out digits that are still read right, at each of `counts`."""
    return patch_effect.accuracies(reader.vit, held_out(reader), held_out_attention(reader), way)


@exhibit(
    title="Take patches away",
    look_for="how little is enough, and which patch tips the answer. The bars show the answer for what is left, the "
    "strokes the answer for the whole picture.",
    try_this=[
        (
            "Press “Hide the 3 most attended”. Then “Show all”, and “Hide the 3 least attended”.",
            "The first turns most digits into another one: fewer than half of the held-out digits are still read "
            "right. The second is hardly noticed: more than nine in ten are.",
        ),
        (
            "Choose “paint it as paper” and look at the curves again.",
            "Now it's the other way round, to begin with: the patches looked at least do the most harm. Much of what "
            "the class token looks at is bare paper and stays so. Leaving a patch out says nothing; painting it says "
            "that nothing is written there, and the model believes it.",
        ),
        (
            "Take all patches away.",
            "It has an answer even then, the same one for every picture, so it's right one time in ten. Notice how "
            "sure it is: probabilities mean little where a model never learned.",
        ),
    ],
    code=(patch_effect.read_some, patch_effect.painted, patch_effect.without, patch_effect.accuracy_without),
)
def hide() -> Shown | None:
    """The picture with its switches, the answer, and the curve over held-out digits."""
    reader = current()
    if reader is None:
        return None
    picture = ask_digit("hide", DEFAULT_DIGIT)
    if picture is None:
        return None
    content = content_key(reader.models.digest, picture.key)[:12]
    clicked = from_browser(picks.news(PICTURE, content, part="drawn"), reader.n_patch)
    if clicked is not None:
        hidden.change(clicked, reader.n_patch)
    way: Way = controls.segmented("hide_way", "How to hide", patch_effect.WAYS, patch_effect.WAYS[0], labels=WORDS)
    _buttons(reader, picture)
    gone = tuple(hidden.gone(reader.n_patch))
    now, before = answer(reader, picture, gone, way), looked(reader, picture).probabilities
    left, right = layout.pair("hide")
    with left:
        _picture(reader, picture, gone, content)
    with right:
        _answer(picture, gone, now, before)
    curves = accuracies(reader, way)
    n = len(held_out(reader))
    spec = _curves(reader, curves, n, len(gone))
    st.markdown(
        f"**How many patches can {n} held-out digits do without?** Hidden in three orders: most attended first, "
        "least attended first, or at random."
    )
    st.vega_lite_chart(spec, width="stretch", alt=_told(curves, reader), key="hide-curves")
    st.markdown(_told(curves, reader))
    return Shown(
        numbers=lambda: patch_effect.accuracy_table(reader.n_patch, curves),
        arrays={"probabilities": now, "before": before, "hidden": np.array(gone, np.int64)},
        figure=spec,
        script=lambda: _script(reader, way),
    )


def _script(reader: Reader, way: Way) -> str:
    return scripts.script(
        """
        import torch

        from core.data.csv_table import print_table
        from core.rooms.patches.compute import patch_effect
        from core.train.experiment import rebuild, record_of
        from core.rooms.patches.experiments import digits

        model = $model
        held_out = patch_effect.enough_digits(n_patch=$n_patch)

        # Where the class token looks tells in which order patches go: the most attended first, the least, or any.
        weights = patch_effect.attention_of(model, torch.from_numpy(held_out.shades))
        right = patch_effect.accuracies(model, held_out, weights, way=$way)
        print_table(patch_effect.accuracy_table($n_patch, right))
        """,
        model=reader.in_script(),
        n_patch=reader.n_patch,
        way=way,
    )


def _buttons(reader: Reader, picture: Picture) -> None:
    first, second = st.columns(2, gap="medium")
    with first:
        k = int(controls.slider("hide_k", "How many at once", 1, reader.n_patch, 3, step=1))
    with second:
        seed = controls.seed(name="hide_seed", label="Seed of the random ones")
    order = order_of(reader, picture)
    sets = {
        f"Hide the {k} most attended": order[:k],
        f"Hide the {k} least attended": order[::-1][:k],
        f"Hide {k} at random": patch_effect.by_chance(1, reader.n_patch, seed)[0, :k],
    }
    with st.container(horizontal=True, gap="small"):
        for i, (label, patches) in enumerate(sets.items()):
            st.button(
                label, key=f"hide-set-{i}", on_click=hidden.change, args=(sorted(patches.tolist()), reader.n_patch)
            )
        st.button("Undo", icon=":material/undo:", key="hide-undo", on_click=hidden.undo, disabled=not hidden.can_undo())
        st.button("Show all", key="hide-none", on_click=hidden.change, args=((), reader.n_patch))


def _picture(reader: Reader, picture: Picture, gone: Sequence[int], content: str) -> None:
    names = ", ".join(f"({reader.patch_name(patch)})" for patch in gone) or "none"
    shows = controls.toggle("hide_map", "Show where the class token looks (rollout)")
    patch_switches(
        picture.pixels,
        reader.patch_size,
        gone,
        key=picks.key(PICTURE, content, part="drawn"),
        label="Click patches away",
        takeaway=f"{picture.name}: {len(gone)} of {reader.n_patch} patches are hidden: {names}.",
        weights=share_of(reader, picture) if shows else None,
        weight_title="rollout of the whole picture",
    )


def _answer(picture: Picture, gone: Sequence[int], now: NDArray[np.float32], before: NDArray[np.float32]) -> None:
    said, first = int(now.argmax()), int(before.argmax())
    told = f"The model says **{said}**, with {in_percent(float(now[said]))}."
    if gone:
        told += (
            f" For the whole picture it said {first}, with {in_percent(float(before[first]))}."
            if said != first
            else f" For the whole picture it said so with {in_percent(float(before[first]))}."
        )
    if picture.label is not None:
        told += f" It is a {picture.label}."
    st.markdown(told)
    spec = answers(
        DIGITS,
        now.tolist(),
        before.tolist(),
        right=picture.label,
        before_title="with the whole picture",
        mode=layout.color_mode(),
    )
    st.vega_lite_chart(spec, width="stretch", alt=told.replace("*", ""), key="hide-answer")


def _curves(reader: Reader, found: dict[str, NDArray[np.float64]], n: int, marked: int) -> Spec:
    return lines(
        [Curve(name, counts(reader.n_patch), one.tolist()) for name, one in found.items()],
        x_title="patches hidden",
        y_title=f"share of {n} digits read right",
        y_range=(0, 1),
        marked=marked,
        mode=layout.color_mode(),
    )


def _told(found: dict[str, NDArray[np.float64]], reader: Reader) -> str:
    at = counts(reader.n_patch)
    half = int(np.abs(np.array(at) - reader.n_patch / 2).argmin())
    most, least, random = (percent(float(found[name][half])) for name in ORDERS)
    whole = percent(float(found[ORDERS[0]][0]))
    return (
        f"Of the whole pictures, {whole} are read right. With {at[half]} of {reader.n_patch} patches hidden it's "
        f"{most} if the most attended go first, {least} if the least attended do, and {random} at random (seed "
        f"{CURVE_SEED})."
    )
