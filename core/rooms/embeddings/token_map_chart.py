"""A map of tokens in two or three dimensions, as a Plotly figure in plain dicts."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from html import escape
from itertools import zip_longest

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.charts.theme import ThemeMode, accent_color, categorical_colors, sequential_colors
from core.data.localization.locales import number_separators

# Each group has its own symbol in addition to its color. Plotly has only eight symbols in 3-D.
_SIGNS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "hexagon", "triangle-down", "pentagon")
_SIGNS_3D = ("circle", "square", "diamond", "cross", "x", "circle-open", "square-open", "diamond-open")
HEIGHT = 500
_EYE = (1.05, 1.05, 0.75)  # the initial position of the camera
MANY_POINTS = 300  # more points are drawn smaller

Spec = dict[str, object]


@dataclass(frozen=True)
class TokenMapChart:
    """The positions of tokens, colored by group or value, with lines from the chosen token to its true neighbors."""

    points: ArrayLike  # (N, 2) or (N, 3)
    tokens: Sequence[str]  # N labels; any text, it is escaped
    _: KW_ONLY
    ids: Sequence[int] = ()  # N numbers that a click on a point sends back; without them, the indices 0 to N - 1
    groups: Sequence[str] | None = None  # N names of groups, each with its own color and symbol; or else
    group_order: Sequence[str] = ()  # the names in the order of the legend; the first ones get the strongest colors
    quiet: str = ""  # the group that is drawn in gray
    values: ArrayLike | None = None  # N numbers for a scale of color
    value_title: str = ""
    value_ticks: Mapping[float, str] | None = None  # labels of the scale, by value; None: the values themselves
    details: Sequence[str] = ()  # N further lines for the tooltip
    labeled: Sequence[bool] = ()  # N, whether the token's name is shown at its point
    chosen: int | None = None  # a token to ring
    linked: Sequence[int] = ()  # tokens to draw a line to
    axis_titles: Sequence[str] = ()  # one for each axis; without them axes have no titles
    mode: ThemeMode = "light"

    def figure(self) -> Spec:
        """Return the map as Plotly's data and layout."""
        traces: list[Spec] = []
        if self.chosen is not None:
            traces.append(self._lines(self.chosen))
        traces += self._groups() if self.values is None else [self._scaled(np.asarray(self.values, np.float64))]
        if self.chosen is not None:
            traces.append(self._ring(self.chosen))
        return {"data": traces, "layout": self._layout()}

    @cached_property
    def _places(self) -> NDArray[np.float64]:
        return np.asarray(self.points, dtype=np.float64)

    @property
    def _is_3d(self) -> bool:
        return self._places.shape[1] == 3

    @property
    def _kind(self) -> str:
        return "scatter3d" if self._is_3d else "scatter"

    def _layout(self) -> Spec:
        n_axis = self._places.shape[1]
        look = {"zeroline": False, "showticklabels": False, "showgrid": True}
        look |= {"showspikes": False} if self._is_3d else {}
        titles = zip_longest("xyz"[:n_axis], self.axis_titles, fillvalue="")
        axes: Spec = {f"{axis}axis": {"title": {"text": title}} | look for axis, title in titles}
        if self._is_3d:
            axes = {"scene": axes | {"aspectmode": "cube", "camera": {"eye": dict(zip("xyz", _EYE, strict=True))}}}
        return {
            "height": HEIGHT,
            "margin": {"l": 30, "r": 8, "t": 8, "b": 44},
            "showlegend": self.values is None,
            "legend": {
                "orientation": "h",
                "yref": "container",  # at the top, because at the bottom large letters would overlap the axis title
                "y": 1,
                "yanchor": "top",
                "x": 0,
                "itemsizing": "constant",
                "font": {"size": 18},  # room for the letters of a slide; parts.css writes smaller ones elsewhere
                "entrywidth": 0.33,  # three columns, on a phone too
                "entrywidthmode": "fraction",
            },
            "separators": "".join(number_separators()),
            "hovermode": "closest",
            # Panning and turning survive a change of color or of the chosen token.
            "uirevision": f"{n_axis}-{len(self.tokens)}",
            "dragmode": "turntable" if self._is_3d else "zoom",
            **axes,
        }

    def _groups(self) -> list[Spec]:
        names = list(self.groups or [""] * len(self.tokens))
        order = [name for name in (self.group_order or sorted(set(names))) if name in names]
        signs = _SIGNS_3D if self._is_3d else _SIGNS
        traces = []
        for i, name in enumerate(order):
            where, is_gray = [j for j, one in enumerate(names) if one == name], name == self.quiet
            color = categorical_colors(self.mode)[7 if is_gray else i % 8]
            sign = "circle" if is_gray else signs[i % len(signs)]
            marker = {"color": color, "symbol": sign, "size": self._size(is_gray), "opacity": 0.55 if is_gray else 0.95}
            traces.append(self._trace(where) | {"name": name, "marker": marker})
        return traces

    def _scaled(self, values: NDArray[np.float64]) -> Spec:
        stops = sequential_colors(self.mode)[2:]
        scale = [[i / (len(stops) - 1), color] for i, color in enumerate(stops)]
        ticks = self.value_ticks
        told = {} if ticks is None else {"tickvals": list(ticks), "ticktext": list(ticks.values())}
        marker = {
            "color": [_short(v) for v in np.nan_to_num(values)],
            "colorscale": scale,
            "size": self._size(False),
            "showscale": True,
            "colorbar": {"title": {"text": self.value_title, "side": "right"}, "thickness": 12, "len": 0.8, **told},
        }
        return self._trace(range(len(self.tokens))) | {"name": self.value_title, "marker": marker}

    def _lines(self, chosen: int) -> Spec:
        ends: list[list[float | None]] = [[] for _ in range(self._places.shape[1])]
        for other in self.linked:
            for axis, end in enumerate(ends):
                end += [_short(self._places[chosen, axis]), _short(self._places[other, axis]), None]
        line = {"color": accent_color(self.mode), "width": 3 if self._kind == "scatter3d" else 1.2}
        return {
            "type": self._kind,
            "mode": "lines",
            "line": line,
            "hoverinfo": "skip",
            "showlegend": False,
            **dict(zip("xyz", ends, strict=False)),
        }

    def _ring(self, chosen: int) -> Spec:
        sign = {
            "symbol": "circle-open",
            "size": 15 if self._kind == "scatter" else 11,
            "color": accent_color(self.mode),
        }
        return self._trace([chosen], everywhere=True) | {
            "marker": sign | {"line": {"width": 3, "color": accent_color(self.mode)}},
            "textfont": {"size": 14, "color": accent_color(self.mode)},
            "showlegend": False,
            "hoverinfo": "skip",
            "hovertemplate": None,
        }

    def _trace(self, where: Sequence[int], everywhere: bool = False) -> Spec:
        names = {j: _plain(self.tokens[j], self._kind) for j in where}
        details = {j: escape(self.details[j], quote=False) if self.details else "" for j in where}
        axes = {
            axis: [_short(self._places[j, i]) for j in where] for i, axis in enumerate("xyz"[: self._places.shape[1]])
        }
        return {
            "type": self._kind,
            "mode": "markers+text",
            "text": [names[j] if everywhere or self._is_labeled(j) else "" for j in where],
            "textposition": "top center",
            "customdata": [[self.ids[j] if self.ids else j] for j in where],
            "hovertext": [f"<b>{names[j]}</b><br>{details[j]}" for j in where],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "textfont": {"size": 11, "color": categorical_colors(self.mode)[7]},
            **axes,
            **({} if self._kind == "scatter3d" else {"cliponaxis": False, **_CLICKED}),
        }

    def _is_labeled(self, j: int) -> bool:
        return j != self.chosen and (not self.labeled or self.labeled[j])  # the ring has the chosen token's name

    def _size(self, quiet: bool) -> int:
        size = (3 if quiet else 5) if self._kind == "scatter3d" else (6 if quiet else 9)
        return size if len(self.tokens) <= MANY_POINTS else size - 2


