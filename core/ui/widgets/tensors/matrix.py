"""A matrix that highlights row, column, tokens and formula under the pointer; `assets/widgets/shared/matrix.js`."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.browser.choice_indexed_values import ByChoice, Linkable, map_choices, value_at_first_option
from core.browser.message_packing import pack_message
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import index_or_none, mount
from core.ui.widgets.tensors.tensor_picture_base import (
    color_limits,
    make_choice_indexed_like,
    picture_class_to_function,
    unwrap_browser_value,
)
from core.ui.widgets.widget import choices_set_by_click, control_to_choice_ref

LABELS = module_labels(__name__)

MAX_CELLS = 256 * 256


@dataclass(frozen=True)
class EditedMatrix:
    """The content of a matrix after an edit, in place of its values; all of it may be computed by the browser."""

    is_on: object  # whether there is an edit
    values: Linkable[ArrayLike]  # (T, S)
    mask: Linkable[ArrayLike] | None = None  # (T, S) booleans, replaces the mask; None: no change
    high: Linkable[float] | None = None  # the end of the scale; None: the values' own
    row: Linkable[int] | None = None  # the edited row, which the editor offers to undo
    # a message on why no second pass can be compared with these; "" if one can, once the server knows the edit
    why_unchecked: str = LABELS["follows_from_edit"]

    def to_message(self) -> tuple[dict[str, object], dict[str, object]]:
        """Return the header's part and the arrays."""
        arrays = {
            "edited": make_choice_indexed_like(self.values, np.asarray(unwrap_browser_value(self.values), np.float32))
        }
        if self.mask is not None:
            arrays["edited_mask"] = make_choice_indexed_like(
                self.mask, np.asarray(unwrap_browser_value(self.mask), np.uint8)
            )
        return {"is_on": self.is_on, "high": self.high, "row": self.row, "why_not": self.why_unchecked}, arrays


