"""A text as colored tokens; `assets/widgets/shared/token_row.js`."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.browser.choice_indexed_values import BrowserComputedValue, ByChoice, ChoiceRef, Linkable, map_choices
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

MAX_TOKENS = 2_000


@dataclass(frozen=True)
class _TokenRow:
    """Tokens that wrap like text; spaces, line ends and control characters are visible.

    Values, kind, titles, limits and selection may depend on choices, see `core.browser.choice_indexed_values`.

    Raises:
        ValueError: if the lengths do not match, or there are too many tokens.
    """

    tokens: Linkable[Sequence[str]]  # at most 2,000 strings; they may depend on choices of the page
    _: KW_ONLY
    key: str  # names the instance
    ids: Sequence[int] | None = None  # their ids; pointing at an id highlights its token, and vice versa
    # one number per token (such as its loss), shown as its color with a legend; nan has no color
    values: Linkable[ArrayLike] | None = None
    kind: Linkable[str] = "value"  # kind, limits, value_title: as for a matrix
    value_title: Linkable[str] = LABELS["value_title"]
    limits: Linkable[tuple[float, float]] | None = None
    title: Linkable[str] = ""  # the heading of the picture
    details: Sequence[str] | BrowserComputedValue | None = None  # one line of text per token, shown under the pointer
    # the position marked before the first click; or a choice of the page, which a click then moves
    selected: Linkable[int] | None = None
    takeaway: Linkable[str] = ""  # one sentence for screen readers
    # if the choice that a click moves isn't a position: (inputs.step, its value for each token; None for tokens without
    # a value)
    click_sets: tuple[object, Sequence[object]] | None = None
    in_words: bool = False  # these are words instead of tokens: spaces stay spaces

    def mount(self) -> int | None:
        """Draw the tokens and return the position of the last click, or None."""
        n_token = self._n_token()
        arrays = {}
        ends = (0.0, 1.0)
        if self.values is not None:
            values = self.values.values if isinstance(self.values, ByChoice) else unwrap_browser_value(self.values)
            arrays["values"] = make_choice_indexed_like(self.values, np.asarray(values, dtype=np.float32))
            ends = map_choices(
                lambda one, kind, given: given or color_limits(one, ~np.isfinite(one), kind),
                arrays["values"],
                self.kind,
                self.limits,
            )
        selected, details = control_to_choice_ref(self.selected), self.details
        moves = self.click_sets or (selected.name if isinstance(selected, ChoiceRef) else None)
        header = {
            "widget": "token_row",
            "tokens": self.tokens if isinstance(self.tokens, BrowserComputedValue) else map_choices(list, self.tokens),
            "ids": None if self.ids is None else [int(i) for i in self.ids],
            "kind": self.kind,
            "low": map_choices(lambda both: both[0], ends),
            "high": map_choices(lambda both: both[1], ends),
            "value_title": self.value_title,
            "label": self.title,
            "details": details if details is None or isinstance(details, BrowserComputedValue) else list(details),
            "selected": selected,
            "takeaway": self.takeaway
            or map_choices(lambda one: LABELS("takeaway", label=one or LABELS["text"], n=n_token), self.title),
            "chooses": choices_set_by_click(moves) if moves else None,
            **({"in_words": True} if self.in_words else {}),
        }
        return index_or_none(mount("token_row", self.key, pack_message(header, arrays), pick=None).get("pick"), n_token)

    def _n_token(self) -> int:
        """Return the number of tokens, after checking that all lengths match."""
        tokens, values = self.tokens, self.values
        n_token = np.shape(tokens.values)[-1] if isinstance(tokens, ByChoice) else len(unwrap_browser_value(tokens))
        if n_token > MAX_TOKENS:
            raise ValueError(f"{n_token} tokens are more than the {MAX_TOKENS} that a token row shows")
        n_choice = len(values.names) if isinstance(values, ByChoice) else 0
        values = values.values if isinstance(values, ByChoice) and n_choice else unwrap_browser_value(values)
        for name, given in (("ids", self.ids), ("values", values), ("details", unwrap_browser_value(self.details))):
            if given is not None and np.shape(given)[n_choice if name == "values" else 0 :][:1] != (n_token,):
                raise ValueError(f"{name} has shape {np.shape(given)}, there are {n_token} tokens")
        return int(n_token)


token_row = picture_class_to_function(_TokenRow)
