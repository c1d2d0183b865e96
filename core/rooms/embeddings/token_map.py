"""The positions of a model's tokens: its embedding table as a flat or solid map."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Result, Table, content_key, seed, segmented_control, slider, toggle
from core.inspect import vocabulary_facts
from core.inspect.model_inputs.model_key import ModelKey
from core.rooms.embeddings import facts, token_map_chart as chart
from core.rooms.embeddings.compute import embeddings
from core.rooms.embeddings.facts import TokenLayout
from core.rooms.embeddings.inputs import TokenInputs

LABELS = module_labels(__name__)

METHODS = {"pca": "PCA", "tsne": "t-SNE"}
COLORINGS = LABELS.options("coloring", "kind", "count", "length")
MAX_LABELS = 250  # labels of points; more would overlap
N_LINK = 5
COUNTS = (0, 1, 10, 100, 1_000, 10_000, 100_000)  # ticks of the scale of frequencies, which is logarithmic
N_FREQUENT = 60  # the number of most frequent tokens that are named in a large vocabulary
CLICKED_KEY = "embeddings.clicked"  # the token of the last click
WARM_UP = True
IS_PARTIAL = True  # Plotly draws it
CODE = (embeddings.token_vectors, embeddings.principal_components, embeddings.tsne, embeddings.neighbor_preservation)


def map_content(key: ModelKey) -> str:
    """Return a short key for the content of the map."""
    return content_key(key)[:12]


def _is_tsne(inputs: "Inputs") -> bool:
    return bool(inputs.method == "tsne")


class Inputs(TokenInputs):
    """The method of the map, and its appearance."""

    method: str = segmented_control(METHODS, "pca", name="map")
    n_axis: int = segmented_control((2, 3), 2, name="axes")
    coloring: str = segmented_control(
        lambda i: {
            name: COLORINGS[name] for name in COLORINGS if name != "count" or facts.token_counts(i.key) is not None
        },
        "kind",
        before_render="core.rooms.embeddings.which_token:forget_stale_coloring",
    )
    perplexity: int = slider(
        5,
        50,
        15,
        step=5,
        when=_is_tsne,
    )
    seed: int = seed(name="map_seed", when=_is_tsne)
    every: bool = toggle()


class Map(Result):
    """A map of a model's tokens."""

    key: ModelKey
    map: TokenLayout
    near: tuple[int, ...]  # ids of the tokens nearest to the selected one in the full space
    n_unused: int  # tokens that never occur in the model's text
    n_token: int  # all others
    how_often: NDArray[np.int64] | None  # (V,) how often each occurs in that text, if it is known
    width: int  # numbers of a vector
    n_near: int  # neighbors in the check of the map

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return the tokens on the map."""
        ids = np.array(self.map.ids)
        return {"ids": ids, "points": self.map.points, "vectors": facts.load_vectors(self.key, self.map.ids)}

    def table(self) -> Table:
        """Return one row for each token on the map."""
        key, names, kinds = self.key, facts.token_labels(self.key), facts.token_kinds(self.key)[0]
        known: dict[str, Any] = {"labels": names, "kinds": kinds, "lengths": facts.token_lengths(key)}
        return vocabulary_facts.token_map_table(self.map.ids, self.map.points, how_often=self.how_often, **known)


def compute(inputs: Inputs) -> Map:
    """Project the vectors of the tokens in use on two or three axes."""
    key = inputs.key
    (n_token, width), n_unused = facts.embedding_table(key).shape, facts.count_unused_bytes(key)
    near = embeddings.nearest_tokens(facts.embedding_table(key), inputs.token, N_LINK).by_cosine
    found = facts.lay_out_tokens(key, inputs.method, inputs.n_axis, inputs.perplexity, inputs.seed)
    n_near = min(facts.N_NEAREST, len(found.ids) - 1)
    counts = facts.token_counts(key)
    return Map(
        key=key,
        map=found,
        near=tuple(near.tolist()),
        n_unused=n_unused,
        n_token=n_token - n_unused,
        how_often=counts,
        width=width,
        n_near=n_near,
    )


def draw(result: Map, inputs: Inputs) -> None:
    """Draw the map."""
    shown = map_content(inputs.key)
    if ui.picks.has_new_pick("embeddings.map", shown, "selection"):
        ui.st.rerun()  # the list of neighbors follows the token too
    figure = _figure(result, inputs)
    # A new map after the token was changed elsewhere, so that the same click counts a second time.
    is_moved = ui.state.session_slot(CLICKED_KEY, lambda: inputs.token) != inputs.token
    at = {"token": inputs.token} if is_moved else None
    is_flat = inputs.n_axis == 2
    key = (
        ui.picks.picture_widget_key("embeddings.map", shown, at, part="selection")
        if is_flat
        else f"embeddings.solid.{shown}"
    )
    ui.st.plotly_chart(
        figure,
        key=key,
        on_select="rerun" if is_flat else "ignore",
        selection_mode="points",
        config={"scrollZoom": False, "displaylogo": False},
        alt=ui.section_text("alt", shown_name=METHODS[inputs.method]),
    )


def _figure(result: Map, inputs: Inputs) -> dict[str, object]:
    key, shown, points = inputs.key, result.map.ids, result.map.points
    names, (kind_of, order) = facts.token_labels(key), facts.token_kinds(key)
    place = {one: i for i, one in enumerate(shown)}
    lengths, how_often, near = facts.token_lengths(key), result.how_often, result.near
    wanted = [place[i] for i in (inputs.token, *near) if i in place]
    wanted += [
        place[i]
        for i in shown
        if len(shown) <= MAX_LABELS and (inputs.every or kind_of[i] != vocabulary_facts.OTHER_KIND)
    ]
    if len(shown) > MAX_LABELS and how_often is not None:
        wanted += sorted(range(len(shown)), key=lambda place: -int(how_often[shown[place]]))[:N_FREQUENT]
    labels = [names[i] for i in shown]
    named = set(range(len(shown))) if inputs.every else chart.room_for_labels(points, labels, wanted)
    values: NDArray[np.float64] | None = None
    if inputs.coloring == "length":
        values = lengths[list(shown)]
    elif inputs.coloring == "count" and how_often is not None:
        values = np.log10(1 + how_often[list(shown)].astype(np.float64))
    details = [
        LABELS("details", kind=kind_of[i], id=i, length=lengths[i])
        if how_often is None
        else LABELS("details.count", kind=kind_of[i], id=i, length=lengths[i], n=int(how_often[i]))
        for i in shown
    ]
    return chart.TokenMapChart(
        points,
        labels,
        ids=shown,
        groups=[kind_of[i] for i in shown] if values is None else None,
        group_order=order,
        quiet=vocabulary_facts.OTHER_KIND,
        values=values,
        value_title=LABELS["length"] if inputs.coloring == "length" else LABELS["count"],
        value_ticks={math.log10(1 + n): f"{n:,}" for n in COUNTS} if inputs.coloring == "count" else None,
        details=details,
        labeled=[i in named for i in range(len(shown))],
        chosen=place.get(inputs.token),
        linked=[place[i] for i in near if i in place],
        axis_titles=[LABELS("axis", number=i + 1, share=one) for i, one in enumerate(result.map.shares)],
        mode=ui.color_mode(),
    ).figure()
