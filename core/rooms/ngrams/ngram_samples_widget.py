"""Texts side by side, token by token, with the longest piece marked that is copied from the training text."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.browser.message import pack
from core.ui.widgets.mount import mount


@dataclass(frozen=True)
class Card:
    """One text."""

    title: str
    note: str  # a line under the title
    prompt: Sequence[str]  # tokens that were given, drawn quietly
    tokens: Sequence[str]  # what was written
    p: Sequence[float] | NDArray[np.floating]  # (T,) the probability of each
    copied: tuple[int, int]  # start and length of the longest copied piece, in tokens
    foot: str  # what to say of that piece


def ngram_samples(cards: Sequence[Card], *, key: str, label: str = "", takeaway: str = "") -> None:
    """Draw the texts beside one another, as many as there is room for.

    Raises:
        ValueError: if a card has another number of probabilities than tokens.
    """
    for card in cards:
        if len(card.tokens) != len(card.p):
            raise ValueError(f"{card.title!r} has {len(card.tokens)} tokens and {len(card.p)} probabilities")
    header = {
        "widget": "ngram_samples",
        "cards": [{name: value for name, value in vars(card).items() if name != "p"} for card in cards],
        "label": label,
        "takeaway": takeaway,
    }
    arrays = {"p": np.concatenate([np.asarray(card.p, dtype=np.float32) for card in cards])}
    mount("ngram_samples", key, pack(header, arrays))
