"""The next token's distribution with interactive sliders; `assets/widgets/shared/distribution.js`."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.browser.choice_indexed_values import ByChoice, ChoiceRef, Linkable
from core.browser.message_packing import MAX_PLAIN_NAMES, pack_message
from core.data.localization.labels import module_labels
from core.ui.widgets.mount import index_or_none, mount
from core.ui.widgets.tensors.tensor_picture_base import make_choice_indexed_like, picture_class_to_function
from core.ui.widgets.widget import control_to_choice_ref

LABELS = module_labels(__name__)

MOST_ROWS = 500  # in the table (assets/widgets/shared/distribution.js)


class _SamplingSettings(TypedDict):
    """The sampling settings: `top_k` 0 and `top_p` 1 keep all tokens; `position` is the row of the logits on show."""

    temperature: float
    top_k: int
    top_p: float
    position: int


@dataclass(frozen=True)
class _Distribution:
    """Probabilities of the next token, with temperature, top-k and top-p.

    The browser applies temperature, top-k and top-p to the logits in this order, then renormalizes, with the rules of
    `core.generate.filters`. A setting is committed when the slider is released.

    Logits, the chosen token and the takeaway may depend on choices, see `core.browser.choice_indexed_values`.

    Raises:
        ValueError: if the logits do not match the vocabulary, or a setting is out of range.
    """

    logits: Linkable[ArrayLike]  # (V,) or (T, V). With (T, V) the person can choose the position.
    _: KW_ONLY
    tokens: Sequence[str]  # the V strings of the vocabulary
    key: str  # names the instance
    context_tokens: Sequence[str] | None = None  # the T tokens of the text, to distinguish positions
    # temperature, top_k, top_p, position: initial settings; if one changes, the widget takes it over. The first three
    # may be choices of the page, which the sliders then move.
    temperature: Linkable[float] = 1.0
    top_k: Linkable[int] = 0
    top_p: Linkable[float] = 1.0
    position: int | None = None
    n_shown: int = 20  # the number of most probable tokens that get a row
    chosen: Linkable[int] | None = None  # the id of the actual next token, marked in its row
    label: str = ""  # the title above the picture
    takeaway: Linkable[str] = ""  # one sentence for screen readers

    def mount(self) -> _SamplingSettings:
        """Draw the distribution and return the settings in force, always complete."""
        array = self._rows()
        n_position = array.shape[-2]
        given: Any = {name: control_to_choice_ref(getattr(self, name)) for name in ("temperature", "top_k", "top_p")}
        given["position"] = n_position - 1 if self.position is None else int(self.position)
        moves = {name: one.name for name, one in given.items() if isinstance(one, ChoiceRef)}
        if not moves and not _are_settings(given, n_position):
            raise ValueError(f"settings out of range: {given} for {n_position} positions")
        header: dict[str, object] = {
            "widget": "distribution",
            "tokens": _named(array, self.tokens, self.n_shown),
            "context": None if self.context_tokens is None else list(self.context_tokens),
            "settings": given,
            "n_shown": self.n_shown,
            "chosen": self.chosen,
            "chooses": {"settings": moves} if moves else None,
            "label": self.label,
            "takeaway": self.takeaway
            or LABELS("takeaway", label=self.label or LABELS["next_token"], n=len(self.tokens)),
        }
        message = pack_message(header, {"logits": make_choice_indexed_like(self.logits, array)})
        state = mount("distribution", self.key, message, settings=None)
        return given if moves else _settings(state.get("settings"), given, n_position)

    def _rows(self) -> NDArray[np.float32]:
        """Return the logits (..., T, V), with leading axes for the choices that they depend on."""
        n_choice = len(self.logits.names) if isinstance(self.logits, ByChoice) else 0
        array = np.asarray(self.logits.values if isinstance(self.logits, ByChoice) else self.logits, dtype=np.float32)
        if array.ndim == n_choice + 1:
            array = array[..., None, :]
        if array.ndim != n_choice + 2 or array.shape[-1] != len(self.tokens):
            raise ValueError(f"logits {array.shape[n_choice:]} do not match a vocabulary of {len(self.tokens)}")
        if self.context_tokens is not None and len(self.context_tokens) != array.shape[-2]:
            raise ValueError(f"{len(self.context_tokens)} context tokens do not match {array.shape[-2]} rows of logits")
        return array


distribution = picture_class_to_function(_Distribution)


def _named(logits: NDArray[np.float32], tokens: Sequence[str], n_shown: int) -> Sequence[str] | dict[str, str]:
    """Return the tokens' names: all, or for a large vocabulary, by id, only those that a row can show."""
    if len(tokens) <= MAX_PLAIN_NAMES:
        return list(tokens)
    rows = logits.reshape(-1, len(tokens))
    best = np.unique(np.argsort(-rows, axis=-1, kind="stable")[:, : max(n_shown, MOST_ROWS)])
    return {str(i): tokens[i] for i in best.tolist()}


def _settings(committed: Any, given: _SamplingSettings, n_position: int) -> _SamplingSettings:
    """Return the sliders' settings, except those that the caller has changed since."""
    asked = committed.get("given") if isinstance(committed, Mapping) else None
    if not isinstance(asked, Mapping):
        return given
    before: Mapping[str, Any] = given
    merged = {n: committed[n] if n in committed and asked.get(n) == v else v for n, v in before.items()}
    if not _are_settings(merged, n_position):
        return given
    return {
        "temperature": float(merged["temperature"]),
        "top_k": merged["top_k"],
        "top_p": float(merged["top_p"]),
        "position": merged["position"],
    }


def _are_settings(settings: Mapping[str, Any], n_position: int) -> bool:
    numbers = all(isinstance(settings[name], int | float) for name in ("temperature", "top_p"))
    return (
        numbers
        and 0 <= settings["temperature"] <= 10
        and 0 < settings["top_p"] <= 1
        and isinstance(settings["top_k"], int)
        and settings["top_k"] >= 0
        and index_or_none(settings["position"], n_position) is not None
    )
