"""Whom a token is near to: by the angle between the vectors, and by their dot product."""

import numpy as np
import streamlit as st

from core.charts.neighbor_bars import neighbor_bars
from core.rooms.embeddings import facts
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.compute.embeddings import Neighbors
from core.ui.controls import controls
from core.ui.frame import layout, scripts
from core.ui.frame.exhibit import Shown, exhibit
from core.ui.frame.layout import color_mode
from core.ui.models.models import ModelKey
from core.ui.text import escape_markdown


@exhibit(
    title="Neighbors by cosine and by dot product",
    look_for="where the two lists differ. The **cosine** looks only at the direction (1: the same, 0: a right "
    "angle). The **dot product** multiplies it by both lengths, so a long vector can overtake one that points more "
    "exactly that way.",
    try_this=[
        (
            "With the stories model, look at ·red.",
            "Its five nearest are the other five colors, by both measures. Then comes a gap.",
        ),
        (
            "Choose ·ball and compare the two lists word by word.",
            "By cosine ·bell comes first, by dot product ·cup: their cosines are nearly the same, so the longer vector "
            "wins.",
        ),
        (
            "Look at ·he, then at ·she.",
            "Each is the other's nearest: they occur in the same places of a story.",
        ),
    ],
    code=(embeddings.neighbors, embeddings.cosine),
    formula=r"a \cdot b = \sum_i a_i b_i = \lVert a\rVert\,\lVert b\rVert\,\cos(a, b)",
)
def nearest_tokens(key: ModelKey, token: int) -> Shown:
    """Two lists side by side, and why they differ."""
    names = facts.labels(key)
    n = int(controls.slider("neighbors", "How many neighbors", 3, 15, 8, step=1))
    found = facts.nearest(key, token, n)
    by_cosine, by_dot = found.by_cosine.tolist(), found.by_dot.tolist()
    left, right = layout.pair("nearest")
    with left:
        st.markdown("**By cosine:** only the direction")
        st.vega_lite_chart(
            neighbor_bars(
                [names[i] for i in by_cosine],
                [found.cosines[i] for i in by_cosine],
                ["" for _ in by_cosine],
                [i not in by_dot for i in by_cosine],
                title="cosine",
                digits=3,
                limit=1.0,
                mode=color_mode(),
            ),
            alt=_in_words("cosine", names, by_cosine, found.cosines.tolist()),
            key="nearest-cosine",
        )
    with right:
        st.markdown(f"**By dot product:** direction and length (this token's is {found.lengths[token]:.2f})")
        st.vega_lite_chart(
            neighbor_bars(
                [names[i] for i in by_dot],
                [found.dots[i] for i in by_dot],
                [f"length {found.lengths[i]:.2f}" for i in by_dot],
                [i not in by_cosine for i in by_dot],
                title="dot product",
                digits=1 if found.dots[by_dot].max(initial=0.0) >= 10 else 3,
                mode=color_mode(),
            ),
            alt=_in_words("dot product", names, by_dot, found.dots.tolist()),
            key="nearest-dot",
        )
    st.markdown(_why(names, found))
    best = by_cosine[0] if by_cosine else token
    return Shown(
        numbers=lambda: found.table(names),
        arrays={"cosines": found.cosines, "dots": found.dots, "lengths": found.lengths},
        formula=_with_numbers(found, token, best),
        script=lambda: _script(key, names[token]),
    )


def _script(key: ModelKey, token: str) -> str:
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.embeddings.compute import embeddings
        from core.inspect import token_facts
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        vectors = embeddings.token_vectors(found.model)
        labels = token_facts.labels(found.vocabulary)

        # One token against all tokens: the angle alone, the dot product, and the lengths that make the difference.
        token = labels.index($token)
        print_table(embeddings.neighbors(vectors, token).table(labels))
        """,
        folder=scripts.folder(key),
        token=token,
    )


def _with_numbers(found: Neighbors, token: int, best: int) -> str:
    dot = float(found.dots[best])
    shown = f"{dot:.2f}" if abs(dot) >= 10 else f"{dot:.4f}"
    return rf"{shown} = {found.lengths[token]:.3f} \cdot {found.lengths[best]:.3f} \cdot {found.cosines[best]:.4f}"


def _in_words(measure: str, names: tuple[str, ...], order: list[int], values: list[float]) -> str:
    told = ", ".join(f"{names[i]} {values[i]:.3f}" for i in order[:5])
    return f"The nearest tokens by {measure}: {told}."


def _why(names: tuple[str, ...], found: Neighbors) -> str:
    """Whom only one list holds, or whose places are swapped, and the lengths that explain it."""
    by_cosine, by_dot = found.by_cosine.tolist(), found.by_dot.tolist()
    mean = float(np.mean(found.lengths))
    spread = (
        f"In this model vectors are {found.lengths.min():.3g} to {found.lengths.max():.3g} long, {mean:.3g} on average."
    )
    only_cosine = [i for i in by_cosine if i not in by_dot]
    only_dot = [i for i in by_dot if i not in by_cosine]

    def told(ids: list[int]) -> str:
        return ", ".join(f"{escape_markdown(names[i])} (length {found.lengths[i]:.2f})" for i in ids)

    if only_dot:
        return f"★ Only by cosine: **{told(only_cosine)}**. Only by dot product: **{told(only_dot)}**. {spread}"
    if by_cosine != by_dot:
        swapped = next(
            (a, b)
            for place, a in enumerate(by_cosine)
            for b in by_cosine[place + 1 :]
            if by_dot.index(b) < by_dot.index(a)
        )
        before, after = (f"{escape_markdown(names[i])} (length {found.lengths[i]:.2f})" for i in swapped)
        return (
            f"Both lists hold the same tokens in a different order: by cosine {before} comes before {after}, by dot "
            f"product after it, because of its length. {spread}"
        )
    return f"Here both lists agree. {spread} Where lengths are similar, the two measures nearly agree."
