"""A text as colored tokens; `assets/widgets/shared/token_row.js`."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.browser.linked import Along, Chosen, Computed, Linked, over
from core.browser.message import pack
from core.ui.text import plural
from core.ui.widgets.mount import index, mount
from core.ui.widgets.tensors.picture import as_computed, color_limits, drawn, with_array
from core.ui.widgets.widget import followed, moved_by

MAX_TOKENS = 2_000


@dataclass(frozen=True)
class TokenRow:
    """Tokens that wrap like text; spaces, line ends and control characters are visible.

    Values, kind, titles, limits and selection may depend on choices, see `core.browser.linked`.

    Raises:
        ValueError: if the lengths do not match, or there are too many tokens.
    """

    tokens: Linked[Sequence[str]]  # at most 2,000 strings; they may depend on choices of the page
    _: KW_ONLY
    key: str  # names the instance
    ids: Sequence[int] | None = None  # their ids; pointing at an id highlights its token, and vice versa
    # one number per token (such as its loss), shown as its color with a legend; nan has no color
    values: Linked[ArrayLike] | None = None
    kind: Linked[str] = "value"  # kind, limits, value_title: as for a matrix
    value_title: Linked[str] = "value"
    limits: Linked[tuple[float, float]] | None = None
    title: Linked[str] = ""  # the heading of the picture
    details: Sequence[str] | Computed | None = None  # one line of text per token, shown under the pointer
    # the position marked before the first click; or a choice of the page, which a click then moves
    selected: Linked[int] | None = None
    takeaway: Linked[str] = ""  # one sentence for screen readers
    # if the choice that a click moves isn't a position: (inputs.step, its value for each token; None for tokens without
    # a value)
    chooses: tuple[object, Sequence[object]] | None = None
    in_words: bool = False  # these are words instead of tokens: spaces stay spaces

    def mount(self) -> int | None:
        """Draw the tokens and return the position of the last click, or None."""
        n_token = self._n_token()
        arrays = {}
        ends = (0.0, 1.0)
        if self.values is not None:
            values = self.values.values if isinstance(self.values, Along) else as_computed(self.values)
            arrays["values"] = with_array(self.values, np.asarray(values, dtype=np.float32))
            ends = over(
                lambda one, kind, given: given or color_limits(one, ~np.isfinite(one), kind),
                arrays["values"],
                self.kind,
                self.limits,
            )
        selected, details = followed(self.selected), self.details
        moves = self.chooses or (selected.name if isinstance(selected, Chosen) else None)
        header = {
            "widget": "token_row",
            "tokens": self.tokens if isinstance(self.tokens, Computed) else over(list, self.tokens),
            "ids": None if self.ids is None else [int(i) for i in self.ids],
            "kind": self.kind,
            "low": over(lambda both: both[0], ends),
            "high": over(lambda both: both[1], ends),
            "value_title": self.value_title,
            "label": self.title,
            "details": details if details is None or isinstance(details, Computed) else list(details),
            "selected": selected,
            "takeaway": self.takeaway or over(lambda one: f"{one or 'Text'}: {plural(n_token, 'token')}.", self.title),
            "chooses": moved_by(moves) if moves else None,
            **({"in_words": True} if self.in_words else {}),
        }
        return index(mount("token_row", self.key, pack(header, arrays), pick=None).get("pick"), n_token)

    def _n_token(self) -> int:
        """Return the number of tokens, after checking that all lengths match."""
        tokens, values = self.tokens, self.values
        n_token = np.shape(tokens.values)[-1] if isinstance(tokens, Along) else len(as_computed(tokens))
        if n_token > MAX_TOKENS:
            raise ValueError(f"{n_token} tokens are more than the {MAX_TOKENS} that a token row shows")
        n_choice = len(values.names) if isinstance(values, Along) else 0
        values = values.values if isinstance(values, Along) and n_choice else as_computed(values)
        for name, given in (("ids", self.ids), ("values", values), ("details", as_computed(self.details))):
            if given is not None and np.shape(given)[n_choice if name == "values" else 0 :][:1] != (n_token,):
                raise ValueError(f"{name} has shape {np.shape(given)}, there are {n_token} tokens")
        return int(n_token)


token_row = drawn(TokenRow)
