"""A grid of all heads of a model: rows are layers, columns are heads; `assets/widgets/shared/head_grid.js`."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TypedDict

import numpy as np
from numpy.typing import ArrayLike

from core.browser.choice_indexed_values import ChoiceRef, Linkable, map_choices
from core.browser.message_packing import as_levels, pack_message
from core.data.localization.labels import module_labels
from core.exhibit import Table
from core.ui.widgets.mount import index_or_none, mount, to_nested_lists
from core.ui.widgets.tensors.tensor_picture_base import picture_class_to_function
from core.ui.widgets.widget import control_to_choice_ref

LABELS = module_labels(__name__)


class _ClickedHead(TypedDict):
    """The head that was clicked."""

    layer: int
    head: int


@dataclass(frozen=True)
class _HeadGrid:
    """A grid of every head of every layer; a click opens one.

    The weights are sent as one byte each (steps of 1/255): 144 heads of 64 tokens take 0.6 MB.

    Raises:
        ValueError: if a shape does not match or a weight is outside 0..1.
    """

    weights: ArrayLike  # (L, H, T, S) between 0 and 1; masked cells 0
    _: KW_ONLY
    tokens: Sequence[str]  # the T query tokens; `columns`: the S key tokens, if they differ
    key: str  # names the instance
    columns: Sequence[str] | None = None
    # (layer, head) shown as open; if these are choices of the page, a click moves them
    selected: tuple[Linkable[int], Linkable[int]] | None = None
    # name -> (L, H), larger is better: printed for the hovered head, and the best one gets a star
    scores: Linkable[ArrayLike] | None = None
    # the name of the initial score for the star and the bars below the heads; the person can choose a different one
    best: Linkable[ArrayLike] | None = None
    threshold: object = None  # the threshold above which a score counts: a tick on each bar
    off: Sequence[tuple[int, int]] = ()  # heads that are ablated, drawn crossed out
    label: str = ""  # the title above the picture
    sentence: Linkable[str] = ""  # below the heads: what they show; the open or best head then stands beside them
    takeaway: str = ""  # one sentence for screen readers; without one, it is computed

    def mount(self) -> _ClickedHead | None:
        """Draw the grid and return the head of the last click, or None."""
        levels, tokens = as_levels(self._checked()), list(self.tokens)
        n_layer, n_head = levels.shape[:2]
        table = map_choices(partial(_score_table, shape=(n_layer, n_head)), self.scores or {})
        selected = None if self.selected is None else [control_to_choice_ref(one) for one in self.selected]
        moves = [one.name for one in selected or () if isinstance(one, ChoiceRef)]
        size = {
            "layers": LABELS("layers", n=n_layer),
            "heads": LABELS("heads", n=n_head),
            "tokens": LABELS("tokens", n=len(tokens)),
        }
        header = {
            "widget": "head_grid",
            "tokens": tokens,
            "columns": list(self.columns or tokens),
            "selected": selected,
            "scores": table,
            "best": map_choices(
                lambda name, known: name if name in known else next(iter(known), None), self.best, table
            ),
            "threshold": control_to_choice_ref(self.threshold),
            "off": [list(pair) for pair in self.off],
            "label": self.label,
            "sentence": self.sentence,
            "takeaway": self.takeaway or LABELS("takeaway", label=self.label or LABELS["attention"], **size),
            "chooses": {"pick": dict(zip(("layer", "head"), moves, strict=True))} if moves else None,
        }
        pick = mount("head_grid", self.key, pack_message(header, {"weights": levels}), pick=None).get("pick")
        if not isinstance(pick, Mapping):
            return None
        layer, head = index_or_none(pick.get("layer"), n_layer), index_or_none(pick.get("head"), n_head)
        return None if layer is None or head is None else {"layer": layer, "head": head}

    def _checked(self) -> np.ndarray:
        array, shape = np.asarray(self.weights), (len(self.tokens), len(self.columns or self.tokens))
        if array.ndim != 4 or array.shape[2:] != shape:
            raise ValueError(f"weights {array.shape} do not match (L, H, {shape[0]}, {shape[1]})")
        return array


head_grid = picture_class_to_function(_HeadGrid)


def _score_table(scores: Mapping[str, ArrayLike], shape: tuple[int, int]) -> Table:
    for name, score in scores.items():
        if np.shape(score) != shape:
            raise ValueError(f"score {name!r} is {np.shape(score)}, the heads are {shape}")
    return {name: to_nested_lists(score) for name, score in scores.items()}