# A click must not fade the other points, because the ring already shows the choice.
_CLICKED = {"unselected": {"marker": {"opacity": 0.95}}}


def room_for_labels(points: ArrayLike, tokens: Sequence[str], wanted: Sequence[int]) -> set[int]:
    """Return the wanted labels that fit side by side without overlapping, giving priority to the first ones.

    Args:
        points: (N, 2) positions on the map, or (N, 3): then the labels must fit in the initial view.
        tokens: N labels.
        wanted: indices in order of importance.
    """
    places = np.asarray(points, dtype=np.float64)
    if places.shape[1] == 3:
        places = _first_seen(places)
    spans = np.ptp(places, axis=0)
    # For a map of 480 x 440 pixels, as next to an open sidebar, and letters 6.5 wide and 13 high.
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
    """Return the screen positions (N, 2) of points in a cube in the initial view, without perspective."""
    spans = np.ptp(places, axis=0)
    in_cube = (places - places.mean(0)) / np.where(spans > 0, spans, 1.0)
    away = -np.asarray(_EYE) / np.linalg.norm(_EYE)
    right = np.cross(away, (0.0, 0.0, 1.0))
    return np.stack([in_cube @ right, in_cube @ np.cross(right, away)], axis=1)


def _plain(token: str, kind: str) -> str:
    """Escape HTML, which Plotly reads in its texts; in 3-D it does not decode escapes, so similar signs are used."""
    return token.replace("<", "‹").replace(">", "›") if kind == "scatter3d" else escape(token, quote=False)


def _short(value: float) -> float:
    """Round to four digits, which is as exact as a screen."""
    return float(f"{float(value):.4g}")