@dataclass(frozen=True)
class _Matrix:
    """A matrix of at most 256 x 256 cells.

    Values, tokens, operands, badge, kind, titles and selection may depend on choices, see
    `core.browser.choice_indexed_values`.

    Raises:
        ValueError: if the shapes do not match, or there are too many cells.
    """

    values: Linkable[ArrayLike]  # (T, S); nan cells are drawn empty
    _: KW_ONLY
    rows: Linkable[Sequence[str]]  # rows, columns: T and S tokens, top to bottom and left to right; duplicates are fine
    columns: Linkable[Sequence[str]]
    key: str  # names the instance
    # "probability" (colors fixed to 0..1), "signed" (symmetric about 0) or "value" (lowest to highest)
    kind: Linkable[str] = "probability"
    # (T, S) booleans, True where a cell may be read; the others are hatched and labeled `empty_title`. It may depend on
    # some of the values' choices.
    mask: ArrayLike | ByChoice | None = None
    row_title: str = LABELS["row_title"]  # row_title, column_title, value_title: names for a row, a column and a cell
    column_title: str = LABELS["column_title"]
    value_title: Linkable[str] = LABELS["value_title"]
    truth_title: str = LABELS["truth_title"]
    empty_title: str = LABELS["empty_title"]
    # for attention: `q` (T, K), `k` (S, K), `scale`; with an added bias or a `softcap`, also `scores` (T, S) before the
    # softmax; `sink`, one more score in each row. The hovered cell then shows its formula with these numbers, unless
    # the scale is None
    operands: Mapping[str, object] | None = None
    # (T, S) booleans, True at the known answer, drawn as rings; `truth_title` says what they mark
    truth: ArrayLike | None = None
    # a fixed color range, to compare frames or heads
    limits: Linkable[tuple[float, float]] | None = None
    selected: tuple[Linkable[int], Linkable[int]] | None = None  # the cell marked before the first click
    edited: EditedMatrix | None = None  # the content after an edit
    label: Linkable[str] = ""  # the title above the picture
    takeaway: Linkable[str] = ""  # one sentence for screen readers; without one, it is computed
    # a selected row opens a row editor. With a choice of the page and a prefix for its rows, (inputs.edits, "1.0"), an
    # edit is only written to that choice, as "1.0.3:0.5,0.5".
    editable: bool | tuple[object, object] = False
    compact: bool = False  # a thumbnail: only cells, without labels, legend and toolbar
    height: int | None = None  # maximum height of the cells in css pixels (default 620)
    # the provenance of the numbers, if it shows a model's own tensor, see `core.ui.widgets.provenance_badge`
    badge: Any = None
    # the choices of the page that a click moves: {"row": inputs.query}; `mount` then returns nothing
    click_sets: Mapping[str, object] | None = None

    @cached_property
    def shape(self) -> tuple[int, int]:
        """The shape (T, S)."""
        return len(value_at_first_option(self.rows)), len(value_at_first_option(self.columns))

    @cached_property
    def array(self) -> NDArray[np.float64]:
        """The values (..., T, S), with leading axes for the choices that they depend on."""
        values = self.values.values if isinstance(self.values, ByChoice) else self.values
        array = np.asarray(values, dtype=np.float64)
        n_choice = len(self.values.names) if isinstance(self.values, ByChoice) else 0
        n_row, n_column = self.shape
        if array.shape[n_choice:] != self.shape:
            raise ValueError(f"values {array.shape} do not match {n_row} rows x {n_column} columns")
        if not 0 < n_row * n_column <= MAX_CELLS:
            raise ValueError(f"{n_row * n_column} cells; a matrix shows between 1 and {MAX_CELLS}")
        return array

    @cached_property
    def empty(self) -> NDArray[np.bool_]:
        """A mask (..., T, S), True where a cell is drawn empty: nan, or masked."""
        empty = ~np.isfinite(self.array)
        if self.mask is None:
            return empty
        hidden = _hidden(self.mask, self.values, self.array)
        return empty | hidden if empty.any() else hidden

    def mount(self) -> dict[str, object] | None:
        """Draw the matrix.

        Returns:
            `{"row": t, "column": s}` after a click, otherwise None. With `editable`, once an edit is applied, also
            `"edit": {"row": t, "weights": [S floats]}`; row and column are then None if no cell is selected.
        """
        each = partial(make_choice_indexed_like, self.values)
        cells, gaps = each(self.array), each(np.broadcast_to(self.empty, self.array.shape))
        header, arrays = self._header(cells, gaps), self._arrays()
        if self.edited is not None:
            header["edited"], more = self.edited.to_message()
            arrays |= more
        if self.badge is not None:
            told = map_choices(
                lambda one, shown: one.to_message(self.key, shown) if one else (None, {}), self.badge, cells
            )
            header["badge"] = map_choices(lambda both: both[0], told)
            map_choices(lambda both: arrays.update(both[1]), told)
        state = mount("matrix", self.key, pack_message(header, arrays), pick=None, edit=None, check=None)
        pick = _cell(state.get("pick"), self.shape)
        edit = _edit(state.get("edit"), self.shape) if self.editable else None
        return pick if edit is None else {**(pick or {"row": None, "column": None}), "edit": edit}

    def _header(self, cells: object, gaps: object) -> dict[str, object]:
        ends = self.limits or map_choices(color_limits, cells, gaps, self.kind)
        of, edits = self.operands, self.editable if isinstance(self.editable, tuple) else None
        told = {"edit": edits[0]} if edits else {}
        return {
            "widget": "matrix",
            "rows": map_choices(list, self.rows),
            "columns": map_choices(list, self.columns),
            "kind": self.kind,
            "low": map_choices(lambda both: both[0], ends),
            "high": map_choices(lambda both: both[1], ends),
            "row_title": self.row_title,
            "column_title": self.column_title,
            "truth_title": self.truth_title,
            "empty_title": self.empty_title,
            "row_word": self.row_title.split(" (")[0],
            "column_word": self.column_title.split(" (")[0],
            "value_title": self.value_title,
            "operands": None if of is None else map_choices(_scaled, of["scale"], of.get("softcap"), of.get("sink")),
            "selected": None if self.selected is None else [control_to_choice_ref(one) for one in self.selected],
            "editable": bool(self.editable),
            "edits": edits[1] if edits else None,
            "label": self.label,
            "takeaway": self.takeaway or map_choices(_strongest, cells, gaps, self.label, self.rows, self.columns),
            "compact": self.compact,
            "height": self.height,
            "chooses": choices_set_by_click(({"pick": self.click_sets} if self.click_sets else {}) | told),
        }

    def _arrays(self) -> dict[str, Any]:
        array, empty, each = self.array, self.empty, partial(make_choice_indexed_like, self.values)
        arrays = {"values": each(np.where(empty, 0, array).astype(np.float32))}
        if empty.any():
            gaps = empty.astype(np.uint8)
            if isinstance(self.mask, ByChoice) and empty.shape != array.shape:
                arrays["empty"] = replace(self.mask, values=gaps.reshape(np.shape(self.mask.values)))
            else:
                arrays["empty"] = each(gaps) if empty.ndim == array.ndim else gaps
        if self.truth is not None:
            arrays["truth"] = _like(self.truth, array, "truth").astype(np.uint8)
        return arrays if self.operands is None else arrays | _operands(self.operands, self.shape)


