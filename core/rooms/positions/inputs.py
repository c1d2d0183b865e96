"""A sentence and another order of its words: what the first two exhibits look at."""

from typing import Any

from core import ui
from core.inputs import Inputs, NothingToShow, seed, segmented, text_input
from core.rooms.positions.compute.word_order import drawn_order

MOST_WORDS = 12  # rows of a matrix whose words can be read
SENTENCE = "Mia saw the dog before Tom came"
HOW = {"seed": "Drawn", "reverse": "Reversed", "hand": "By hand"}


def _backwards(inputs: Any) -> tuple[int, ...]:
    return tuple(reversed(range(len(inputs.text.split()[:MOST_WORDS]))))


def _by_hand(typed: str, inputs: Any) -> tuple[int, ...] | None:
    """The order that was typed; None if it does not name each place once."""
    parts = typed.replace(",", " ").split()
    order = tuple(int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 4)
    return order if len(order) == len(parts) and sorted(order) == sorted(_backwards(inputs)) else None


def _note(_: str, typed: str, inputs: Any) -> None:
    if _by_hand(typed, inputs) is None:
        ui.st.warning(
            f"{ui.quoted(typed)} doesn't name each position from 0 to {len(_backwards(inputs)) - 1} once. The words "
            "are reversed instead."
        )


class Sentence(Inputs, prefix="order_"):
    """At most 12 words, and their other order."""

    text: str = text_input("Your sentence", SENTENCE)
    how: str = segmented("Its other order", HOW, "seed")
    seed: int = seed(label="Seed of the order", when=lambda i: i.how == "seed")
    by_hand: str = text_input(
        lambda i: f"Places 0 to {len(_backwards(i)) - 1} in the new order",
        lambda i: " ".join(map(str, _backwards(i))),
        help="“2 0 1” puts the third word first, then the first, then the second.",
        when=lambda i: i.how == "hand",
        notes=_note,
    )

    @property
    def n_word(self) -> int:
        return len(self.text.split())

    @property
    def words(self) -> tuple[str, ...]:
        """(T,) Raises NothingToShow where there is nothing to shuffle."""
        if self.n_word < 2:
            raise NothingToShow("Type at least two words: one alone can't be shuffled.")
        return tuple(self.text.split()[:MOST_WORDS])

    @property
    def order(self) -> tuple[int, ...]:
        """(T,) place t of the shuffled sentence gets the word from place order[t]."""
        if self.how == "seed":
            return drawn_order(len(self.words), self.seed)
        return (_by_hand(self.by_hand, self) if self.how == "hand" else None) or _backwards(self)
