"""Where a model's tokens lie: its embedding table as a map, flat or solid."""

import math
from typing import Any

import numpy as np
import pandas  # noqa: F401  (plotly looks for it, and trips over one that another thread has half imported)
import streamlit as st
from numpy.typing import NDArray

from core.cache import content_key
from core.inspect import token_classes, token_facts
from core.rooms.embeddings import facts, which_token
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.nearest import nearest_tokens
from core.rooms.embeddings.token_map_chart import room_for_labels
from core.rooms.embeddings.token_map_chart import token_map as draw_map
from core.ui import state
from core.ui.controls import controls, picks
from core.ui.frame import scripts
from core.ui.frame.exhibit import Shown, exhibit, show
from core.ui.frame.layout import color_mode
from core.ui.models import models
from core.ui.models.models import ModelKey

METHODS = {"pca": "PCA", "tsne": "t-SNE"}
AXES = {2: "flat (2-D)", 3: "solid (3-D)"}
COLORINGS = {"kind": "kind of token", "count": "how frequent", "length": "length of the vector"}
NAMED = 250  # labels beside points: more cover each other
N_LINK = 5
COUNTS = (0, 1, 10, 100, 1_000, 10_000, 100_000)  # beside the scale of frequencies, which is logarithmic
N_FREQUENT = 60  # of a large vocabulary, the most frequent tokens are named


def warm_up() -> None:
    """Look at the default model once."""
    key = models.shipped_key()
    facts.kept_by_pca(key, 2)
    facts.counts(key)


@st.fragment
def room(key: ModelKey) -> None:
    """The token looked at, the map and the list of its neighbors: one fragment, for all three follow the token."""
    names = facts.labels(key)
    pick = picks.news("embeddings.map", _content(key), "selection")
    points = pick.get("points") if pick else None
    if points:
        index = _clicked(points[0], len(names))
        controls.put("token", names[index])
        state.put("embeddings.clicked", index)
    index = which_token.choose(key)
    show(token_map, key, index)
    show(nearest_tokens, key, index)


def _clicked(point: Any, n_token: int) -> int:
    """The id of the token whose point was clicked; what a browser sends may be anything."""
    try:
        index = int(point["customdata"][0])
    except (TypeError, KeyError, IndexError, ValueError):
        return 0
    return index if 0 <= index < n_token else 0


def _map_key(key: ModelKey, token: int) -> str:
    """The flat map's; a fresh one once the token was moved away again, so that the same click counts a second time."""
    is_moved = state.slot("embeddings.clicked", lambda: token) != token
    return picks.key("embeddings.map", _content(key), {"token": token} if is_moved else None, part="selection")


def _content(key: ModelKey) -> str:
    return content_key(key)[:12]


