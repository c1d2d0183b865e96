"""A sentence and a second order of its words, for the first two exhibits; places in an address."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from core import ui
from core.data.localization.labels import module_labels
from core.exhibit import Inputs, NothingToShow, seed, segmented_control, text_input
from core.rooms.positions.compute.word_order import ShuffleRecord, random_order
from core.ui.widgets.mount import index_or_none

LABELS = module_labels(__name__)

MOST_WORDS = 12  # rows of a matrix with readable words
SENTENCE = "Mia saw the dog before Tom came"
PlaceMap = dict[str, int]  # by slider name


def _backwards(inputs: "SentenceInputs") -> tuple[int, ...]:
    return tuple(reversed(range(len(inputs.text.split()[:MOST_WORDS]))))


def _by_hand(typed: str, inputs: "SentenceInputs") -> tuple[int, ...] | None:
    """Return the order that was typed, or None if it does not name each place once."""
    parts = typed.replace(",", " ").split()
    order = tuple(int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 4)
    return order if len(order) == len(parts) and sorted(order) == sorted(_backwards(inputs)) else None


def _note(_: str, typed: str, inputs: "SentenceInputs") -> None:
    if _by_hand(typed, inputs) is None:
        ui.st.warning(LABELS("bad_order", typed=ui.quote_text(typed), most=len(_backwards(inputs)) - 1))


class SentenceInputs(Inputs, prefix="order_"):
    """At most 12 words and a second order for them."""

    stays: ClassVar = True
    text: str = text_input(SENTENCE)
    how: str = segmented_control(("seed", "reverse", "hand"), "seed")
    seed: int = seed(when=lambda i: i.how == "seed")
    by_hand: str = text_input(
        lambda i: " ".join(map(str, _backwards(i))),
        when=lambda i: i.how == "hand",
        notes=_note,
        label=lambda i: LABELS("by_hand", most=len(_backwards(i)) - 1),
    )

    @property
    def n_word(self) -> int:
        return len(self.text.split())

    @property
    def words(self) -> tuple[str, ...]:
        """(T,) the words. Raises NothingToShow if there is nothing to shuffle."""
        if self.n_word < 2:
            raise NothingToShow(LABELS["too_few_words"])
        return tuple(self.text.split()[:MOST_WORDS])

    @property
    def order(self) -> tuple[int, ...]:
        """(T,) place t of the shuffled sentence gets the word from place order[t]."""
        if self.how == "seed":
            return random_order(len(self.words), self.seed)
        return (_by_hand(self.by_hand, self) if self.how == "hand" else None) or _backwards(self)


def format_small(value: float, digits: int = 2) -> str:
    """Format a number: 1.8·10⁻¹⁵, or in the story 0.000000000000002; a number that is not small as 0.213."""
    if value >= 0.001:
        return f"{value:.3f}"
    if ui.depth_at_least("numbers"):
        return ui.format_power_of_ten(value, digits)
    return np.format_float_positional(value, precision=1, fractional=False, trim="-")


def round_to_even(value: float) -> int:
    """Round down to an even number: a link can name an odd width, but positions consist of pairs."""
    return int(value) // 2 * 2


def parse_places(given: object, **limits: int) -> PlaceMap | None:
    """Return whole numbers by name, each from 0 to below its limit, from a browser's mapping or an address "12.3.1".

    Returns None if a name is missing or a number is out of range.
    """
    if isinstance(given, str):
        parts = given.split(".")
        is_place = len(parts) == len(limits) and all(one.isascii() and one.isdigit() and len(one) < 6 for one in parts)
        given = dict(zip(limits, map(int, parts), strict=True)) if is_place else {}
    sent = given if isinstance(given, Mapping) else {}
    found = {name: index_or_none(sent.get(name), limit) for name, limit in limits.items()}
    return {name: at for name, at in found.items() if at is not None} if None not in found.values() else None


def format_places(places: PlaceMap | None) -> str | None:
    """Return the places as they appear in an address, "12.3.1"."""
    return ".".join(map(str, places.values())) if places else None


def draw_differences(shuffled: ShuffleRecord, *, key: str) -> None:
    """Draw the differences, with rings at each word's original place."""
    words, order = shuffled.words, list(shuffled.order)
    ui.matrix(
        shuffled.difference,
        rows=[words[i] for i in order],
        columns=list(words),
        key=key,
        kind="value",
        truth=np.eye(len(words), dtype=bool)[order],
        truth_title=LABELS["same_word"],
        limits=(0.0, float(max(shuffled.difference.max(), 1e-9))),
        row_title=LABELS["new_order"],
        column_title=LABELS["old_order"],
        value_title=LABELS["difference"],
        label=LABELS["differences"],
        takeaway=LABELS("differences_takeaway", n=len(words), largest=format_small(shuffled.largest)),
        height=520,
    )
