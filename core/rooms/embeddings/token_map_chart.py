"""A map of tokens in two or three dimensions, as a Plotly figure in plain dicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.charts.theme import Mode, accent, categorical, sequential

# Each group has a sign of its own beside its color. In space Plotly knows eight signs only.
_SIGNS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon", "triangle-down", "pentagon")
_SIGNS_3D = ("circle", "square", "diamond", "cross", "x", "circle-open", "square-open", "diamond-open")
HEIGHT = 500
_EYE = (1.05, 1.05, 0.75)  # from where a cube is first seen
MANY = 300  # more points are drawn smaller

Spec = dict[str, Any]


def token_map(
    points: ArrayLike,
    tokens: Sequence[str],
    *,
    ids: Sequence[int] = (),
    groups: Sequence[str] | None = None,
    group_order: Sequence[str] = (),
    quiet: str = "",
    values: ArrayLike | None = None,
    value_title: str = "",
    value_ticks: Mapping[float, str] | None = None,
    details: Sequence[str] = (),
    labeled: Sequence[bool] = (),
    chosen: int | None = None,
    linked: Sequence[int] = (),
    axis_titles: Sequence[str] = (),
    mode: Mode = "light",
) -> Spec:
    """The places of tokens, colored by group or by value; lines lead from the chosen one to its true neighbors.

    Args:
        points: (N, 2) or (N, 3).
        tokens: N labels; any text, it is escaped.
        ids: N numbers that a click on a point sends back; without them, the places 0 to N - 1.
        groups: N names of groups, each with its own color and sign; or else
        values: N numbers for a scale of color.
        value_ticks: what stands beside the scale at which values; None: the values themselves.
        group_order: the names in the order of the legend; the first ones get the strongest colors.
        quiet: the group that is drawn in gray.
        details: N further lines for the label under the pointer.
        labeled: N, whether the token's name stands beside its point.
        chosen: a token to ring.
        linked: tokens to draw a line to.
        axis_titles: one for each axis; without them axes carry no numbers.
    """
    places = np.asarray(points, dtype=np.float64)
    is_3d = places.shape[1] == 3
    kind, n = "scatter3d" if is_3d else "scatter", len(tokens)
    about = _Points(
        places,
        kind,
        ids or range(n),
        [_plain(token, kind) for token in tokens],
        [escape(one, quote=False) for one in details] or [""] * n,
        list(labeled) or [True] * n,
        mode,
    )
    traces: list[Spec] = []
    if chosen is not None:
        about.labeled[chosen] = False  # the ring bears its name
        traces += [about.lines(chosen, linked)]
    if values is not None:
        traces.append(about.scaled(np.asarray(values, dtype=np.float64), value_title, value_ticks))
    else:
        names = list(groups or [""] * len(tokens))
        order = [name for name in (group_order or sorted(set(names))) if name in names]
        signs = _SIGNS_3D if is_3d else _SIGNS
        for i, name in enumerate(order):
            where = [j for j, one in enumerate(names) if one == name]
            gray = name == quiet
            color = categorical(mode)[7] if gray else categorical(mode)[i % 8]
            traces.append(about.group(name, where, color, "circle" if gray else signs[i % len(signs)], gray))
    if chosen is not None:
        traces.append(about.ring(chosen))
    layout: Spec = {
        "height": HEIGHT,
        "margin": {"l": 30, "r": 8, "t": 8, "b": 44},
        "showlegend": values is None,
        "legend": {
            "orientation": "h",
            "yref": "container",  # on top of all: below, large letters would meet the axis title
            "y": 1,
            "yanchor": "top",
            "x": 0,
            "itemsizing": "constant",
            "entrywidth": 124,  # pixels: the longest name in large letters
        },
        "hovermode": "closest",
        # Panning and turning survive a change of color or of the chosen token.
        "uirevision": f"{places.shape[1]}-{len(tokens)}",
        "dragmode": "turntable" if is_3d else "zoom",
    }
    look = {"zeroline": False, "showticklabels": False, "showgrid": True} | ({"showspikes": False} if is_3d else {})
    titles = zip_longest("xyz"[: places.shape[1]], axis_titles, fillvalue="")
    axes: Spec = {f"{axis}axis": {"title": {"text": title}} | look for axis, title in titles}
    if is_3d:
        axes = {"scene": axes | {"aspectmode": "cube", "camera": {"eye": dict(zip("xyz", _EYE, strict=True))}}}
    layout |= axes
    return {"data": traces, "layout": layout}


@dataclass
class _Points:
    """The points of one map, to be drawn in several traces."""

    places: NDArray[np.float64]
    kind: str  # of Plotly's
    ids: Sequence[int]
    names: Sequence[str]
    details: Sequence[str]
    labeled: list[bool]
    mode: Mode

    def group(self, name: str, where: Sequence[int], color: str, sign: str, quiet: bool) -> Spec:
        marker = {"color": color, "symbol": sign, "size": self._size(quiet), "opacity": 0.55 if quiet else 0.95}
        return self._trace(where) | {"name": name, "marker": marker}

    def scaled(self, values: NDArray[np.float64], title: str, ticks: Mapping[float, str] | None) -> Spec:
        stops = sequential(self.mode)[2:]
        scale = [[i / (len(stops) - 1), color] for i, color in enumerate(stops)]
        told = {} if ticks is None else {"tickvals": list(ticks), "ticktext": list(ticks.values())}
        marker = {
            "color": [_short(v) for v in np.nan_to_num(values)],
            "colorscale": scale,
            "size": self._size(False),
            "showscale": True,
            "colorbar": {"title": {"text": title, "side": "right"}, "thickness": 12, "len": 0.8, **told},
        }
        return self._trace(range(len(self.names))) | {"name": title, "marker": marker}

    def lines(self, chosen: int, linked: Sequence[int]) -> Spec:
        ends: list[list[float | None]] = [[] for _ in range(self.places.shape[1])]
        for other in linked:
            for axis, end in enumerate(ends):
                end += [_short(self.places[chosen, axis]), _short(self.places[other, axis]), None]
        line = {"color": accent(self.mode), "width": 3 if self.kind == "scatter3d" else 1.2}
        return {
            "type": self.kind,
            "mode": "lines",
            "line": line,
            "hoverinfo": "skip",
            "showlegend": False,
            **dict(zip("xyz", ends, strict=False)),
        }

    def ring(self, chosen: int) -> Spec:
        sign = {"symbol": "circle-open", "size": 15 if self.kind == "scatter" else 11, "color": accent(self.mode)}
        return self._trace([chosen], everywhere=True) | {
            "marker": sign | {"line": {"width": 3, "color": accent(self.mode)}},
            "textfont": {"size": 14, "color": accent(self.mode)},
            "showlegend": False,
            "hoverinfo": "skip",
            "hovertemplate": None,
        }

    def _trace(self, where: Sequence[int], everywhere: bool = False) -> Spec:
        axes = {
            axis: [_short(self.places[j, i]) for j in where] for i, axis in enumerate("xyz"[: self.places.shape[1]])
        }
        return {
            "type": self.kind,
            "mode": "markers+text",
            "text": [self.names[j] if everywhere or self.labeled[j] else "" for j in where],
            "textposition": "top center",
            "customdata": [[self.ids[j]] for j in where],
            "hovertext": [f"<b>{self.names[j]}</b><br>{self.details[j]}" for j in where],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "textfont": {"size": 11, "color": categorical(self.mode)[7]},
            **axes,
            **({} if self.kind == "scatter3d" else {"cliponaxis": False, **_CLICKED}),
        }

    def _size(self, quiet: bool) -> int:
        size = (3 if quiet else 5) if self.kind == "scatter3d" else (6 if quiet else 9)
        return size if len(self.names) <= MANY else size - 2


# A click must not fade the other points: the ring says what is chosen.
_CLICKED = {"unselected": {"marker": {"opacity": 0.95}}}


def room_for_labels(points: ArrayLike, tokens: Sequence[str], wanted: Sequence[int]) -> set[int]:
    """Those of the wanted labels that can be drawn side by side without covering one another, the first ones first.

    Args:
        points: (N, 2) places on the map, or (N, 3): then the labels have room as the map is first seen.
        tokens: N labels.
        wanted: places in the order of their importance.
    """
    places = np.asarray(points, dtype=np.float64)
    if places.shape[1] == 3:
        places = _first_seen(places)
    spans = np.ptp(places, axis=0)
    # About a map of 480 x 440 pixels, as beside an open sidebar, letters 6.5 wide and 13 high.
    at = (places - places.min(0)) / np.where(spans > 0, spans, 1.0) * (480, 440)
    drawn: list[tuple[float, float, float]] = []
    fitting = set()
    for i in wanted:
        x, y, half = at[i, 0], at[i, 1], 3.25 * len(tokens[i])
        if all(abs(y - other_y) > 13 or abs(x - other_x) > half + other for other_x, other_y, other in drawn):
            drawn.append((x, y, half))
            fitting.add(i)
    return fitting


def _first_seen(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """(N, 2) where points in a cube lie on the screen before it is turned, without perspective."""
    spans = np.ptp(places, axis=0)
    in_cube = (places - places.mean(0)) / np.where(spans > 0, spans, 1.0)
    away = -np.asarray(_EYE) / np.linalg.norm(_EYE)
    right = np.cross(away, (0.0, 0.0, 1.0))
    return np.stack([in_cube @ right, in_cube @ np.cross(right, away)], axis=1)


def _plain(token: str, kind: str) -> str:
    """Plotly reads some HTML in its texts; in space it does not read escapes back."""
    return token.replace("<", "‹").replace(">", "›") if kind == "scatter3d" else escape(token, quote=False)


def _short(value: float) -> float:
    """Four digits: as exact as a screen."""
    return float(f"{float(value):.4g}")
