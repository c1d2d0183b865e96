"""What the exhibits of this room share: guesses, a sentence to ask about, and records as keys of results."""

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from core.data import referents
from core.data.synthetic import NOUNS, BottleAndCup
from core.ui import controls
from core.ui.live import Live

if TYPE_CHECKING:
    from core.train.experiment import Record

MAX_RESULTS = 64  # of some kilobytes, but each holds on to its record of some hundred


@dataclass(frozen=True)
class Trained:
    """A record that can be the key of a result: two are equal where their weights are.

    Attributes:
        digest: of all trained weights.
        record: of the experiment.
    """

    digest: str
    record: "Record" = field(compare=False, repr=False)


def trained(live: Live) -> Trained:
    """The models of what is shown now."""
    digest = hashlib.sha256()
    for name in sorted(name for name in live.record if name.startswith("model.")):
        digest.update(name.encode() + live.record[name].tobytes())
    return Trained(digest.hexdigest(), live.record)


def ask_sentence(prefix: str) -> BottleAndCup:
    """Ask for the two nouns and the ending of the sentence.

    Args:
        prefix: of the controls' names.
    """
    one, two, three = st.columns([1, 1, 1], gap="medium", vertical_alignment="bottom")
    with one:
        first = controls.select(f"{prefix}_first", "Water from the …", list(NOUNS), NOUNS[0])
    with two:
        second = controls.select(f"{prefix}_second", "into the …", list(NOUNS), NOUNS[1])
    with three:
        ending = controls.segmented(f"{prefix}_ending", "until it was …", list(referents.ENDINGS), "full")
    if first == second:
        second = NOUNS[(NOUNS.index(first) + 1) % len(NOUNS)]
        st.caption(f"Water cannot be poured from the {first} into itself, so the second one is the {second} here.")
    return BottleAndCup(first, second, ending)
