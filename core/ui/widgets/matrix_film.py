"""A film of one matrix during a run, played and scrubbed in the browser; see `assets/widgets/shared/film.js`."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.browser.choice_indexed_values import ByChoice, Linkable, map_choices
from core.browser.message_packing import as_levels, pack_message
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import mount
from core.ui.widgets.tensors.tensor_picture_base import picture_class_to_function

LABELS = module_labels(__name__)


@dataclass(frozen=True)
class _MatrixFilm:
    """A matrix at each moment of a training run; the newest frame is shown first, nothing is committed.

    Raises:
        ValueError: if the shapes do not match.
    """

    # (N, T, S) weights between 0 and 1, or bytes; or what `value_title` says. They and `label` may depend on choices of
    # the page.
    frames: Linkable[ArrayLike]
    _: KW_ONLY
    steps: Sequence[int]  # (N,) training steps
    rows: Sequence[str]  # rows, columns: T and S tokens
    columns: Sequence[str]
    key: str  # names the instance
    notes: Sequence[str] = ()  # (N,) a short note for each step
    truth: ArrayLike | None = None  # (T, S) booleans, drawn as rings; `truth_title` says what they mark
    truth_title: str = ""
    row_title: str = LABELS["row_title"]
    column_title: str = LABELS["column_title"]
    value_title: str = ""  # empty for attention weights
    label: Linkable[str] = ""
    takeaway: str = ""

    def mount(self) -> None:
        """Draw the film."""
        n, rows, columns = len(self.steps), list(self.rows), list(self.columns)
        header = {
            "widget": "film",
            "steps": [int(step) for step in self.steps],
            "notes": list(self.notes) or [""] * n,
            "rows": rows,
            "columns": columns,
            "truth_title": self.truth_title,
            "row_title": self.row_title,
            "column_title": self.column_title,
            "value_title": self.value_title,
            "label": self.label,
            "takeaway": self.takeaway
            or map_choices(
                lambda one: LABELS(
                    "takeaway", label=one or LABELS["weights"], n_frame=n, n_row=len(rows), n_column=len(columns)
                ),
                self.label,
            ),
        }
        mount("film", self.key, pack_message(header, self._arrays(), compress=True))

    def _arrays(self) -> dict[str, NDArray[np.generic] | ByChoice]:
        linked = self.frames if isinstance(self.frames, ByChoice) else ByChoice(self.frames, ())
        levels = as_levels(np.asarray(linked.values))
        shape, expected = levels.shape[len(linked.names) :], (len(self.steps), len(self.rows), len(self.columns))
        if shape != expected or not len(self.steps):
            n, n_row, n_column = expected
            raise ValueError(f"frames {shape} do not match {n} steps, {n_row} rows, {n_column} columns")
        if self.notes and len(self.notes) != len(self.steps):
            raise ValueError(f"{len(self.notes)} notes do not match {len(self.steps)} steps")
        arrays: dict[str, NDArray[np.generic] | ByChoice] = {
            "frames": replace(linked, values=levels) if linked.names else levels
        }
        if self.truth is not None:
            if np.shape(self.truth) != shape[1:]:
                raise ValueError(f"truth {np.shape(self.truth)} does not match frames of {shape[1:]}")
            arrays["truth"] = np.asarray(self.truth).astype(np.uint8)
        return arrays


matrix_film = picture_class_to_function(_MatrixFilm)
