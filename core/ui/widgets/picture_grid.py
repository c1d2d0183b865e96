"""The browser widget of small pictures in a grid: digits, photographs, and a weight on each of their patches."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.browser.choice_indexed_values import ByChoice, ChoiceRef, Linkable, map_choices
from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import index_or_none, mount
from core.ui.widgets.tensors.tensor_picture_base import picture_class_to_function
from core.ui.widgets.widget import choices_set_by_click, control_to_choice_ref

if TYPE_CHECKING:
    from core.ui.widgets.provenance_badge import ProvenanceBadge

LABELS = module_labels(__name__)

MAX_PICTURES = 400  # more are too small to see, and too many to go through
MAX_BYTES = 1 << 20  # of pixels, because the message is sent at every change
INK_LEVELS = 16  # full ink of scikit-learn's digits

_Grid = tuple[int, int]


@dataclass(frozen=True)
class _PictureGrid:
    """Small pictures that wrap to the available width; pointer or arrow keys read their pixels and patches.

    A weight tints the background of its patch and draws a frame as thick as the weight, so ink stays readable and color
    is never the only cue; a negative weight's frame is dashed. Weights, texts, badge and selection may depend on
    choices, see `core.browser.choice_indexed_values`.

    Raises:
        ValueError: if shapes do not match, or there are too many pictures or pixels.
    """

    pixels: ArrayLike  # (N, Y, X) uint8 gray, or (N, Y, X, 3) uint8 red, green, blue; at most a million bytes
    _: KW_ONLY
    key: str  # names the instance; include everything that makes an old selection meaningless
    label: Linkable[str]  # label, takeaway: the title, and the sentence for screen readers
    takeaway: Linkable[str]
    # N short strings above the pictures; two lines are shown, the rest in the readout
    titles: Sequence[str] | None = None
    details: Sequence[str] | ByChoice | None = None  # N longer strings for the readout
    # (N, P_y, P_x) a number for each patch, where P_y divides Y and P_x divides X; nan draws nothing
    weights: Linkable[ArrayLike] | None = None
    weight_title: str = LABELS["weight_title"]  # the quantity that these numbers show
    # the ends of their scale; None: from 0 to the largest. A signed scale is symmetric.
    limits: tuple[float, float] | None = (0, 1)
    kind: Literal["probability", "signed"] = "probability"  # "probability" (0 and above) or "signed"
    # height and width of a patch in pixels: thin lines between patches; or N of them, all multiples of the smallest
    lines: int | Sequence[int] | None = None
    sentence: str = ""  # below the pictures: what they show
    ink: bool = True  # gray means ink on paper: 0 is bare paper, in the colors of the page. False: 0 is black.
    hidden: ArrayLike | None = None  # (N, P_y, P_x) True where a patch is drawn as hidden
    hidden_title: str = LABELS["hidden_title"]  # the word for hidden patches in legend and readout, such as "not seen"
    columns: int | None = None  # columns, size: preferred pictures per row, and preferred width of one in css pixels
    size: int | None = None
    least: int | None = None  # below this width, a row gets fewer pictures than preferred; None: 44, for a finger
    # what a click or Enter commits; None: clicks do nothing
    pick: Literal["picture", "patch"] | None = None
    chosen: Linkable[int] | tuple[int, int] | None = None  # the marked picture, or (picture, patch)
    # the gray value of full ink, or of white; None: 16 if no pixel of an ink picture is above it, otherwise 255
    full: int | None = None
    # the weights' badge, as for a matrix with a row for each picture and a column for each patch
    badge: "ProvenanceBadge | None" = None
    # the choice of the page that a click moves, and its value for each picture, or for each patch of a single picture;
    # `mount` then returns nothing
    click_sets: tuple[object, Sequence[object]] | None = None

    def mount(self) -> object:
        """Draw the pictures.

        Returns:
            With pick="picture", the number of the last clicked picture; with pick="patch", (picture, patch), where
            patches are counted row by row; None before a click.
        """
        images = _checked(self.pixels)
        n = len(images)
        for name, given in (("titles", self.titles), ("details", self.details)):
            if given is not None and not isinstance(given, ByChoice) and len(given) != n:
                raise ValueError(f"{len(given)} {name} do not match {n} pictures")
        arrays, grid = self._arrays(images)
        header = self._header(images, arrays.get("weights"), grid)
        if self.badge is not None:
            if self.weights is None:
                raise ValueError("a badge tells where weights are from, and there are none")
            rows = map_choices(lambda one: one.astype(np.float64).reshape(n, -1), arrays["weights"])
            told = map_choices(lambda one, shown: one.to_message(self.key, shown), self.badge, rows)
            header["badge"] = map_choices(lambda both: both[0], told)
            map_choices(lambda both: arrays.update(both[1]), told)
        state = mount("pictures", self.key, pack_message(header, arrays), pick=None, check=None)
        return _picked(state.get("pick"), self.pick, n, grid)

    def _arrays(self, images: NDArray[np.uint8]) -> tuple[dict[str, Any], _Grid | None]:
        """Return the arrays of the message, and the rows and columns of the patches."""
        grids: dict[str, _Grid] = {}
        arrays: dict[str, Any] = {"pixels": images}
        if self.weights is not None:
            linked = self.weights if isinstance(self.weights, ByChoice) else ByChoice(self.weights, ())
            numbers = np.asarray(linked.values, np.float32)
            arrays["weights"] = replace(linked, values=numbers) if linked.names else numbers
            grids["weights"] = _grid("weights", numbers[(0,) * len(linked.names)], images)
        if self.hidden is not None:
            arrays["hidden"] = np.asarray(self.hidden, bool).astype(np.uint8)
            grids["hidden"] = _grid("hidden", arrays["hidden"], images)
        if self.lines is not None:
            height, width = images.shape[1:3]
            patch = self.lines if isinstance(self.lines, int) else min(self.lines)
            if patch < 1 or height % patch or width % patch:
                raise ValueError(f"patches of {patch} pixels do not divide pictures of {height} x {width}")
            grids["lines"] = (height // patch, width // patch)
        if len(set(grids.values())) > 1:
            raise ValueError(f"patches do not match: {', '.join(f'{name} {one}' for name, one in grids.items())}")
        grid = next(iter(grids.values()), None)
        if self.pick == "patch" and grid is None:
            raise ValueError("to pick a patch there must be patches: give weights, hidden or lines")
        return arrays, grid

    def _header(self, images: NDArray[np.uint8], weights: object, grid: _Grid | None) -> dict[str, object]:
        ends = map_choices(lambda one: _limits(one, self.limits, self.kind), weights)
        chosen, n = control_to_choice_ref(self.chosen), len(images)
        if not isinstance(chosen, ChoiceRef):
            chosen = map_choices(lambda one: _marked(one, self.pick, n, grid), chosen)
        moves = choices_set_by_click(self.click_sets[0]) if self.click_sets else None
        return {
            "widget": "pictures",
            "titles": None if self.titles is None else [str(one) for one in self.titles],
            "details": map_choices(lambda all_: None if all_ is None else [str(one) for one in all_], self.details),
            "weight_title": self.weight_title,
            "kind": self.kind,
            "low": map_choices(lambda both: both[0], ends),
            "high": map_choices(lambda both: both[1], ends),
            "grid": grid,
            "lines": list(self.lines) if isinstance(self.lines, Sequence) else self.lines is not None,
            "sentence": self.sentence,
            "ink": self.ink,
            "full": _full(images, self.ink) if self.full is None else self.full,
            "hidden_title": self.hidden_title,
            "columns": self.columns,
            "size": self.size,
            "least": self.least,
            "pick": self.pick,
            "chosen": chosen,
            "chooses": moves,
            "values": list(self.click_sets[1]) if self.click_sets else None,
            "label": self.label,
            "takeaway": self.takeaway,
        }


pictures = picture_class_to_function(_PictureGrid)


def _marked(chosen: Any, pick: str | None, n: int, grid: _Grid | None) -> object:
    return _picked(chosen if isinstance(chosen, int) or chosen is None else list(chosen), pick, n, grid)


def to_grid(values: ArrayLike, n_row: int | None = None) -> NDArray[np.generic]:
    """Reshape (..., P) numbers of patches in reading order to (..., rows, columns); square unless `n_row` is given.

    Raises:
        ValueError: if the patches don't fill such a grid.
    """
    array = np.asarray(values)
    n = array.shape[-1]
    rows = round(n**0.5) if n_row is None else n_row
    if rows < 1 or n % rows or (n_row is None and rows * rows != n):
        raise ValueError(f"{n} patches make no grid of {rows} rows")
    return array.reshape(*array.shape[:-1], rows, n // rows)


def _checked(pixels: ArrayLike) -> NDArray[np.uint8]:
    images = np.asarray(pixels)
    if images.dtype != np.uint8:
        raise ValueError(f"pixels are {images.dtype}; pictures are drawn from uint8")
    if images.ndim not in (3, 4) or (images.ndim == 4 and images.shape[3] != 3) or not images.size:
        raise ValueError(f"pixels {images.shape} are neither (N, Y, X) gray nor (N, Y, X, 3) colors")
    if len(images) > MAX_PICTURES:
        raise ValueError(f"{len(images)} pictures are more than the {MAX_PICTURES} that can be looked at")
    if images.size > MAX_BYTES:
        raise ValueError(f"{images.size:,} bytes of pixels are more than the {MAX_BYTES:,} that are sent to a browser")
    return images


def _grid(name: str, values: NDArray[np.generic], images: NDArray[np.uint8]) -> _Grid:
    n, height, width = images.shape[:3]
    if values.ndim != 3 or len(values) != n or 0 in values.shape or height % values.shape[1] or width % values.shape[2]:
        raise ValueError(f"{name} {values.shape} do not fit {n} pictures of {height} x {width} pixels")
    return values.shape[1], values.shape[2]


def _limits(weights: NDArray[np.float32] | None, limits: tuple[float, float] | None, kind: str) -> tuple[float, float]:
    if limits is None:
        size = np.abs(weights[np.isfinite(weights)]) if weights is not None else np.zeros(0)
        limits = (0.0, float(size.max(initial=0)) or 1.0)
    low, high = float(limits[0]), float(limits[1])
    most = max(abs(low), abs(high))
    if not (np.isfinite(most) and most > 0):
        raise ValueError(f"limits {limits} leave no room for a scale")
    return (-most, most) if kind == "signed" else (low, high)


def _full(images: NDArray[np.uint8], ink: bool) -> int:
    return INK_LEVELS if ink and images.ndim == 3 and images.max() <= INK_LEVELS else 255


def _picked(value: object, pick: str | None, n: int, grid: _Grid | None) -> object:
    """Return a selection from the browser or the caller if it is a valid picture or patch, otherwise None."""
    if pick == "picture" or (pick is None and isinstance(value, int)):
        return index_or_none(value, n)
    if grid is None or not isinstance(value, list) or len(value) != 2:
        return None
    picture, patch = index_or_none(value[0], n), index_or_none(value[1], grid[0] * grid[1])
    return None if picture is None or patch is None else (picture, patch)