@exhibit(
    title="The map of the tokens",
    look_for="groups of one color and shape. No one told the stories model which words are names, toys or animals: "
    "it gave them similar vectors because they occur in similar contexts.",
    try_this=[
        (
            "With the stories model, read the numbers under the map, then switch from PCA to t-SNE.",
            "PCA's two axes hold a small part of the differences between the tokens, and few near neighbors are "
            "near on the map. t-SNE keeps many more of them: it gives up on far distances to get the near ones "
            "right.",
        ),
        (
            "With t-SNE, change the seed.",
            "The groups stay together but land elsewhere, turned and mirrored. Where a group lies, how large it is "
            "and how far from the next one says little.",
        ),
        (
            "Choose 3-D and drag the picture.",
            "With a third axis PCA holds more and keeps more neighbors, but still far from all: the vectors have 96 "
            "numbers.",
        ),
    ],
    code=(embeddings.token_vectors, embeddings.principal_components, embeddings.tsne, embeddings.neighbors_kept),
)
def token_map(key: ModelKey, token: int) -> Shown:
    """The map, what it keeps and what it loses."""
    if picks.has_news("embeddings.map", _content(key), "selection"):
        st.rerun()  # the list of neighbors follows the token too
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        method = controls.segmented("map", "Map by", list(METHODS), "pca", labels=METHODS)
        n_axis = controls.segmented("axes", "Picture", list(AXES), 2, labels=AXES)
        coloring = _coloring(key)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        perplexity, seed = 0.0, 0
        if method == "tsne":
            perplexity = controls.slider(
                "perplexity", "Perplexity", 5, 50, 15, step=5, help="Roughly how many neighbors each token looks "
                "at: few make many small groups, many make fewer and wider ones."
            )  # fmt: skip
            seed = controls.seed(name="map_seed")
        every = controls.toggle("every", "Name every token")
    most = facts.MOST_SOLID if method == "tsne" and n_axis == 3 else facts.MOST_TOKENS
    shown = facts.mapped(key, most)
    _tell_cut(key, len(shown), most)
    axis_titles: tuple[str, ...] = ()
    if method == "pca":
        projection = facts.pca(key, n_axis)
        points, share = projection.points, facts.kept_by_pca(key, n_axis)
        axis_titles = tuple(f"axis {i + 1}: {one:.1%} of the variance" for i, one in enumerate(projection.shares))
        words = _told_by_pca(projection.shares, facts.vectors(key).shape[1])
    else:
        perplexity = min(perplexity, max(2, (len(shown) - 1) // 3))
        with st.spinner("Placing the tokens …", show_time=True):
            points = facts.tsne(key, n_axis, float(perplexity), seed)
            share = facts.kept_by_tsne(key, n_axis, float(perplexity), seed)
        words = (
            "t-SNE keeps near tokens near and gives up on the rest: **the axes have no meaning, and sizes of groups "
            "and distances between them mean little** (Wattenberg, Viégas and Johnson 2016). "
        )
    figure = _figure(key, token, shown, points, coloring, every, axis_titles)
    st.plotly_chart(
        figure,
        key=_map_key(key, token) if n_axis == 2 else f"embeddings.solid.{_content(key)}",
        on_select="rerun" if n_axis == 2 else "ignore",
        selection_mode="points",
        config={"scrollZoom": False, "displaylogo": False},
        alt=f"A map of {len(shown)} tokens by {METHODS[method]}; it keeps {share:.0%} of their near neighbors.",
    )
    st.markdown(words + _told_by_neighbors(share, len(shown)))
    return Shown(
        numbers=lambda: token_facts.map_table(
            shown,
            points,
            labels=facts.labels(key),
            kinds=facts.kinds(key)[0],
            lengths=facts.lengths(key),
            how_often=facts.counts(key),
        ),
        arrays=lambda: {"ids": np.array(shown), "points": points, "vectors": facts.vectors(key)[list(shown)]},
        script=lambda: _script(key, most, method, n_axis, float(perplexity), seed),
    )


def _coloring(key: ModelKey) -> str:
    options = [name for name in COLORINGS if name != "count" or facts.counts(key) is not None]
    if st.session_state.get("coloring") not in (None, *options):
        del st.session_state["coloring"]
    return controls.segmented("coloring", "Color by", options, "kind", labels=COLORINGS)


def _figure(
    key: ModelKey,
    token: int,
    shown: tuple[int, ...],
    points: NDArray[np.float64],
    coloring: str,
    every: bool,
    axis_titles: tuple[str, ...],
) -> dict[str, Any]:
    names, (kind_of, order) = facts.labels(key), facts.kinds(key)
    place = {one: i for i, one in enumerate(shown)}
    near = [int(i) for i in facts.nearest(key, token, N_LINK).by_cosine]
    lengths, how_often = facts.lengths(key), facts.counts(key)
    quiet = token_classes.OTHER
    wanted = [place[i] for i in (token, *near) if i in place]
    wanted += [place[i] for i in shown if len(shown) <= NAMED and (every or kind_of[i] != quiet)]
    if len(shown) > NAMED and how_often is not None:
        wanted += sorted(range(len(shown)), key=lambda place: -int(how_often[shown[place]]))[:N_FREQUENT]
    labels = [names[i] for i in shown]
    named = set(wanted) if every else room_for_labels(points, labels, wanted)
    values: NDArray[np.float64] | None = None
    if coloring == "length":
        values = lengths[list(shown)]
    elif coloring == "count" and how_often is not None:
        values = np.log10(1 + how_often[list(shown)].astype(np.float64))
    details = [
        f"{kind_of[i]}, id {i}, length {lengths[i]:.4g}"
        + ("" if how_often is None else f", {int(how_often[i]):,} times in the text")
        for i in shown
    ]
    figure = draw_map(
        points,
        labels,
        ids=shown,
        groups=[kind_of[i] for i in shown] if values is None else None,
        group_order=order,
        quiet=quiet,
        values=values,
        value_title="length" if coloring == "length" else "times in the text",
        value_ticks={math.log10(1 + n): f"{n:,}" for n in COUNTS} if coloring == "count" else None,
        details=details,
        labeled=[every or i in named for i in range(len(shown))],
        chosen=place.get(token),
        linked=[place[i] for i in near if i in place],
        axis_titles=axis_titles,
        mode=color_mode(),
    )
    if token not in place:
        st.caption("The chosen token is too rare to be on this map, but it has neighbors too.")
    return figure


def _told_by_pca(shares: NDArray[np.float64], width: int) -> str:
    parts = ", ".join(f"{share:.1%}" for share in shares)
    return (
        f"PCA (principal component analysis) draws the {len(shares)} axes along which the vectors differ most. They "
        f"hold **{shares.sum():.0%}** of the variance, all the differences between these vectors of {width} numbers "
        f"({parts}); the rest can't be seen here. "
    )


def _told_by_neighbors(share: float, n_token: int) -> str:
    n = min(facts.N_NEAREST, n_token - 1)
    if n < 1:
        return ""
    return (
        f"Of each token's {n} true nearest neighbors, **{share:.0%}** are among its {n} nearest on this map "
        f"({n / (n_token - 1):.1%} by chance). The lines lead to the {N_LINK} truly nearest to the chosen token, by "
        "direction in all dimensions: a long line is what the map gets wrong."
    )


def _tell_cut(key: ModelKey, n_shown: int, most: int) -> None:
    n_unused = facts.n_unused(key)
    n_token = len(facts.vectors(key)) - n_unused
    if n_unused:
        st.caption(
            f"The map leaves out {n_unused:,} tokens that are only there to spell words the model doesn't know: none "
            "of them occurs in its text."
        )
    if n_token > n_shown:
        which = "first words" if facts.counts(key) is None else "most frequent"
        why = (
            "more points couldn't be told apart"
            if most == facts.MOST_TOKENS
            else "t-SNE in three dimensions would take too long for more"
        )
        st.caption(f"The map shows the {n_shown:,} {which} of {n_token:,} tokens: {why}.")


def _script(key: ModelKey, most: int, method: str, n_axis: int, perplexity: float, seed: int) -> str:
    by_pca = f"points = embeddings.principal_components(chosen, {n_axis}).points"
    by_tsne = f"points = embeddings.tsne(chosen, {n_axis}, perplexity={perplexity!r}, seed={seed})"
    return scripts.script(
        """
        from core.data.csv_table import print_table
        from core.rooms.embeddings.compute import embeddings
        from core.inspect import token_facts
        from core.models.pretrained import load

        $folder
        found = load(FOLDER)
        vocabulary, vectors = found.vocabulary, embeddings.token_vectors(found.model)

        # The tokens on the map: all that the model's text needs, or the most frequent ones.
        corpus = $corpus
        how_often = token_facts.counts(found.tokenizer, len(vocabulary), corpus)
        ids = token_facts.on_map(found.tokenizer, vocabulary, how_often, most=$most)

        # The vectors, drawn on $n_axis axes.
        chosen = vectors[list(ids)]
        $points

        kinds, _ = token_facts.kinds(found.tokenizer, vocabulary, corpus)
        known = {"labels": token_facts.labels(vocabulary), "kinds": kinds, "lengths": embeddings.lengths_of(vectors)}
        print_table(token_facts.map_table(ids, points, how_often=how_often, **known))
        """,
        folder=scripts.folder(key),
        corpus=models.about(key).corpus,
        most=most,
        n_axis=n_axis,
        points=scripts.Code(by_pca if method == "pca" else by_tsne),
    )
