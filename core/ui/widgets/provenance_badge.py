"""The truth badge of a matrix: a number's tensor, the line of source that made it, and whether it is right.

A matrix that shows a model's own tensor takes one (`widgets.matrix(..., badge=)`). It costs nothing until a visitor
asks: then the whole tensor is computed once more by a pass in plain NumPy
(`core.inspect.numpy_reference.numpy_forward`), and the badge shows the difference at the cell and the largest one. If
the model is small enough, the browser computes it a third time (`assets/widgets/engine`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from core.data.localization.labels import module_labels
from core.exhibit import content_key
from core.inspect.tap_lines import TapLine

LABELS = module_labels(__name__)

TensorIndex = int | Literal["row", "column"]


@dataclass(frozen=True, kw_only=True)
class ProvenanceBadge:
    """The provenance of the numbers of one matrix."""

    tensor: str  # its name as the model taps it, "blocks.0.attn.weights"
    index: tuple[TensorIndex, ...]  # the matrix's index in it: numbers, with "row" and "column" for its two axes
    shape: tuple[int, ...]  # of the tensor, without the batch
    model: str  # the model's name
    step: int | None = None  # step, seed: of its training, if they are known
    seed: int | None = None
    source: TapLine  # the line that made the tensor
    identity: str  # changes whenever the numbers do: from the model's version, the text, an option
    # recomputes the tensor independently, as float64 of `shape`; None if that is impossible
    recompute: Callable[[], NDArray[np.float64]] | None = None
    # rows, columns: the tensor's indices of the matrix's rows and columns; None: all, in order
    rows: tuple[int, ...] | None = None
    columns: tuple[int, ...] | None = None
    # the tensor as the model computed it, of `shape`; None if only the matrix is known
    whole: NDArray[np.generic] | None = None
    why_unchecked: str = ""  # a message on why `again` is None
    # the browser's inputs to recompute the tensor itself, see `core.browser.weights`; None if it cannot
    browser_inputs: Callable[[], Mapping[str, object] | None] = lambda: None

    @property
    def token(self) -> str:
        """A digest of the numbers on show, so that an old request is not mistaken for a new one."""
        return content_key(self.tensor, str(self.index), self.identity)[:16]

    def to_message(
        self, key: str, shown: NDArray[np.float64]
    ) -> tuple[dict[str, object], dict[str, NDArray[np.generic]]]:
        """Return the message for the matrix with this key, with the second pass if a visitor has asked for it.

        Args:
            key: of the widget.
            shown: (T, S) as the matrix shows it.
        """
        names = ("tensor", "rows", "columns", "model", "step", "seed", "token")
        told = {name: getattr(self, name) for name in names}
        told |= {"index": list(self.index), "shape": list(self.shape)}
        told |= {"place": self.source.place, "line": self.source.text, "can": self.recompute is not None}
        told["why_not"] = "" if self.recompute is not None else self.why_unchecked
        if self.recompute is None or not self._is_asked(key):
            return told, {}
        try:
            again = self.recompute()
            cells = self._cells(again)
            if again.shape != self.shape or cells.shape != shown.shape:
                raise ValueError(f"the second pass gives {again.shape}, the model {self.shape}")
        except (ValueError, KeyError, OSError, MemoryError) as error:
            return told | {"failed": LABELS("pass_failed", error=error)}, {}
        known = shown[np.isfinite(shown)] if self.whole is None else self.whole.astype(np.float64)
        again = cells[np.isfinite(shown)] if self.whole is None else again
        told["found"] = {
            "largest": float(np.abs(again - known).max(initial=0)),
            "n_number": known.size,
            "is_all": self.whole is not None,
            "browser": self.browser_inputs(),
        }
        return told, {"again": cells.astype(np.float32), "difference": (cells - shown).astype(np.float32)}

    def _cells(self, again: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the part of the tensor that the matrix shows, (T, S)."""
        cells = again[tuple(slice(None) if isinstance(at, str) else at for at in self.index)]
        cells = cells if [at for at in self.index if isinstance(at, str)] == ["row", "column"] else cells.T
        cells = cells if self.rows is None else cells[list(self.rows)]
        return cells if self.columns is None else cells[:, list(self.columns)]

    def _is_asked(self, key: str) -> bool:
        held = st.session_state.get(key)
        asked = held.get("check") if isinstance(held, Mapping) else None
        return isinstance(asked, Mapping) and asked.get("of") == self.token