matrix = picture_class_to_function(_Matrix)


def _like(values: ArrayLike, array: NDArray[np.generic], name: str) -> NDArray[np.generic]:
    given = np.asarray(values)
    if given.shape != array.shape[-2:]:
        raise ValueError(f"{name} {given.shape} does not match values {array.shape}")
    return given


def _hidden(mask: ArrayLike | ByChoice, values: object, array: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return (…, T, S), True where a cell is masked; the choices of the mask are aligned to the values' axes.

    Raises ValueError if it does not match the values.
    """
    if not isinstance(mask, ByChoice) or not mask.names:
        return ~_like(mask.values if isinstance(mask, ByChoice) else mask, array, "mask").astype(bool)
    names = values.names if isinstance(values, ByChoice) else ()
    given, along = np.asarray(mask.values).astype(bool), [name for name in names if name in mask.names]
    if tuple(along) != tuple(mask.names):
        raise ValueError(f"the mask runs along {mask.names}, the values along {names}")
    sizes = dict(zip(along, given.shape, strict=False))
    hidden = ~given.reshape(*(sizes.get(name, 1) for name in names), *given.shape[len(along) :])
    if np.broadcast_shapes(hidden.shape, array.shape) != array.shape:
        raise ValueError(f"mask {given.shape} does not match values {array.shape}")
    return hidden


def _scaled(scale: float | None, softcap: float | None, sink: float | None) -> dict[str, float] | None:
    if scale is None:
        return None
    given = {"scale": scale, "softcap": softcap, "sink": sink}
    return {name: float(one) for name, one in given.items() if one is not None}


def _operands(operands: Mapping[str, object], size: tuple[int, int]) -> dict[str, object]:
    given = {name: operands[name] for name in ("q", "k", "scores") if operands.get(name) is not None}
    linked = {name: one if isinstance(one, ByChoice) else ByChoice(one, ()) for name, one in given.items()}
    arrays = {name: np.asarray(one.values, dtype=np.float32) for name, one in linked.items()}
    shapes = {name: one.shape[len(linked[name].names) :] for name, one in arrays.items()}
    width = shapes["q"][-1]
    n_row, n_column = size
    expected = {"q": (n_row, width), "k": (n_column, width), "scores": size}
    if any(shape != expected[name] for name, shape in shapes.items()):
        raise ValueError(f"operands {shapes} do not match {n_row} rows x {n_column} columns")
    return {name: make_choice_indexed_like(linked[name], one) for name, one in arrays.items()}


def _strongest(
    array: NDArray[np.generic], empty: NDArray[np.bool_], label: str, rows: Sequence[str], columns: Sequence[str]
) -> str:
    """Return one true sentence about the matrix, for screen readers."""
    shape = LABELS(
        "shape",
        label=label or LABELS["matrix"],
        rows=LABELS("rows", n=len(rows)),
        columns=LABELS("columns", n=len(columns)),
    )
    if empty.all():
        return f"{shape} {LABELS['all_masked']}"
    row, column = divmod(int(np.argmax(np.where(empty, -np.inf, np.abs(array)))), len(columns))
    names = {"row_name": repr(rows[row]), "column_name": repr(columns[column])}
    return f"{shape} {LABELS('strongest', row=row, column=column, **names, value=float(array[row, column]))}"


def _cell(pick: object, shape: tuple[int, ...]) -> dict[str, object] | None:
    if not isinstance(pick, Mapping):
        return None
    row, column = index_or_none(pick.get("row"), shape[0]), index_or_none(pick.get("column"), shape[1])
    return None if row is None or column is None else {"row": row, "column": column}


def _edit(edit: object, shape: tuple[int, ...]) -> dict[str, object] | None:
    if not isinstance(edit, Mapping):
        return None
    row, weights = index_or_none(edit.get("row"), shape[0]), edit.get("weights")
    if row is None or not isinstance(weights, Sequence) or len(weights) != shape[1]:
        return None
    if not all(isinstance(w, int | float) and 0 <= w <= 1 for w in weights):
        return None
    return {"row": row, "weights": [float(w) for w in weights]}
